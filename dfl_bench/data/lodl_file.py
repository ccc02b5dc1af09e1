"""The portfolio file published with the LODL code, supplied by the user; no code in it is run."""

import zipfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from .cache import sha256
from .stock_days import StockDays

SIZE = 333_079_075
SHA256 = "2cc8e26e2291b4e3ebec3d4d720d43d1ad51c898c992124b23ad95570e00a8ab"
_LAYOUT = "the LODL list [features (T, N, F), targets (T, N, 1), names, later returns (T, N, D), ...]"
_PAST = ("cur_return", *(f"prev{k}_return" for k in range(1, 11)))  # features that are returns, newest first


def describe(path: Path) -> str:
    """Return what a file is by its size and hash, in words for the provenance of a result."""
    if not path.is_file():
        return "missing"
    status = path.stat()
    known = status.st_size == SIZE and _hash(path.resolve(), status.st_mtime_ns) == SHA256
    return "the file published with LODL" if known else "not the file published with LODL"


@cache  # problems are made often, and the file is large
def _hash(path: Path, changed: int) -> str:
    return sha256(path)


class LodlPrices(NamedTuple):
    """Features (T, N, F), the next day's return (T, N) and the returns of the days after it (T, N, D)."""

    features: np.ndarray
    target: np.ndarray
    later: np.ndarray
    names: tuple[str, ...] = ()  # of the features

    @property
    def n_stocks(self) -> int:
        """How many stocks there are."""
        return self.target.shape[1]

    def n_days(self, window: int) -> int:
        """Return how many days there are; the file has as many later returns for each."""
        known = 1 + self.later.shape[-1]
        if window > known:
            raise ValueError(f"expected window to be at most {known}, the returns after a day, got {window}.")
        return len(self.target)

    def days(self, stocks: np.ndarray, rows: slice, window: int) -> StockDays:
        """Return some of the days.

        Args:
            stocks: which stocks, by number.
            rows: from which to which of the days.
            window: how many returns before and after each day.
        """
        features, target = self.features[rows][:, stocks], self.target[rows][:, stocks]
        future = np.concatenate([target[..., None], self.later[rows][:, stocks]], axis=-1)
        newest = [self.names.index(name) for name in _PAST[:window] if name in self.names]
        past = features[..., newest[::-1]] if len(newest) == window else None
        return StockDays(features, past, future[..., :window])


def load_lodl(path: str | Path) -> LodlPrices:
    """Return the tables of ``price_data_2004-01-01_2017-01-01_daily.pt``.

    The file is a list: features (T, N, F), targets (T, N, 1), feature names, returns of the days after
    the next (T, N, 9), target names, dates, symbols.

    Raises:
        DataError: there is no such file, or it holds anything else.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(
            f"no file {path}; expected the .pt file of the LODL code, or data='sp500' for the fetched prices."
        )
    content = _read(path)
    if not isinstance(content, list | tuple) or len(content) < 4:
        raise DataError(f"expected {_LAYOUT} in {path}, got {type(content).__name__}.")
    named = {"features": content[0], "targets": content[1], "later returns": content[3]}
    try:
        features, target, later = (_table(name, value) for name, value in named.items())
    except ValueError as error:
        raise DataError(f"expected {_LAYOUT} in {path}, {error}.") from error
    if features.shape[:2] != target.shape[:2] or target.shape != (*later.shape[:2], 1):
        shapes = [table.shape for table in (features, target, later)]
        raise DataError(f"expected {_LAYOUT} in {path}, got shapes {shapes}.")
    return LodlPrices(features, target[..., 0], later, _names(content[2], features.shape[-1]))


def _names(value: Any, n: int) -> tuple[str, ...]:
    """The names of the features; none where the file does not have one for each."""
    listed = isinstance(value, list | tuple) and len(value) == n and all(isinstance(v, str) for v in value)
    return tuple(value) if listed else ()


def _read(path: Path) -> Any:
    import torch
    from pandas._libs.tslibs import timestamps

    try:
        _require_stored(path)
        # The dates are pandas timestamps; beyond tensors and plain values nothing else is admitted.
        unpickle = timestamps._unpickle_timestamp  # type: ignore[attr-defined]
        with torch.serialization.safe_globals([timestamps.Timestamp, unpickle]):
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged or hostile file can raise anything in torch
        raise DataError(
            f"expected {_LAYOUT} in {path}, with tensors and plain values only; not loaded: "
            f"{type(error).__name__}: {error}"
        ) from error


def _require_stored(path: Path) -> None:
    # torch.save never compresses. A small compressed file could grow to more than the memory holds.
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ValueError("it is compressed")


def _table(name: str, value: Any) -> np.ndarray:
    """Return a dense tensor of real numbers as float64; raise ValueError for every other value."""
    import torch

    if not isinstance(value, torch.Tensor):
        raise ValueError(f"got {type(value).__name__} for the {name}")
    if value.layout != torch.strided or value.device.type != "cpu" or value.is_quantized:
        raise ValueError(f"each as a dense tensor with its data, got {_kind(value)} for the {name}")
    if value.dtype not in (torch.float16, torch.float32, torch.float64):
        raise ValueError(f"each of float64, float32 or float16 numbers, got {_kind(value)} for the {name}")
    if value.ndim != 3 or value.numel() == 0:
        raise ValueError(f"got shape {tuple(value.shape)} for the {name}")
    # Strides of zero make a huge table of a few stored numbers.
    if value.numel() * value.element_size() > value.untyped_storage().nbytes():
        raise ValueError(f"each number stored once, got repeated ones for the {name}")
    table = value.detach().resolve_neg().numpy().astype(np.float64)
    if not np.isfinite(table).all():
        raise ValueError(f"each of finite numbers, got NaN or infinity for the {name}")
    return table


def _kind(tensor: Any) -> str:
    return f"{tensor.layout} {tensor.dtype} on {tensor.device.type}".replace("torch.", "")
