"""The user's own budget_allocation_data.pkl, through an unpickler that admits arrays and containers only."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError

# What a pickled array is made of, under the names of old and new NumPy; none of these runs code of the file.
_ADMITTED = {
    (module, name)
    for package in ("numpy.core", "numpy._core")
    for module, name in [
        (f"{package}.multiarray", "_reconstruct"),
        (f"{package}.multiarray", "scalar"),
        (f"{package}.numeric", "_frombuffer"),
    ]
} | {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}


class ArrayUnpickler(pickle.Unpickler):
    """An unpickler for NumPy arrays, numbers, strings, lists, tuples and dicts."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the few constructors of arrays, refuse every other global."""
        if (module, name) not in _ADMITTED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def load_click_rates(path: str | Path) -> np.ndarray:
    """Return the click rates (instances, websites, users): the first of the file's two values."""
    path = Path(path)
    if not path.is_file():
        raise DataError(f"no file {path}; expected budget_allocation_data.pkl, or data='generated'.")
    try:
        with path.open("rb") as file:
            content = ArrayUnpickler(file, encoding="bytes").load()
    except Exception as error:  # a hostile or truncated pickle can raise anything
        raise DataError(
            f"{path} is truncated or holds more than NumPy arrays and containers; not loaded: {error}"
        ) from error
    expected = "expected a pair whose first value is (instances, websites, users) click rates in [0, 1]"
    if not isinstance(content, list | tuple) or len(content) != 2:
        raise DataError(f"{expected} in {path}, got {type(content).__name__}.")
    try:
        rates = np.array(content[0], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{expected} in {path}, got {error}.") from error
    if rates.ndim != 3 or not (rates >= 0).all() or not (rates <= 1).all():
        raise DataError(f"{expected} in {path}, got shape {rates.shape} or values outside [0, 1].")
    return rates


def sample_click_rates(
    path: str | Path, rng: np.random.Generator, n: int, n_websites: int, n_users: int
) -> np.ndarray:
    """Return n different instances (n, websites, users), the same websites and users of the file in all."""
    rates = load_click_rates(path)
    wanted = (n, n_websites, n_users)
    if any(have < want for have, want in zip(rates.shape, wanted, strict=True)):
        raise DataError(
            f"expected at least {wanted} instances, websites and users in {path}, got {rates.shape}."
        )
    chosen = [rng.choice(have, want, replace=False) for have, want in zip(rates.shape, wanted, strict=True)]
    return rates[np.ix_(*chosen)]
