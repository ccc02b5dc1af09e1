"""A parametrized cvxpy model as a problem, with cvxpy's own values as the measure."""

import pickle

import cvxpy as cp
import numpy as np
import pytest
import torch

import dfl_bench
from dfl_bench.errors import DflBenchError
from tests.support.own import mix, rows


def test_decisions_and_costs_are_those_of_the_model():
    problem = mix()
    y = problem.data(1000).test.y
    z = problem.decide(y, {})
    share, gain = cp.Variable(3), cp.Parameter(3)
    model = cp.Problem(
        cp.Maximize(gain @ share - 0.5 * cp.sum_squares(share)), [cp.sum(share) == 1, share >= 0]
    )
    for decision, outcome, cost in zip(z, y, problem.cost(z, y, {}), strict=True):
        gain.value = outcome
        best = model.solve(solver="CLARABEL")
        np.testing.assert_allclose(decision, share.value, atol=1e-6)
        assert cost == pytest.approx(-best, abs=1e-7)
    tensors = torch.from_numpy(np.stack([y, y]))
    np.testing.assert_array_equal(problem.decide(tensors, {}).numpy(), np.stack([z, z]))


OBJECTIVES = {
    "bilinear": lambda z, p, q: p @ z + q @ z,
    "in both": lambda z, p, q: p @ z + 2 * cp.sum(p) - 3.0,
    "quadratic": lambda z, p, q: cp.sum_squares(z - p) + q @ z,
    "matrix": lambda z, p, q: cp.quad_form(z, np.diag([1.0, 2.0, 3.0]), assume_PSD=True) - p @ z + cp.sum(q),
}
GENERAL = {
    "absolute": lambda z, p, q: cp.norm1(z - p),
    "exponential": lambda z, p, q: cp.sum(cp.exp(z)) + p @ z,
}


def with_context(objective):
    x, y = rows(n=12, outcomes=3)
    z, p, q = cp.Variable(3), cp.Parameter(3, name="p"), cp.Parameter(3, name="q")
    model = cp.Problem(cp.Minimize(objective(z, p, q) + 0 * cp.sum(q)), [cp.sum(z) == 1, z >= 0])
    return dfl_bench.from_cvxpy(model, p, x, y, context={q: y[::-1]}), (z, p, q, model)


@pytest.mark.parametrize("name", [*OBJECTIVES, *GENERAL])
def test_the_cost_is_the_objective_and_has_its_gradient(name):
    problem, (z, p, q, model) = with_context((OBJECTIVES | GENERAL)[name])
    assert (problem._objective is None) == (name in GENERAL)
    part, rng = problem.data(1000).test, np.random.default_rng(0)
    decisions = rng.standard_normal((len(part), 3))
    costs = problem.cost(decisions, part.y, part.context)
    tensors = part.to("cpu")
    given = torch.from_numpy(decisions).requires_grad_()
    (slope,) = torch.autograd.grad(problem.cost(given, tensors.y, tensors.context).sum(), [given])
    for i, decision in enumerate(decisions):
        z.value, p.value, q.value = decision, part.y[i], part.context["q"][i]
        assert costs[i] == pytest.approx(model.objective.expr.value, rel=1e-9)
        np.testing.assert_allclose(
            slope[i], model.objective.expr.grad[z].toarray()[:, 0], rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize("name", ["bilinear", "in both", "matrix"])
def test_a_cost_that_is_linear_in_the_outcome_is_taken_apart(name):
    problem, _ = with_context(OBJECTIVES[name])
    part, rng = problem.data(1000).test, np.random.default_rng(0)
    z = rng.standard_normal((len(part), 3))
    assert problem.offers("embed")
    parts = (part.y * problem.embed(z, part.context)).sum(-1) + problem.known(z, part.context)
    np.testing.assert_allclose(parts, problem.cost(z, part.y, part.context), atol=1e-9)
    assert not with_context(OBJECTIVES["quadratic"])[0].offers("embed")


def test_a_model_without_a_known_part_offers_none():
    assert not mix(linear=True).offers("known") and mix().offers("known")


@pytest.mark.slow
def test_the_layer_differentiates_the_decision():
    problem = mix()
    y = torch.tensor([[1.0, 1.2, 0.9]], dtype=torch.float64, requires_grad=True)
    z = problem.decision_layer(y, {})
    np.testing.assert_allclose(z.detach(), problem.decide(y, {}), atol=1e-5)
    (slope,) = torch.autograd.grad(z[0, 0], [y])
    moved = [problem.decide(y.detach() + side * torch.tensor([1e-3, 0.0, 0.0]), {})[0, 0] for side in (1, -1)]
    assert slope[0, 0] == pytest.approx(float(moved[0] - moved[1]) / 2e-3, abs=1e-3)
    assert mix(linear=True).decision_layer(y, {}) is None  # a linear program has corners, not slopes


def test_integer_models_are_solved():
    x, y = rows(n=12, outcomes=4)
    take, value = cp.Variable(4, boolean=True), cp.Parameter(4)
    model = cp.Problem(cp.Maximize(value @ take), [np.array([1.0, 2.0, 3.0, 4.0]) @ take <= 5])
    problem = dfl_bench.from_cvxpy(model, value, x, y)
    z = problem.decide(y, {})
    assert set(np.round(z.ravel(), 9)) == {0.0, 1.0} and not problem.offers("decision_layer")


def test_a_nonnegative_parameter_bounds_predictions():
    x, y = rows(n=12)
    z, p = cp.Variable(), cp.Parameter(nonneg=True)
    problem = dfl_bench.from_cvxpy(cp.Problem(cp.Minimize(p * z + cp.square(z)), [z >= -1]), p, x, y)
    assert problem.project(np.array([[-1.0]])) == 0.0 and problem.squeezed


def test_a_problem_travels_and_solves_there():
    problem = mix()
    y = problem.data(1000).test.y
    again = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(again.decide(y + 1.0, {}), problem.decide(y + 1.0, {}))


def test_keys_follow_the_model():
    assert mix().source_digest == mix().source_digest
    assert mix().source_digest != mix(linear=True).source_digest
    assert mix().source_digest != mix(solver="SCS").source_digest


@pytest.mark.slow
def test_processes_give_the_same_decisions():
    alone, shared = mix(), mix(workers=2)
    y = alone.data(1000).train.y + 0.5
    np.testing.assert_array_equal(shared.decide(y, {}), alone.decide(y, {}))


def refused(objective=None, constraints=(), error=ValueError, match="", y=None, **settings):
    x, usual = rows(n=8, outcomes=2)
    z, p = cp.Variable(2), cp.Parameter(2, name="price")
    built = objective(z, p) if objective else cp.Minimize(p @ z)
    rules = [rule(z, p) for rule in constraints]
    with pytest.raises(error, match=match):
        dfl_bench.from_cvxpy(cp.Problem(built, rules), p, x, usual if y is None else y, **settings)


def test_bad_models_are_named():
    box = (lambda z, p: z >= 0, lambda z, p: z <= 1)
    refused(lambda z, p: cp.Minimize(cp.sum(cp.multiply(p[0] * p, z))), box, match="not DPP in its objective")
    refused(None, (*box, lambda z, p: p[0] * p[1] * z[0] <= 3), match=r"not DPP in constraint 2")
    refused(lambda z, p: cp.Minimize(-cp.sum_squares(z) + p @ z), box, match=r"not convex .*its objective")
    y = rows(n=8, outcomes=2)[1]
    y[5] = [-4.0, 1.0]
    refused(
        None, (*box, lambda z, p: cp.sum(z) >= -p[0]), DflBenchError, r"infeasible for row 5 .*relax them", y
    )
    refused(None, (lambda z, p: z >= 0,), DflBenchError, r"unbounded for row 5 .*bound its variables", y)
    refused(None, box, match=r"expected 2 numbers in each row of y", y=np.ones((8, 3)))
    refused(
        None, box, match=r"no other parameter 'prize'\. Did you mean 'price'\?", context={"prize": np.ones(8)}
    )
    refused(
        None, box, DflBenchError, r"the solver HIGS is not installed\. Did you mean 'HIGHS'\?", solver="HIGS"
    )


def test_a_parameter_without_a_value_is_named():
    x, y = rows(n=8)
    z, p, q = cp.Variable(), cp.Parameter(), cp.Parameter(name="limit")
    model = cp.Problem(cp.Minimize(p * z), [z >= -q])
    with pytest.raises(
        ValueError, match=r"the parameter limit of the model has no value: set it, or give context"
    ):
        dfl_bench.from_cvxpy(model, p, x, y)
    with pytest.raises(ValueError, match="expected a parameter of the model"):
        dfl_bench.from_cvxpy(model, cp.Parameter(), x, y)


def test_an_integer_model_without_a_solver_is_named():
    x, y = rows(n=8)
    z, p = cp.Variable(integer=True), cp.Parameter()
    model = cp.Problem(cp.Minimize(cp.exp(z) + p * z), [z >= -2, z <= 2])
    with pytest.raises(
        DflBenchError, match=r"no solver for a cvxpy model with integer variables .*pass solver="
    ):
        dfl_bench.from_cvxpy(model, p, x, y)
