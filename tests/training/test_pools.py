import numpy as np
import pytest

from dfl_bench.contracts.task import Task
from dfl_bench.training import Pool
from tests.support.small import OFFLINE, small_problem


def task(name):
    problem = small_problem(name)
    data = problem.data(0)
    return Task(problem, data.train, data.val, 0)


def test_decisions_are_kept_once_in_the_order_they_came():
    pool = Pool(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    assert pool.decisions.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    first = pool.decisions
    assert pool.add(np.array([[0.0, 1.0], [1.0, 1.0], [-0.0, 1.0]])) == 1
    np.testing.assert_array_equal(pool.decisions[:2], first)
    assert len(pool) == 3


def test_a_pool_begins_with_something():
    with pytest.raises(ValueError, match="at least one decision"):
        Pool(np.empty((0, 3)))


@pytest.mark.parametrize("name", OFFLINE)
def test_the_best_of_a_pool_of_optima_is_the_optimum(name):
    given = task(name)
    pool = Pool.of(given)
    assert given.ledger.solves["label"] == len(given.train)
    costs = pool.costs(given, given.train.y)
    assert costs.shape == (len(given.train), len(pool))
    best = given.problem.optimal_cost(given.train.y, given.train.context)
    np.testing.assert_allclose(costs.min(1), best, atol=1e-8)
