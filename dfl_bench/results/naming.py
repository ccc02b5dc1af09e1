"""What tells configurations apart, in few words."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..contracts.fingerprint import canonical

SAMPLES = "samples"
SHORT_NAMES = {SAMPLES: "K"}


def telling(
    config: Mapping[str, Any],
    siblings: Sequence[Mapping[str, Any]],
    *,
    always: Collection[str] = (),
    brief: bool = False,
) -> str:
    """Return a configuration in few words, as "K=8 steps=300".

    Samples are always shown, and so are the settings that are named, other settings where siblings differ.

    Args:
        config: the configuration to name.
        siblings: the configurations to tell it from, itself included.
        always: settings that are shown, and shown first: sweeps, and what is not the protocol's or default.
        brief: leave out a value that most siblings share. For names that stand one below the other.
    """
    first = {SAMPLES, *always}
    shown = []
    for name in sorted(config, key=lambda name: name not in first):
        value, others = config[name], [sibling.get(name) for sibling in siblings]
        text = canonical(value)
        alike = sum(canonical(other) == text for other in others)
        usual = 2 * alike > len(others) if brief else alike == len(others)
        if name in first or not usual:
            shown.append(f"{SHORT_NAMES.get(name, name)}={_short(value, others)}")
    return " ".join(shown)


def in_words(setting: str) -> str:
    """Return the name of a setting as text: "fake targets"."""
    return setting.replace("_", " ")


def _short(value: object, others: Sequence[object]) -> str:
    """Four digits of a number, unless another number has the same four."""
    if not isinstance(value, float):
        return value if isinstance(value, str) else canonical(value)
    rounded = f"{value:.4g}"
    alike = {other for other in others if isinstance(other, float) and f"{other:.4g}" == rounded}
    return rounded if alike <= {value} else repr(value)
