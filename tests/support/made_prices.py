"""A wheel of made-up prices in place of the real one: random walks, nothing of it is data."""

import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd

from dfl_bench.data import cache, sp500

N_STOCKS = 9
PAPER_DAYS, RECENT_DAYS = 480, 170


def closes(rng, n_days, n_stocks=N_STOCKS):
    """Random walks around different levels, (days, stocks)."""
    steps = 0.02 * rng.standard_normal((n_days, n_stocks))
    return rng.uniform(5, 200, n_stocks) * np.exp(steps.cumsum(0))


def store_made_prices(folder, monkeypatch):
    """Put tables of a made-up wheel into a cache of its own."""
    rng = np.random.default_rng(0)
    tickers = [f"S{i}" for i in range(N_STOCKS)]
    recent = pd.bdate_range("2006-09-01", periods=RECENT_DAYS)
    paper = pd.bdate_range("2004-01-02", periods=PAPER_DAYS)
    tables = (
        pd.DataFrame(closes(rng, RECENT_DAYS), recent, tickers),
        pd.DataFrame(rng.integers(1_000, 9_000, (RECENT_DAYS, N_STOCKS)), recent, tickers),
        pd.DataFrame(closes(rng, PAPER_DAYS), paper, tickers),
    )
    wheel = folder / "made.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, table in zip(sp500.WHEEL.files, tables, strict=True):
            archive.writestr(name, table.to_csv(index_label="Date"))
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(folder / "cache"))
    monkeypatch.setattr(sp500, "WHEEL", replace(sp500.WHEEL, sha256=cache.sha256(wheel)))
    sp500.WHEEL.store(wheel)
