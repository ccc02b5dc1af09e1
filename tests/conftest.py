import os

import pytest


@pytest.fixture(scope="session")
def sp500_data():
    """The S&P 500 file, fetched once; skips where neither a cache nor a package index is at hand."""
    from dfl_bench.data import fetch, sp500
    from dfl_bench.errors import DataError

    try:
        sp500.load()
    except DataError:
        try:
            fetch("sp500")
        except DataError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no S&P 500 data here: {error}")
    return sp500.cached()
