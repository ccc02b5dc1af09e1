import numpy as np
import pytest
import torch

from kernels import polytope
from kernels.deferred import deferred
from kernels.errors import SolverError
from kernels.polytope import (
    Polytope,
    cone_tensors,
    device,
    homogeneous_tensors,
    quadratic_tensors,
    tensors,
)
from tests.kernels.polytope_cases import CASES, costs_of
from tests.support.device import assert_stays_on_device

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def both(name, costs, *settings):
    """Decisions and products with a gradient, by Numba and by the tensors that serve other devices."""
    grad = np.random.default_rng(5).normal(size=costs.shape)
    z, vjp = getattr(polytope.host, name)(costs, *settings)
    z_device, vjp_device = getattr(device, name)(torch.tensor(costs), *settings)
    return (z, vjp(grad)), (z_device.numpy(), vjp_device(torch.tensor(grad)).numpy())


@EVERY
@pytest.mark.parametrize("mu", [10.0, 0.5, 1e-2, 1e-5])
def test_smoothed_decisions_and_derivatives_are_those_of_numba(case, mu):
    p = case()
    costs = costs_of(p, rows=12).reshape(3, 4, -1)
    for c in (costs, np.rint(2 * costs)):
        ours, theirs = both("smoothed", c, p, mu)
        np.testing.assert_allclose(theirs[0], ours[0], atol=1e-9)
        np.testing.assert_allclose(mu * theirs[1], mu * ours[1], atol=1e-9)


@EVERY
@pytest.mark.parametrize("form", ["hsd", "kkt"])
@pytest.mark.parametrize("stop", [10.0, 0.1, 1e-4])
def test_paths_and_their_derivatives_are_those_of_numba(case, stop, form):
    p = case()
    ours, theirs = both("barrier", costs_of(p), p, stop, 0.01, form)
    np.testing.assert_allclose(theirs[0], ours[0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(theirs[1], ours[1], rtol=1e-6, atol=1e-8)


@EVERY
def test_cones_are_those_of_numba(case):
    p = case()
    rng = np.random.default_rng(0)
    q, tight = rng.normal(size=(4, 3, len(p))), rng.random((3, len(p.normals))) < 0.6
    for steps in (None, 0, 3):
        found = device.project(torch.tensor(q), p.normals, torch.tensor(tight), steps, (4, 3))
        np.testing.assert_allclose(found, polytope.project_cone(q, p.normals, tight, steps=steps), atol=1e-8)
    origin = device.project(torch.zeros(2, len(p)), p.normals, torch.tensor(tight[:2]), None, (2,))
    assert not origin.any()


def test_tight_normals_are_those_of_numpy():
    p = CASES["top_k"]()
    z = torch.zeros(2, 12, dtype=torch.float64)
    z[:, 4:7] = 1.0
    np.testing.assert_array_equal(device.tight(p, z, 1e-6), polytope.normals(p, z.numpy())[1])


@pytest.mark.parametrize("case", ["knapsack", "matching"])  # with and without upper bounds
def test_nothing_leaves_the_device(case):
    p = CASES[case]()
    costs, mu = torch.tensor(costs_of(p)), torch.full((6, 1), 0.5, dtype=torch.float64)
    scaled = tensors.constraints(p, costs.device, scaled=True)
    as_given = tensors.constraints(p, costs.device, scaled=False)

    def smooth(costs, mu, *parts):
        p = tensors.Constraints(*parts)
        z, free, tight, solved = quadratic_tensors.solve(costs, mu, p)
        return z, free, tight, solved, quadratic_tensors.vjp(costs, free, tight, p, 0.5)

    def path(costs, *parts):
        p = tensors.Constraints(*parts)
        z, delta, ratio, status = homogeneous_tensors.follow(costs, p, 0.1)
        return z, status, *(homogeneous_tensors.vjp(costs, costs, z, delta, ratio, p, 0.1, t) for t in (0, 1))

    z, *_, solved, slope = assert_stays_on_device(smooth, costs, mu, *scaled)
    assert solved.all() and slope.shape == z.shape
    z, status, *_ = assert_stays_on_device(path, costs, *as_given)
    assert not status.any()
    np.testing.assert_allclose(z, polytope.barrier(costs, p, 0.1, 0.1), atol=1e-9)


def test_no_cone_leaves_the_device():
    rays = torch.nn.functional.normalize(torch.randn(7, 4, dtype=torch.float64))
    q = torch.nn.functional.normalize(torch.randn(5, 4, dtype=torch.float64))
    tight = torch.rand(5, 7) < 0.7
    nearest, solved = assert_stays_on_device(cone_tensors.nearest, q, tight, rays)
    assert solved.all()
    np.testing.assert_allclose(nearest, polytope.project_cone(q, rays, tight), atol=1e-8)
    inner, *_ = assert_stays_on_device(lambda *given: cone_tensors.inside(*given, 3), q, tight, rays)
    np.testing.assert_allclose(inner, polytope.project_cone(q, rays, tight, steps=3), atol=1e-8)


def test_a_layer_on_a_device_that_only_has_shapes():
    p = CASES["knapsack"]()
    costs = torch.zeros(3, 10, device="meta", requires_grad=True)
    tight = torch.zeros(3, len(p.normals), dtype=torch.bool, device="meta")
    with deferred():
        for z in (polytope.smoothed(costs, p, 0.5), polytope.barrier(costs, p, 0.1, 0.1)):
            assert z.device.type == "meta" and z.dtype == torch.float32
            (slope,) = torch.autograd.grad(z.sum(), costs)
            assert slope.shape == costs.shape and slope.dtype == torch.float32
        assert polytope.normals(p, costs)[1].device.type == "meta"
        assert polytope.project_cone(costs, p.normals, tight).device.type == "meta"
        assert polytope.project_cone(costs, p.normals, np.ones(len(p.normals), bool)).shape == (3, 10)
    with pytest.raises(ValueError, match=r"expected tight on meta, got cpu"):
        polytope.project_cone(costs, p.normals, torch.ones(len(p.normals), dtype=torch.bool))
    with pytest.raises(TypeError, match="expected bool for tight"):
        polytope.project_cone(costs, p.normals, tight.float())


def test_checks_wait_until_they_are_settled():
    p = CASES["box"]()
    bad = torch.full((2, 5), torch.nan, dtype=torch.float64)
    for run, match in (
        (lambda: device.smoothed(bad, p, 1.0), "finite costs"),
        (lambda: device.barrier(bad, p, 0.1, 0.1, "kkt"), "finite costs"),
        (lambda: device.tight(p, bad, 1e-6), "finite z"),
        (lambda: device.tight(p, torch.full((2, 5), 9.0), 1e-6), "2 of 2 decisions"),
        (lambda: device.project(bad, p.normals, torch.ones(10, dtype=torch.bool), None, (2,)), "finite q"),
    ):
        with deferred() as checks:
            run()
            with pytest.raises(ValueError, match=match):
                checks.settle()


def test_unsolved_rows_are_named():
    p = Polytope(equal=(np.array([[1.0, -1.0]]), np.zeros(1)))
    costs = torch.tensor([[1.0, 1.0], [-1.0, -1.0]], dtype=torch.float64)
    with pytest.raises(SolverError, match=r"no optimum on 1 of 2 rows \(\(1,\)\)"):
        device.barrier(costs, p, 1e-9, 0.1, "kkt")
    with pytest.raises(SolverError, match=r"stop = 1e-300 on 1 of 1 rows \(\(0,\)\)"):
        device.barrier(costs[:1], p, 1e-300, 0.1, "kkt")
    p = CASES["matching"]()
    with pytest.raises(SolverError, match=r"1 of 2 rows \(\(1,\)\); costs are too large beside mu"):
        device.smoothed(torch.tensor(costs_of(p, rows=2)) * torch.tensor([[1.0], [1e18]]), p, 1.0)


def test_rows_go_in_blocks(monkeypatch):
    p = CASES["grid"]()
    costs = torch.tensor(costs_of(p))
    whole = device.smoothed(costs, p, 0.5)[0], device.barrier(costs, p, 0.1, 0.1, "hsd")[0]
    monkeypatch.setattr(tensors, "CHUNK", 2 * p.normals.n_lines * len(p))
    np.testing.assert_allclose(device.smoothed(costs, p, 0.5)[0], whole[0], atol=1e-12)
    z, vjp = device.barrier(costs, p, 0.1, 0.1, "hsd")
    np.testing.assert_allclose(z, whole[1], atol=1e-12)
    assert vjp(costs).shape == costs.shape


@pytest.mark.parametrize("lead", [(0,), (2, 0), ()])
def test_empty_and_single_batches(lead):
    p = CASES["top_k"]()
    costs = torch.zeros(*lead, 12, dtype=torch.float64)
    for z, vjp in (device.smoothed(costs, p, 1.0), device.barrier(costs, p, 0.1, 0.1, "hsd")):
        assert z.shape == vjp(costs).shape == costs.shape
    assert device.project(costs, p.normals, torch.ones(len(p.normals)) > 0, None, lead).shape == costs.shape


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@EVERY
def test_cuda_agrees_with_numba(case):
    p = case()
    costs = torch.tensor(costs_of(p), requires_grad=True)
    for run in (lambda c: polytope.smoothed(c, p, 0.5), lambda c: polytope.barrier(c, p, 0.1, 0.1)):
        z, away = run(costs), run(costs.cuda())
        assert away.device.type == "cuda"
        np.testing.assert_allclose(away.detach().cpu(), z.detach(), atol=1e-9)
        ours, theirs = (torch.autograd.grad(d.square().sum(), costs, retain_graph=True)[0] for d in (z, away))
        np.testing.assert_allclose(theirs, ours, atol=1e-7)
