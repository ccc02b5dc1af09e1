"""What tells configurations apart, in few words."""

from collections.abc import Sequence
from typing import Any

from ..contracts.fingerprint import canonical

ALWAYS = {"samples": "K", "fake_targets": "fake_targets"}


def telling(config: dict[str, Any], siblings: Sequence[dict[str, Any]], *, brief: bool = False) -> str:
    """Return samples and fake targets always, other settings where siblings, itself included, differ.

    Where they stand one below the other, names can be `brief`: without a value that most of them share.
    """
    shown = []
    for name in sorted(config, key=lambda name: name not in ALWAYS):
        value, others = config[name], [sibling.get(name) for sibling in siblings]
        text = canonical(value)
        alike = sum(canonical(other) == text for other in others)
        usual = 2 * alike > len(others) if brief else alike == len(others)
        if name in ALWAYS or not usual:
            shown.append(f"{ALWAYS.get(name, name)}={_short(value, others)}")
    return " ".join(shown)


def _short(value: Any, others: Sequence[Any]) -> str:
    """Four digits of a number, unless another has the same four."""
    if not isinstance(value, float):
        return value if isinstance(value, str) else canonical(value)
    rounded = f"{value:.4g}"
    alike = {other for other in others if isinstance(other, float) and f"{other:.4g}" == rounded}
    return rounded if alike <= {value} else repr(value)
