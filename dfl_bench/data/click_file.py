"""The user's own budget_allocation_data.pkl: click rates out, and no code in the file is run."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..contracts.fingerprint import file_sha256
from ..errors import DataError
from .pickled_array import PickledArray, describe
from .plain_pickle import read_plain_pickle

# Of the file, and of the table in float64.
MAX_BYTES = 2**29
_MAX_LEVELS = 3

# The file that the published code reads: 1,000 instances of 100 websites and 500 users.
PUBLISHED_BYTES = 400_119_400
PUBLISHED_SHA256 = "11a0ac25f526c11f9fee9808c78f77055e036022540a5dd433a90e10393c786f"


def recognise(path: Path) -> str:
    """Return what a file is, in words for the provenance of a result; only the right size is worth a hash."""
    if not path.is_file():
        return "missing"
    if path.stat().st_size == PUBLISHED_BYTES and file_sha256(path) == PUBLISHED_SHA256:
        return "the file of Wilder et al. (2019), recognised by its hash"
    return "unknown file"


def load_click_rates(path: str | Path) -> np.ndarray:
    """Return the click rates (instances, websites, users): the first of the file's two values.

    Raises:
        DataError: there is no such file, or it holds anything else.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"no file {path}; expected budget_allocation_data.pkl, data='bids' or data='clicks'.")
    expected = "expected a pair whose first value is (instances, websites, users) click rates in [0, 1]"
    try:
        rates = _table(_first_of_pair(read_plain_pickle(_read(path))))
    except (ValueError, OverflowError) as error:
        raise DataError(
            f"{expected} in {path}, as NumPy arrays, lists and tuples of numbers; not loaded: {error}."
        ) from error
    if rates.ndim != 3 or not ((rates >= 0) & (rates <= 1)).all():
        raise DataError(f"{expected} in {path}, got shape {rates.shape} or values outside [0, 1].")
    return rates


def sample_click_rates(
    path: str | Path, rng: np.random.Generator, n: int, n_websites: int, n_users: int
) -> np.ndarray:
    """Return n different instances (n, websites, users); all have the same websites and users of the file.

    Args:
        path: The user's file.
        rng: Chooses the instances, the websites and the users.
        n: The number of instances.
        n_websites: The number of websites in each.
        n_users: The number of users in each.

    Raises:
        DataError: the file cannot be read or holds too few of them.
    """
    rates = load_click_rates(path)
    wanted = (n, n_websites, n_users)
    if any(have < want for have, want in zip(rates.shape, wanted, strict=True)):
        raise DataError(
            f"expected at least {wanted} instances, websites and users in {path}, got {rates.shape}."
        )
    chosen = [rng.choice(have, want, replace=False) for have, want in zip(rates.shape, wanted, strict=True)]
    return rates[np.ix_(*chosen)]


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    return data


def _first_of_pair(content: Any) -> Any:
    if not isinstance(content, list | tuple) or len(content) != 2:
        raise ValueError(f"it holds {describe(content)}")
    return content[0]


def _table(value: Any) -> np.ndarray:
    # The size comes first: lists that hold one list many times make a small file a huge table.
    shape = _shape(value, _MAX_LEVELS, {})
    if math.prod(shape) * 8 > MAX_BYTES:
        raise ValueError(f"its table of shape {shape} is larger than {MAX_BYTES} bytes")
    return _fill(value) if shape else np.array(value, dtype=np.float64)


def _shape(value: Any, levels: int, known: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape of an array, a number or nested lists; each list is looked at once for each level."""
    if isinstance(value, int | float):
        return ()
    if isinstance(value, PickledArray):
        return value.shape()
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"its first value has {describe(value)} in the place of numbers, or an empty list")
    if levels == 0:
        raise ValueError(f"its first value has more than {_MAX_LEVELS} levels of lists")
    if id(value) not in known:
        shapes = {_shape(part, levels - 1, known) for part in value}
        if len(shapes) != 1:
            raise ValueError(f"its first value is a list of parts of different shapes: {sorted(shapes)[:3]}")
        known[id(value)] = (len(value), *shapes.pop())
    return known[id(value)]


def _fill(value: Any) -> np.ndarray:
    if isinstance(value, PickledArray):
        return value.build()
    parts = [_fill(part) if isinstance(part, list | tuple | PickledArray) else part for part in value]
    return np.array(parts, dtype=np.float64)
