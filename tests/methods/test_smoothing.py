"""What holds of smooth decisions, cones and neighbours, beside the conformance page."""

import itertools

import numpy as np
import pytest
import torch

from dfl_bench import methods
from dfl_bench.contracts.polytope import Polytope
from dfl_bench.contracts.task import Task
from dfl_bench.errors import NotApplicableError
from dfl_bench.methods import cvxpylayers
from dfl_bench.methods._relaxed import best_vertices, constraints, without_vertex
from dfl_bench.methods.cave import alignment, inwards
from dfl_bench.methods.csoftmax import constrained_softmax
from dfl_bench.methods.lava import Edges, adjacent_vertex
from dfl_bench.methods.lml import lml
from dfl_bench.methods.qptl_spo import smoothed_spo_plus
from dfl_bench.run.evaluate import evaluate_batch, evaluate_seed
from kernels.deferred import deferred
from kernels.errors import SolverError
from kernels.polytope import normals, project_cone, smoothed
from tests.methods.test_device import fake_device
from tests.support.device import assert_stays_on_device
from tests.support.small import OFFLINE, short_method, small_problem

SMOOTHING = {"qptl", "qptl-spo", "intopt", "cvxpylayers", "lml", "csoftmax"}
GEOMETRY = {"cave", "lava"}
LINEAR = [name for name in OFFLINE if without_vertex(small_problem(name)) is None]


def rows_of(problem, seed=0):
    """Outcomes of a seed's training rows as costs, and the best vertices for them."""
    y = problem.data(seed).train.to("cpu").y
    return problem.sign * y, best_vertices(problem, y)


def guesses(costs, n, seed=0):
    """Predicted costs (n, rows, d), some near the true ones and some far from them."""
    rng = np.random.default_rng(seed)
    width = np.geomspace(0.03, 3.0, n).reshape(-1, 1, 1)
    return costs + float(costs.std()) * torch.as_tensor(width * rng.standard_normal((n, *costs.shape)))


def cone_of(problem, best):
    """The normals at vertices, which are tight, and all normals at length one."""
    vectors, tight = normals(constraints(problem), best)
    return vectors, tight, torch.nn.functional.normalize(torch.as_tensor(vectors.matrix), dim=-1)


def test_the_families_are_complete():
    families = {name: methods.get(name).family for name in methods.names()}
    assert {name for name, family in families.items() if family == "smoothing"} == SMOOTHING
    assert {name for name, family in families.items() if family == "geometry"} == GEOMETRY
    assert {"shortest-path", "knapsack", "top-k", "matching"} <= set(LINEAR)


@pytest.mark.parametrize(("name", "setting", "value"), [
    ("qptl", "mu", 0.0), ("qptl", "mu", -1.0), ("qptl-spo", "mu", 0.0), ("cvxpylayers", "mu", float("nan")),
    ("intopt", "stop", 0.0), ("intopt", "damping", -1e-3), ("intopt", "form", "newton"),
    ("lml", "temperature", 0.0), ("csoftmax", "temperature", 0.0), ("csoftmax", "temperature", -1.0),
    ("cave", "variant", "inner"), ("lava", "margin", -0.1), ("lava", "changes", 0),
])  # fmt: skip
def test_settings_that_mean_nothing_are_refused(name, setting, value):
    with pytest.raises(ValueError, match=f"expected {setting} to be"):
        methods.get(name).Config(**{setting: value})


@pytest.mark.parametrize(("name", "problem", "reason"), [
    ("qptl", "budget", "the cost of budget is not linear in the decision; `dfl` differentiates it as it is"),
    ("qptl-spo", "inventory", "the cost of inventory is not linear in the decision"),
    ("intopt", "portfolio-synthetic", "the cost of portfolio-synthetic is not linear in the decision"),
    ("cave", "portfolio-synthetic", "the cost of portfolio-synthetic is not linear in the decision"),
    ("lava", "budget", "the cost of budget is not linear in the decision"),
    ("lml", "shortest-path", "the decisions of shortest-path are not k of n items"),
    ("lml", "inventory", "the decisions of inventory are not k of n items"),
    ("csoftmax", "matching", "the decisions of matching are not one of n items"),
    ("csoftmax", "budget", "the decisions of budget are not one of n items"),
])  # fmt: skip
def test_what_does_not_apply_says_why(name, problem, reason):
    with pytest.raises(NotApplicableError, match=reason):
        evaluate_seed(methods.get(name)(), small_problem(problem), 1000)


def test_a_choice_of_two_is_for_lml_and_not_for_csoftmax():
    problem = small_problem("top-k", k=2)
    assert methods.get("lml").not_applicable(problem) is None
    assert "not one of n items" in methods.get("csoftmax").not_applicable(problem)


def test_without_cvxpylayers_its_method_does_not_apply(monkeypatch):
    monkeypatch.setattr(cvxpylayers, "find_spec", lambda name: None)
    reason = methods.get("cvxpylayers").not_applicable(small_problem("top-k"))
    assert reason == "a layer for top-k needs cvxpylayers: install the extra [references]"


def with_polytope(problem, given):
    """The same problem with other constraints."""

    class Other(type(problem)):
        def polytope(self):
            return given

    return Other(problem.config)


def test_a_problem_without_constraints_is_refused():
    problem = with_polytope(small_problem("top-k"), None)
    for name in ("qptl", "cave", "lava"):
        reason = methods.get(name).not_applicable(problem)
        assert reason == "top-k does not give its decisions as linear constraints"
    assert "not k of n items" in methods.get("lml").not_applicable(problem)


def test_a_relaxation_that_is_no_knapsack_is_refused_where_its_best_vertex_is_needed():
    given = Polytope(equal=(np.ones((1, 50)), np.ones(1)), upper=np.ones(50), exact=False)
    problem = with_polytope(small_problem("top-k"), given)
    assert methods.get("qptl").not_applicable(problem) is None
    for name in GEOMETRY:
        reason = methods.get(name).not_applicable(problem)
        assert reason == "no kernel finds the best vertex of the relaxation of top-k: it is not a knapsack"


@pytest.mark.parametrize(("name", "settings", "why"), [
    ("qptl", {"mu": 1e-15}, "was not solved to its KKT conditions"),
    ("intopt", {"stop": 1e-200}, "did not reach stop"),
])  # fmt: skip
def test_what_an_interior_point_does_not_solve_is_an_error_that_names_rows(name, settings, why):
    problem = small_problem("shortest-path")
    method = short_method(name, problem, **settings)
    with pytest.raises(SolverError, match=rf"{why}.* on \d+ of 24 rows \(\(0, \d+\)"):
        evaluate_seed(method, problem, 1000)


def test_diffcp_gives_a_decision_where_there_is_none():
    """The reason for the check below."""
    given = Polytope(equal=(np.ones((1, 2)), np.array([3.0])), upper=np.ones(2))
    layer = cvxpylayers.compiled_layer(given, 0.1)
    z = layer(torch.zeros(1, 2, dtype=torch.float64, requires_grad=True))
    assert z.shape == (1, 2)


def test_what_cvxpylayers_does_not_solve_is_an_error_that_names_rows(monkeypatch):
    """diffcp hides the status of Clarabel: two rows are spoilt, one by a number and one by none."""

    def spoilt(*settings):
        bad = torch.tensor([[0.0], [0.5], [0.0], [torch.nan]], dtype=torch.float64)
        return lambda costs: smoothed(costs, constraints(problem), 0.1) + bad

    monkeypatch.setattr(cvxpylayers, "compiled_layer", spoilt)
    problem = small_problem("top-k", items=4)
    layer = cvxpylayers.checked_layer(problem, 0.1)
    with pytest.raises(SolverError, match=r"cvxpylayers did not solve 2 of 4 rows \(\(1,\), \(3,\)\)"):
        layer(torch.rand(4, 4, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize(("name", "setting"), [("qptl", "mu"), ("intopt", "stop")])
def test_a_smooth_decision_ends_at_the_best_one(name, setting):
    """With ever less smoothing; at the default it is somewhere else."""
    problem = small_problem("matching", size=4)
    costs, best = rows_of(problem)
    cls = methods.get(name)
    sharp, smooth = (cls(cls.Config(**s)).layer(problem)(costs) for s in ({setting: 1e-7}, {}))
    torch.testing.assert_close(sharp, best, rtol=0.0, atol=1e-5)
    assert (smooth - best).abs().max() > 0.1


@pytest.mark.parametrize("name", LINEAR)
def test_spo_plus_over_smooth_decisions_is_a_convex_bound_with_the_slope_it_claims(name):
    problem = small_problem(name)
    costs, _ = rows_of(problem)
    best, polytope, mu = problem.solve(costs), constraints(problem), 0.3
    loss = lambda hat: smoothed_spo_plus(hat, costs, best, polytope, mu)  # noqa: E731
    points = guesses(costs, 5)
    values = torch.stack([loss(p) for p in points])
    size = values.abs().max()
    assert (values >= -1e-9 * size).all() and size > 0.0
    for a, b in itertools.pairwise(points):
        assert (loss((a + b) / 2) <= (loss(a) + loss(b)) / 2 + 1e-9 * size).all()
    hat = points[3].clone().requires_grad_()
    (slope,) = torch.autograd.grad(loss(hat).sum(), hat)
    torch.testing.assert_close(slope, 2 * (best - smoothed(2 * points[3] - costs, polytope, mu)))


def test_regret_is_flat_where_spo_plus_is_not():
    """A smooth decision stays at its vertex once costs are far apart, also at a wrong one."""
    problem = small_problem("top-k", items=4)
    polytope, costs = constraints(problem), torch.tensor([[0.0, 1.0, 2.0, 3.0]], dtype=torch.float64)
    best = problem.solve(costs)
    hat = (-3.0 * costs).requires_grad_()
    regret = ((smoothed(hat, polytope, 0.1) - best) * costs).sum()
    assert regret.item() == pytest.approx(3.0)
    assert torch.autograd.grad(regret, hat)[0].abs().max() == 0.0
    bound = smoothed_spo_plus(hat, costs, best, polytope, 0.1).sum()
    assert torch.autograd.grad(bound, hat)[0].tolist() == [[2.0, 0.0, 0.0, -2.0]]


def in_other_units(problem, factor):
    """The same problem, its outcomes and label scale multiplied."""

    class Other(type(problem)):
        def outcomes(self, rows):
            y, expected = super().outcomes(rows)
            return factor * y, factor * expected

        def label_scale(self, train):
            return factor * super().label_scale(train)

    return Other(problem.config)


@pytest.mark.parametrize("name", ["qptl", "qptl-spo", "intopt", "lava", "cave"])
def test_the_unit_of_outcomes_changes_nothing(name):
    """By a power of two: what differs comes from the epsilon of Adam."""
    problems = [in_other_units(small_problem("shortest-path"), factor) for factor in (1.0, 1024.0)]
    first, second = (evaluate_batch(short_method(name, p), p, [1000])[0] for p in problems)
    np.testing.assert_allclose(1024.0 * first.predictions, second.predictions, rtol=1e-4, atol=1e-2)


def test_lml_keeps_its_sum_and_stays_finite_at_extremes():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(40, 12, dtype=torch.float64, generator=rng) * torch.logspace(-6, 8, 40)[:, None]
    x[0] = 0.0
    for k in (1, 5, 11):
        point = x.clone().requires_grad_()
        z = lml(point, k)
        torch.testing.assert_close(z.sum(-1), torch.full_like(x[:, 0], k), atol=1e-9, rtol=0.0)
        (slope,) = torch.autograd.grad((z * x).sum(), point)
        assert slope.isfinite().all()
    with pytest.raises(ValueError, match="expected 1 <= k < 12 items, got 12"):
        lml(x, 12)


def test_caps_that_leave_no_shares_are_refused():
    x = torch.zeros(2, 3, dtype=torch.float64)
    for caps in ([0.2, 0.2, 0.2], [-0.5, 1.0, 1.0]):
        with pytest.raises(ValueError, match="expected caps of at least 0 with a sum of at least 1"):
            constrained_softmax(x, torch.tensor(caps, dtype=torch.float64))


def test_caps_at_their_limits():
    """Caps that sum to one leave no choice; a cap of zero takes an entry out; large x stay finite."""
    x = torch.tensor([[900.0, -900.0, 3.0]], dtype=torch.float64, requires_grad=True)
    full = torch.tensor([0.25, 0.25, 0.5], dtype=torch.float64)
    z = constrained_softmax(x, full)
    torch.testing.assert_close(z, full[None])
    assert torch.autograd.grad(z.square().sum(), x)[0].abs().max() == 0.0
    out = constrained_softmax(x, torch.tensor([0.0, 1.0, 1.0], dtype=torch.float64))
    torch.testing.assert_close(out, torch.tensor([[0.0, 0.0, 1.0]], dtype=torch.float64))
    assert torch.autograd.grad(out.square().sum(), x)[0].isfinite().all()


@pytest.mark.parametrize("name", LINEAR)
def test_the_truth_is_in_its_cone_and_beats_its_neighbours(name):
    problem = small_problem(name)
    costs, best = rows_of(problem)
    vectors, tight, _ = cone_of(problem, best)
    assert alignment(-costs, project_cone(-costs, vectors, tight)).abs().max() <= 1e-9
    edges = Edges(constraints(problem), best, 4 if name == "matching" else None).of(None)
    assert adjacent_vertex(costs, *edges, 0.0).abs().max() <= 1e-9
    wrong = adjacent_vertex(-costs, *edges, 0.0)
    assert (wrong >= 0.0).all() and wrong.max() > 0.0


@pytest.mark.parametrize("name", LINEAR)
def test_three_steps_end_inside_the_cone_and_the_mean_points_there(name):
    problem = small_problem(name)
    costs, best = rows_of(problem)
    vectors, tight, units = cone_of(problem, best)
    middle = tight.double() @ units
    q = -guesses(costs, 3)[2]
    nearest, inner = (project_cone(q, vectors, tight, steps=steps) for steps in (None, 3))
    angle = lambda p: alignment(p, middle).mean()  # noqa: E731
    assert angle(inner) < angle(nearest) and angle(inwards(q, units, tight)) < angle(q)
    assert alignment(inner, project_cone(inner, vectors, tight)).abs().max() <= 1e-9  # a point of the cone


def test_an_angle_has_no_unit_and_no_slope_at_zero():
    q = torch.tensor([[0.0, 0.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    point = torch.tensor([[1.0, 0.0], [4.0, 3.0]], dtype=torch.float64)
    loss = alignment(q, point)
    torch.testing.assert_close(loss, torch.tensor([1.0, 0.04], dtype=torch.float64))
    torch.testing.assert_close(loss[1], alignment(1e-3 * q, 1e3 * point)[1])
    assert torch.autograd.grad(loss.sum(), q)[0].isfinite().all()
    assert alignment(q, torch.zeros_like(point)).tolist() == [1.0, 1.0]


def test_a_margin_leaves_out_neighbours_that_are_beaten_clearly():
    edges = torch.tensor([[[1.0, -1.0], [0.0, -1.0], [9.0, 9.0]]], dtype=torch.float64)  # the last is padding
    costs = torch.tensor([[0.3, 0.35]], dtype=torch.float64, requires_grad=True)
    loss = adjacent_vertex(costs, edges, torch.tensor([2.0], dtype=torch.float64), 0.1)
    assert loss.item() == pytest.approx((-0.05 - 0.1) / 2)
    (slope,) = torch.autograd.grad(loss.sum(), costs)
    assert slope.tolist() == [[0.5, -0.5]]


def test_too_few_changes_leave_no_neighbour():
    problem = small_problem("shortest-path")
    _, best = rows_of(problem)
    with pytest.raises(ValueError, match="expected neighbours of all vertices, got none with changes=2"):
        Edges(constraints(problem), best, 2)


def solves(name, problem, **settings):
    """Solved instances of a fit: labels, and steps without the two validations."""
    data = problem.data(1000)
    task = Task(problem, data.train, data.val, 1000)
    method = short_method(name, problem, validate_every=30, batch=8, **settings)
    method.fit(task, np.random.default_rng(0))
    return task.ledger.solves["label"], task.ledger.solves["train"] - 2 * len(data.val)


@pytest.mark.parametrize("name", ["qptl", "qptl-spo", "intopt", "lml", "csoftmax"])
def test_smooth_decisions_are_counted_as_solves(name):
    assert solves(name, small_problem("top-k")) == (24, 30 * 8)


@pytest.mark.parametrize("problem", ["top-k", "knapsack"])
@pytest.mark.parametrize(("name", "settings"), [
    ("cave", {"variant": "exact"}), ("cave", {}), ("cave", {"variant": "hybrid"}), ("lava", {}),
])  # fmt: skip
def test_geometry_solves_nothing_while_it_trains(name, settings, problem):
    assert solves(name, small_problem(problem), **settings) == (24, 0)


def test_seeds_of_the_hybrid_draw_for_themselves():
    problem = small_problem("shortest-path")
    method = short_method("cave", problem, variant="hybrid")
    together = evaluate_batch(method, problem, [1000, 1001])
    for seed, result in zip((1000, 1001), together, strict=True):
        (alone,) = evaluate_batch(method, problem, [seed])
        np.testing.assert_allclose(result.predictions, alone.predictions, rtol=1e-6, atol=1e-6)
    plus = evaluate_seed(short_method("cave", problem), problem, 1000)
    assert abs(plus.predictions - together[0].predictions).max() > 1e-3


@pytest.mark.parametrize("name", ["qptl", "intopt", "lml", "csoftmax"])
def test_a_step_through_a_layer_mixes_no_devices(name):
    problem = small_problem("top-k", items=6)
    costs, _ = rows_of(problem)
    layer = methods.get(name)().layer(problem)
    with fake_device() as fake, deferred():
        y_hat = fake(costs).requires_grad_()
        z = layer(y_hat)
        (slope,) = torch.autograd.grad(z.square().sum(), y_hat)
        assert z.device.type == slope.device.type == "meta"


def test_a_step_of_spo_plus_over_smooth_decisions_mixes_no_devices():
    problem = small_problem("top-k", items=6)
    costs, best = rows_of(problem)
    polytope = constraints(problem)
    with fake_device() as fake, deferred():
        hat = fake(costs).requires_grad_()
        loss = smoothed_spo_plus(hat, fake(costs), fake(best), polytope, 0.1)
        (slope,) = torch.autograd.grad(loss.sum(), hat)
        assert loss.device.type == slope.device.type == "meta"


@pytest.mark.parametrize("variant", ["exact", "plus", "hybrid"])
def test_a_step_towards_a_cone_mixes_no_devices(variant):
    problem = small_problem("top-k", items=6)
    costs, best = (values.unsqueeze(0) for values in rows_of(problem))
    vectors, tight, _ = cone_of(problem, best)
    cave = methods.get("cave")
    target = cave(cave.Config(variant=variant)).target(vectors, [np.random.default_rng(0)])
    with fake_device() as fake, deferred():
        q = fake(costs).requires_grad_()
        loss = alignment(q, target(q.detach(), fake(tight)))
        (slope,) = torch.autograd.grad(loss.sum(), q)
        assert loss.device.type == slope.device.type == "meta"


def test_losses_on_tensors_stay_on_the_device():
    x, count = torch.rand(2, 3, 5, dtype=torch.float64), torch.ones(2, 3, dtype=torch.float64)
    units = torch.nn.functional.normalize(torch.rand(7, 5, dtype=torch.float64), dim=-1)
    assert_stays_on_device(alignment, x, x.flip(-1).clone())
    assert_stays_on_device(inwards, x, units, torch.rand(2, 3, 7) > 0.5)
    assert_stays_on_device(lambda c, e, n: adjacent_vertex(c, e, n, 0.1), x, x[..., None, :].clone(), count)
    assert_stays_on_device(lambda x: lml(x, 2), x)
