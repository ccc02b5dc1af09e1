"""The neighbours of a vertex against their definition, and against what is known of some polytopes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dfl_bench.problems import make_problem
from kernels import knapsack
from kernels.polytope import Polytope, edges
from kernels.polytope.edges import neighbours
from tests.reference import edges as reference


def polytope_of(problem):
    given = problem.polytope()
    return Polytope(equal=given.equal, at_most=given.at_most, upper=given.upper)


def in_order(points):
    points = np.round(np.asarray(points), 7) + 0.0
    return points[np.lexsort(points.T[::-1])]


@st.composite
def polytopes(draw):
    """Small ones with whole numbers: many vertices are degenerate, and some entries are fractions."""
    n = draw(st.integers(2, 4))
    whole = st.integers(-2, 2)
    inside = np.full(n, 0.5)
    rows = lambda k: np.array(draw(st.lists(whole, min_size=k * n, max_size=k * n)), float).reshape(k, n)  # noqa: E731
    equal, at_most = rows(draw(st.integers(0, 1))), rows(draw(st.integers(0, 2)))
    room = np.array(draw(st.lists(st.sampled_from([0.5, 1.0]), min_size=len(at_most), max_size=len(at_most))))
    return (equal, equal @ inside), (at_most, at_most @ inside + room), np.ones(n)


@settings(max_examples=60, deadline=None)
@given(polytopes())
def test_neighbours_are_those_of_the_definition(constraints):
    equal, at_most, upper = constraints
    polytope = Polytope(equal=equal, at_most=at_most, upper=upper)
    rows, right = reference.rules(equal, at_most, upper)
    for z in reference.vertices(rows, right):
        expected = reference.neighbours(rows, right, z)
        np.testing.assert_allclose(in_order(neighbours(polytope, z)), in_order(expected), atol=1e-6)


def test_matchings_have_as_many_neighbours_as_cycles():
    for size in (2, 3, 4, 5):
        polytope = polytope_of(make_problem("matching", size=size))
        cycles = {k: math.comb(size, k) * math.factorial(k - 1) for k in range(2, size + 1)}
        assert len(neighbours(polytope, np.eye(size).ravel())) == sum(cycles.values())
        for most in range(2, size + 1):
            found = neighbours(polytope, np.eye(size).ravel(), changes=2 * most)
            assert len(found) == sum(cycles[k] for k in range(2, most + 1))


def test_paths_of_the_usual_grid():
    problem = make_problem("shortest-path")
    polytope = polytope_of(problem)
    z = problem.solve(np.random.default_rng(0).random(40))
    found = neighbours(polytope, z)
    assert set(np.unique(found)) == {0.0, 1.0}
    assert len(np.unique(found, axis=0)) == len(found)
    rows, right = problem.polytope().equal
    np.testing.assert_array_equal(found @ rows.T, np.broadcast_to(right, (len(found), len(right))))
    for changes in (4, 8):
        fewer = neighbours(polytope, z, changes=changes)
        near = found[(found != z).sum(1) <= changes]
        np.testing.assert_array_equal(in_order(fewer), in_order(near))


def test_a_vertex_is_best_exactly_if_no_neighbour_is_better():
    rng = np.random.default_rng(1)
    problem = make_problem("knapsack", items=6, dimensions=2, capacity=12.0)
    polytope = polytope_of(problem)
    vertices = knapsack.relaxed(rng.standard_normal((20, 6)), problem.weights, np.full(2, 12.0))
    seen = set()
    for z in vertices:
        gaps = neighbours(polytope, z) - z
        for values in rng.standard_normal((20, 6)):
            best = knapsack.relaxed(values, problem.weights, np.full(2, 12.0)) @ values
            is_best = z @ values >= best - 1e-9
            assert is_best == (gaps @ values <= 1e-9).all()
            seen.add(bool(is_best))
    assert seen == {True, False}


def test_what_is_no_vertex_is_refused():
    polytope = Polytope(equal=(np.ones((1, 3)), np.ones(1)), upper=1.0)
    with pytest.raises(ValueError, match="expected z to be a vertex"):
        neighbours(polytope, np.array([0.5, 0.5, 0.0]))


def test_an_edge_without_end_is_refused():
    polytope = Polytope(at_most=(np.array([[1.0, 0.0]]), np.ones(1)))
    with pytest.raises(ValueError, match="without end"):
        neighbours(polytope, np.zeros(2))


def test_too_many_edges_are_refused(monkeypatch):
    monkeypatch.setattr(edges, "LIMIT", 50)
    polytope = polytope_of(make_problem("matching", size=5))
    with pytest.raises(ValueError, match=r"no more than 50 edges, got more .*set changes"):
        neighbours(polytope, np.eye(5).ravel())
    assert len(neighbours(polytope, np.eye(5).ravel(), changes=4)) == 10
