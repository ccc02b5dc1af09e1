"""Scores of references. Those of methods that train are compared where they are made, in their contract."""

import pytest

from dfl_bench import methods
from dfl_bench.contracts.method import Reference
from tests.golden.scores import PAIRS, assert_as_saved, fit, name_of, saved

REFERENCES = [pair for pair in PAIRS if issubclass(methods.get(pair[0]), Reference)]


@pytest.mark.parametrize(("method", "problem"), REFERENCES)
def test_code_that_changes_a_score_raises_a_version(method, problem):
    assert_as_saved(method, problem, fit(method, problem))


def test_no_score_is_kept_that_no_code_makes():
    assert saved().keys() == {name_of(*pair) for pair in PAIRS}
