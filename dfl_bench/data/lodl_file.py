"""The portfolio file published with the LODL code, supplied by the user; no code in it is run."""

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError


class LodlPrices(NamedTuple):
    """Features (T, N, F), the next day's return (T, N) and the returns of the days after it (T, N, D)."""

    features: np.ndarray
    target: np.ndarray
    later: np.ndarray


def load_lodl(path: str | Path) -> LodlPrices:
    """Return the tables of ``price_data_2004-01-01_2017-01-01_daily.pt``.

    The file is a list: features (T, N, F), targets (T, N, 1), feature names, returns of the days after
    the next (T, N, 9), target names, dates, symbols.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(
            f"no file {path}; expected the .pt file of the LODL code, or data='sp500' for the fetched prices."
        )
    content = _read(path)
    expected = (
        "expected the LODL list [features (T, N, F), targets (T, N, 1), names, later returns (T, N, D), ...]"
    )
    if not isinstance(content, list | tuple) or len(content) < 4:
        raise DataError(f"{expected} in {path}, got {type(content).__name__}.")
    tables = [content[0], content[1], content[3]]
    shapes = [tuple(getattr(table, "shape", ())) for table in tables]
    days_and_stocks = {shape[:2] for shape in shapes}
    if any(len(shape) != 3 for shape in shapes) or len(days_and_stocks) != 1 or shapes[1][2] != 1:
        raise DataError(f"{expected} in {path}, got shapes {shapes}.")
    features, target, later = (np.asarray(table.numpy(), dtype=np.float64) for table in tables)
    if not all(np.isfinite(table).all() for table in (features, target, later)):
        raise DataError(f"expected finite numbers in {path}, got NaN or infinity.")
    return LodlPrices(features, target[..., 0], later)


def _read(path: Path) -> Any:
    import torch
    from pandas._libs.tslibs import timestamps

    try:
        # The dates are pandas timestamps; beyond tensors and plain values nothing else is admitted.
        unpickle = timestamps._unpickle_timestamp  # type: ignore[attr-defined]
        with torch.serialization.safe_globals([timestamps.Timestamp, unpickle]):
            return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise DataError(
            f"{path} is truncated or holds more than tensors and plain values, so it was not loaded: {error}"
        ) from error
