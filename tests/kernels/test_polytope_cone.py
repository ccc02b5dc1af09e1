import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.polytope import Normals, host, normals, project_cone
from tests.kernels.polytope_cases import CASES, costs_of, polytopes
from tests.reference import polytope as reference


def vertices(p, rows=6):
    """0/1 decisions: best ones of random costs, of the knapsack without the item that does not fit."""
    z = np.stack([_vertex(p, c) for c in costs_of(p, rows)])
    return np.where(abs(z - np.rint(z)) < 1e-7, np.rint(z), np.floor(z))


def _vertex(p, c):
    from scipy.optimize import linprog

    bounds = list(zip(np.zeros(len(c)), p.upper, strict=True))
    return linprog(c, A_ub=p.at_most[0], b_ub=p.at_most[1], A_eq=p.equal[0], b_eq=p.equal[1], bounds=bounds).x


def nearest(q, matrix, tight):
    return np.stack([reference.nearest(row, matrix[mask]) for row, mask in zip(q, tight, strict=True)])


@pytest.mark.parametrize("case", ["grid", "knapsack", "top_k", "matching", "box"])
def test_tight_normals_of_decisions(case):
    p = CASES[case]()
    z = vertices(p)
    cone, tight = normals(p, z)
    (a, _), (g, h) = p.equal, p.at_most
    n, lines, bounded = len(p), len(a), np.isfinite(p.upper)
    assert tight.shape == (6, len(cone)) and tight.dtype == bool
    np.testing.assert_array_equal(cone.matrix[:lines], a)
    np.testing.assert_array_equal(cone.matrix[lines : 2 * lines], -a)
    assert tight[:, : 2 * lines].all()
    rest = tight[:, 2 * lines :]
    np.testing.assert_array_equal(rest[:, : len(g)], z @ g.T == h)
    np.testing.assert_array_equal(rest[:, len(g) : len(g) + n], z == 0)
    np.testing.assert_array_equal(rest[:, len(g) + n :], (z == p.upper)[:, bounded])


def test_negative_costs_of_a_decision_that_is_optimal_lie_in_its_cone():
    p = CASES["grid"]()
    costs = costs_of(p)
    cone, tight = normals(p, vertices(p))
    np.testing.assert_allclose(project_cone(-costs, cone, tight), -costs, atol=1e-12)


@pytest.mark.parametrize("case", ["grid", "knapsack", "top_k", "matching", "box"])
def test_points_are_those_of_scipy(case):
    p = CASES[case]()
    cone, tight = normals(p, vertices(p))
    q = costs_of(p, seed=3)
    for given_q in (q, np.rint(2 * q), 1e-9 * q, 1e9 * q):
        expected = nearest(given_q, cone.matrix, tight)
        np.testing.assert_allclose(
            project_cone(given_q, cone, tight), expected, atol=1e-12 * abs(given_q).max(), rtol=0
        )


@settings(max_examples=100, deadline=None)
@given(polytopes(), st.integers(0, 2**32 - 1), st.booleans())
def test_any_tight_normals(p, seed, whole):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(4, len(p)))
    q = np.rint(2 * q) if whole else q
    tight = rng.random((4, len(p.normals))) < rng.random()
    tight[:, : 2 * p.normals.n_lines] = True
    found = project_cone(q, p.normals, tight)
    lengths = np.linalg.norm(p.normals.matrix, axis=1)
    unit = p.normals.matrix / np.where(lengths > 0, lengths, 1.0)[:, None]
    np.testing.assert_allclose(found, nearest(q, unit, tight), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32 - 1), st.booleans())
def test_plain_vectors_with_repeats_and_opposites(n, k, seed, whole):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (k, n)).astype(float) if whole else rng.normal(size=(k, n))
    rows = np.vstack([rows, rows[: k // 2], -rows[: k // 3], rows[0] + rows[-1]])
    q, tight = rng.normal(size=(3, n)), rng.random((3, len(rows))) < 0.8
    np.testing.assert_allclose(project_cone(q, rows, tight), nearest(q, rows, tight), atol=1e-9)


@pytest.mark.parametrize("case", ["grid", "knapsack", "top_k", "matching"])
def test_steps_lead_from_inside_to_the_nearest_point(case):
    p = CASES[case]()
    cone, tight = normals(p, vertices(p))
    q = costs_of(p, seed=3)
    exact = project_cone(q, cone, tight)
    far = [
        np.linalg.norm(project_cone(q, cone, tight, steps=k) - exact, axis=1).max() for k in (0, 1, 3, 8, 40)
    ]
    assert far == sorted(far, reverse=True)
    assert far[2] < 0.3 * np.linalg.norm(q, axis=1).max() and far[-1] < 1e-6


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_an_early_point_is_inside(steps):
    # Inside: it stays in the cone when a little of any direction that its normals span is taken away.
    p = CASES["knapsack"]()
    cone, tight = normals(p, vertices(p))
    q = costs_of(p, seed=3)
    points = project_cone(q, cone, tight, steps=steps)
    rng = np.random.default_rng(0)
    for row, mask in zip(points, tight, strict=True):
        for _ in range(10):
            moved = row + 1e-6 * rng.normal(size=mask.sum()) @ cone.matrix[mask]
            np.testing.assert_allclose(reference.nearest(moved, cone.matrix[mask]), moved, atol=1e-12)


def test_a_point_of_the_cone_is_its_own_nearest_and_the_polar_goes_to_the_origin():
    p = CASES["knapsack"]()
    cone, tight = normals(p, np.zeros(10))
    assert tight.sum() == 10
    q = -np.random.default_rng(0).random((3, 10))
    np.testing.assert_allclose(project_cone(q, cone, tight), q, atol=1e-14)
    np.testing.assert_array_equal(project_cone(-q, cone, tight), 0.0)
    np.testing.assert_array_equal(project_cone(0 * q, cone, tight), 0.0)


def test_without_a_tight_normal_only_the_origin_is_left():
    q = np.ones((2, 3))
    for steps in (None, 3):
        np.testing.assert_array_equal(project_cone(q, np.eye(3), np.zeros((2, 3), bool), steps=steps), 0.0)


def test_the_length_of_a_normal_does_not_count():
    q, tight = costs_of(CASES["grid"](), rows=4)[:, :5], np.ones((4, 6), bool)
    rows = np.random.default_rng(0).normal(size=(6, 5))
    for steps in (None, 3):
        np.testing.assert_allclose(
            project_cone(q, 10.0 ** np.arange(-3, 3)[:, None] * rows, tight, steps=steps),
            project_cone(q, rows, tight, steps=steps),
            atol=1e-10,
        )


def test_broadcasting_equals_a_loop():
    p = CASES["top_k"]()
    cone, tight = normals(p, vertices(p, rows=3))
    q = np.random.default_rng(0).normal(size=(4, 3, 12))
    points = project_cone(q, cone, tight)
    for row in np.ndindex(4, 3):
        np.testing.assert_allclose(points[row], project_cone(q[row], cone, tight[row[1]]), atol=1e-14)
    assert project_cone(q[:, :1], cone, tight).shape == (4, 3, 12)
    assert project_cone(q[:0], cone, tight).shape == (0, 3, 12)


def test_threads_change_no_bit(monkeypatch):
    p = CASES["top_k"]()
    cone, tight = normals(p, vertices(p, rows=12))
    q = costs_of(p, rows=12)
    expected = project_cone(q, cone, tight)
    monkeypatch.setattr(host, "n_chunks", lambda *sizes: 5)
    np.testing.assert_array_equal(project_cone(q, cone, tight), expected)


def test_kinds_and_precision_are_returned():
    p = CASES["top_k"]()
    z = vertices(p)
    _, tight = normals(p, torch.tensor(z))
    assert tight.dtype == torch.bool
    q = torch.tensor(costs_of(p), dtype=torch.float32, requires_grad=True)
    points = project_cone(q, p.normals, tight)
    assert points.dtype == torch.float32 and not points.requires_grad
    np.testing.assert_allclose(points, project_cone(q.detach().numpy(), p.normals, tight.numpy()), atol=1e-6)
    assert isinstance(Normals(np.eye(2)).split.rays, np.ndarray)


def test_no_more_rays_are_chosen_than_there_are_dimensions():
    # Among rays that are nearly parallel, rounding leaves enough of a fourth one in three dimensions to look
    # independent; the point was then wrong by a tenth. With such rays a Gram matrix keeps six digits.
    rng = np.random.default_rng(0)
    for _ in range(300):
        near = rng.normal(size=3) + 10.0 ** rng.uniform(-6, -3, (3, 1)) * rng.normal(size=(3, 3))
        rows = np.vstack([near, rng.normal(size=3)])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        q = rng.random((2, 4)) @ rows + 1e-3 * rng.normal(size=(2, 3))
        tight = np.ones((2, 4), bool)
        np.testing.assert_allclose(project_cone(q, rows, tight), nearest(q, rows, tight), atol=1e-6)
