"""The axes of a suite's entry: settings of a problem that are varied together.

axes = { degree = [1, 8], rows = [{ at = 50, n_train = 50, n_val = 12 }] }

A plain value is that of the setting with the axis's name. A table has several settings, and says with `at`
where on the axis it stands.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

Point = tuple[Any, dict[str, Any]]  # where on its axis, and the settings there


def combinations(axes: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every combination of points: the place on each axis, and the settings; one without axes."""
    lines = [_points(name, values) for name, values in axes.items()]
    for chosen in product(*lines):
        at = {name: place for name, (place, _) in zip(axes, chosen, strict=True)}
        yield at, {name: value for _, settings in chosen for name, value in settings.items()}


def _points(name: str, values: Any) -> list[Point]:
    if not isinstance(values, list) or not values:
        raise ValueError(f"expected the axis {name} to be a list of values, got {values!r}.")
    points = [_point(name, value) for value in values]
    if len({repr(place) for place, _ in points}) < len(points):
        raise ValueError(f"expected the axis {name} to have each value once, got {[p for p, _ in points]}.")
    return points


def _point(name: str, value: Any) -> Point:
    if not isinstance(value, dict):
        return value, {name: value}
    if "at" not in value:
        raise ValueError(f"expected 'at' in the table {value!r}: where it stands on the axis {name}.")
    return value["at"], {setting: given for setting, given in value.items() if setting != "at"}
