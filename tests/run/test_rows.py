"""Which rows can carry a score."""

import dataclasses

import numpy as np
import pytest

from dfl_bench.contracts.split import Splits
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem
from dfl_bench.problems.inventory import Inventory
from dfl_bench.run.rows import digests, make_again


def again(problem):
    return make_again(problem, 1000, digests(problem.data(1000)))


def test_rows_that_decide_nothing_may_be_alike():
    """Without fakes all instances of zeros have the same features; a score does not see them."""
    problem = make_problem("budget", fake_targets=0, n_train=50, n_val=50, n_test=50)
    splits = again(problem)
    zeros = ~splits.test.y.any((1, 2))
    assert zeros.sum() > 3 and len(np.unique(splits.test.x[zeros], axis=0)) == 1


def leaky(problem, row):
    """The problem with a test row that is the first training row with a pair."""
    source = int(np.flatnonzero(problem.data(1000).train.y.any((1, 2)))[0])
    data = problem.data

    def changed(seed):
        splits = data(seed)
        for name in ("x", "y"):
            getattr(splits.test, name)[row] = getattr(splits.train, name)[source]
        return splits

    problem.data = changed
    return problem


def test_rows_that_decide_may_not():
    problem = leaky(make_problem("budget", fake_targets=0, n_train=50, n_val=50, n_test=50), 7)
    with pytest.raises(
        DataError, match=r"1 of 50 test rows of budget are train rows, too \(first: test row 7\)"
    ):
        again(problem)


def test_a_reference_that_is_not_the_costliest_excuses_nothing():
    class Idle(Inventory):
        """Its reference is the best order: a reference regret of 0 does not mean that nothing is decided."""

        name = "idle"

        def worst(self, y, context):
            return self.decide(y, context)

        def data(self, seed):
            splits = super().data(seed)
            return Splits(splits.train, splits.val, dataclasses.replace(splits.train))

    with pytest.raises(DataError, match="8 of 8 test rows of idle are train rows"):
        again(Idle(Inventory.Config(n_rows=10)))
