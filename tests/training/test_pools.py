import numpy as np
import pytest
import torch

from dfl_bench.training import Pool
from tests.support.small import OFFLINE, small_problem


def rows_of(name):
    problem = small_problem(name)
    train = problem.data(0).train.to("cpu")
    return problem, train, problem.decide(train.y, train.context)


def paths(*which):
    """Decisions of a grid of 2 × 2 nodes: arcs right, down, down, right."""
    both = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]], dtype=torch.float64)
    return both[list(which)]


def test_decisions_are_kept_once_in_the_order_they_came():
    pool = Pool(small_problem("shortest-path", side=2), {}, paths(0, 0))
    assert pool.best.tolist() == [0, 0] and len(pool) == 1
    assert pool.add(torch.cat([paths(1, 0, 1), -0.0 * paths(0)])) == [1, 0, 1, 2]
    torch.testing.assert_close(pool.decisions, torch.cat([paths(0, 1), 0.0 * paths(0)]))
    assert pool.add(0.0 * paths(0)) == [2] and len(pool) == 3


def test_a_pool_begins_with_something():
    with pytest.raises(ValueError, match="at least one decision"):
        Pool(small_problem("shortest-path", side=2), {}, paths())


def test_a_limit_leaves_out_what_comes_later():
    pool = Pool(small_problem("shortest-path", side=2), {}, paths(1))
    assert pool.add(paths(0, 1), limit=1) == [-1, 0] and len(pool) == 1
    assert pool.add(paths(0, 1), limit=2) == [1, 0] and len(pool) == 2


@pytest.mark.parametrize("name", OFFLINE)
def test_costs_are_those_of_the_problem_decision_by_decision(name):
    problem, train, best = rows_of(name)
    pool = Pool(problem, train.context, best)
    rng = np.random.default_rng(0)
    y = problem.project(train.y + float(train.y.std()) * torch.as_tensor(rng.standard_normal(train.y.shape)))
    pool.add(problem.decide(y, train.context))  # grown: every part of the pool must be priced
    index = torch.tensor([3, 0, 3])
    context = {key: values[index] for key, values in train.context.items()}
    costs, differences = pool.costs(y[index], index), pool.differences(y[index], train.y[index], index)
    assert costs.shape == differences.shape == (3, len(pool))
    for place, z in enumerate(pool.decisions):
        each = z.expand(3, *z.shape)
        expected = problem.cost(each, y[index], context)
        torch.testing.assert_close(costs[:, place], expected, rtol=1e-9, atol=1e-9)
        expected = expected - problem.cost(each, train.y[index], context)
        torch.testing.assert_close(differences[:, place], expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(pool.costs(y, None)[index], costs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", OFFLINE)
def test_the_best_of_a_pool_of_optima_is_the_optimum(name):
    problem, train, best = rows_of(name)
    pool = Pool(problem, train.context, best)
    torch.testing.assert_close(pool.decisions[pool.best], best)
    costs = pool.costs(train.y, None)
    optimum = problem.optimal_cost(train.y, train.context)
    np.testing.assert_allclose(costs.min(1).values, optimum, atol=1e-8)
    np.testing.assert_allclose(costs[torch.arange(len(costs)), pool.best], optimum, atol=1e-8)


class Priced(type(small_problem("shortest-path"))):
    """A path whose arcs have a price in every row: the cost is linear, but in each row another function."""

    def cost(self, z, y, context):
        return (context["price"] * y * z).sum(-1)

    def embed(self, z, context):
        return context["price"] * z


class Single(type(small_problem("shortest-path"))):
    """Decisions of single precision, as `(rank < k) * 1.0` gives them in torch."""

    def embed(self, z, context):
        return z.float()


def test_decisions_of_single_precision_are_priced_in_double():
    pool = Pool(Single(small_problem("shortest-path", side=2).config), {}, paths(0, 1).float())
    costs = pool.costs(torch.full((1, 4), 0.1, dtype=torch.float64), None)
    assert costs.dtype == torch.float64 and costs.tolist() == [[0.2, 0.2]]


def test_a_function_of_its_own_for_every_row_is_priced_row_by_row():
    problem = Priced(small_problem("shortest-path", side=2).config)
    context = {"price": torch.tensor([[1.0] * 4, [2.0, 1.0, 2.0, 1.0]], dtype=torch.float64)}
    pool = Pool(problem, context, paths(0, 1))
    y = torch.ones(2, 4, dtype=torch.float64)
    assert pool.costs(y, None).tolist() == [[2.0, 2.0], [4.0, 2.0]]
    assert pool.costs(y[:1], torch.tensor([1])).tolist() == [[4.0, 2.0]]
