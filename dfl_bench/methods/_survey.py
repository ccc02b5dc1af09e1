"""The tuned settings of the JAIR survey (Mandi et al. 2024) in our units.

Its λ stands before the gradient of a mean over a batch: ours is that of one instance, so that theirs is
divided by the size of the batch. On electricity prices its noise and learning rates are in units of the
values, ours in label scales: they are divided by the mean value.
"""

from typing import Any

PATH_BATCH, PRICE_BATCH = 32, 128
_DEGREES = (1, 2, 4, 6, 8)
_CAPACITIES = (60, 120, 180)
_MEAN_VALUE = 320.0  # of a slot, in the survey's file of prices
_IN_VALUES = ("learning_rate", "sigma")

Rows = dict[Any, dict[str, Any]]


def by_degree(**settings: Any) -> Rows:
    """Return the settings on shortest paths by degree; each has one value, or one for each degree."""
    return _rows(_DEGREES, settings)


def by_capacity(**settings: Any) -> Rows:
    """Return the settings on electricity prices by capacity; each has one value, or one for each capacity."""
    rows = _rows(_CAPACITIES, settings)
    return {
        capacity: {name: value / _MEAN_VALUE if name in _IN_VALUES else value for name, value in row.items()}
        for capacity, row in rows.items()
    }


def of_mean(batch: int, *values: float) -> tuple[float, ...]:
    """Return λ of one instance for those of a mean over a batch."""
    return tuple(value / batch for value in values)


def _rows(keys: tuple[int, ...], settings: dict[str, Any]) -> Rows:
    whole = {
        name: value if isinstance(value, tuple) else (value,) * len(keys) for name, value in settings.items()
    }
    return {key: {name: values[i] for name, values in whole.items()} for i, key in enumerate(keys)}
