import pickle

import numpy as np
import pytest
import torch

from kernels.errors import SolverError
from kernels.polytope import Polytope, barrier, cone, host, normals, project_cone, quadratic, smoothed
from tests.kernels.polytope_cases import CASES, costs_of

EYE = np.eye(3)
BOX = Polytope(upper=np.ones(3))


def graph(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


CALLS = {
    "smoothed": lambda c: smoothed(c, BOX, 1.0),
    "barrier": lambda c: barrier(c, BOX, 0.1, 0.1),
    "torch smoothed": lambda c: smoothed(graph(c), BOX, 1.0),
    "torch barrier": lambda c: barrier(graph(c), BOX, 0.1, 0.1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_costs_that_are_not_finite_are_named(call, value):
    costs = np.zeros((2, 4, 3))
    costs[1, 2, 0] = value
    with pytest.raises(ValueError, match=rf"finite costs, got {value} at index \(1, 2, 0\)"):
        call(costs)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("shape", [(), (2,), (3, 2), (3, 0)])
def test_costs_need_an_entry_for_each_of_z(call, shape):
    with pytest.raises(ValueError, match=r"costs of shape \(\.\.\., 3\), one entry per entry of z, got"):
        call(np.zeros(shape))


@pytest.mark.parametrize("number", [0.0, -1.0, np.nan, np.inf])
def test_settings_that_are_not_positive(number):
    with pytest.raises(ValueError, match=r"mu > 0 and finite"):
        smoothed(np.zeros(3), BOX, number)
    with pytest.raises(ValueError, match=r"stop > 0 and finite"):
        barrier(np.zeros(3), BOX, number, 0.1)
    with pytest.raises(ValueError, match=r"tolerance > 0 and finite"):
        normals(BOX, np.zeros(3), tolerance=number)
    if number != 0.0:
        with pytest.raises(ValueError, match=r"damping >= 0 and finite"):
            barrier(np.zeros(3), BOX, 0.1, number)


def test_an_unknown_form():
    with pytest.raises(ValueError, match=r'form "hsd" or "kkt", got \'lp\''):
        barrier(np.zeros(3), BOX, 0.1, 0.1, form="lp")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, "none of equal, at_most, upper has a dimension n"),
        ({"upper": 1.0}, "none of equal, at_most, upper has a dimension n"),
        ({"upper": np.ones(0)}, "none of equal, at_most, upper has a dimension n"),
        (
            {"equal": (EYE[:2], np.ones(3))},
            r"equal = \(A, b\) of shapes \(rows, 3\) and \(rows,\), got \(2, 3\)",
        ),
        ({"at_most": (np.ones(3), np.ones(1))}, r"at_most = \(G, h\) of shapes \(rows, 3\)"),
        ({"equal": (EYE, np.ones(3)), "at_most": (np.ones((1, 2)), [1.0])}, r"got \(1, 2\) and \(1,\)"),
        ({"equal": (np.full((1, 3), np.nan), [1.0])}, "finite A of equal, got nan at index"),
        ({"at_most": (EYE, [1.0, np.inf, 1.0])}, r"finite h of at_most, got inf at index \(1,\)"),
        ({"upper": np.ones((2, 3))}, r"upper as one number or of shape \(3,\), got \(2, 3\)"),
        ({"upper": np.array([1.0, -2.0, 1.0])}, r"upper >= 0, got -2.0 at index 1"),
        ({"upper": np.array([1.0, 1.0, np.nan])}, r"upper >= 0, got nan at index 2"),
    ],
)
def test_polytopes_of_wrong_shape_or_numbers(given, match):
    with pytest.raises(ValueError, match=match):
        Polytope(**given)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"equal": (EYE[:1], [2.0]), "upper": 1.0}, "not empty, but no z meets all constraints"),
        ({"at_most": (-np.ones((1, 3)), [-4.0]), "upper": 1.0}, "not empty, but no z meets all constraints"),
        ({"equal": (np.ones((2, 3)), [1.0, 1.5])}, "some z meets, but row . of A contradicts others"),
        ({"equal": (0 * EYE, [0.0, 0.0, 1.0])}, "got row 2 of A with zeros alone"),
        ({"at_most": (0 * EYE, [0.0, -1.0, 1.0])}, "got row 1 of G with zeros alone and h < 0"),
    ],
)
def test_polytopes_without_a_decision(given, match):
    with pytest.raises(ValueError, match=match):
        Polytope(**given)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"upper": np.array([1.0, 0.0, 1.0])}, r"z\[1\] >= 0, z\[1\] <= upper"),
        ({"equal": (EYE[:1], [0.0]), "upper": 1.0}, r"z\[0\] >= 0"),
        ({"equal": (np.ones((1, 3)), [3.0]), "upper": 1.0}, r"z\[0\] <= upper"),
        (
            {"at_most": (np.vstack([EYE, np.ones(3), -np.ones(3)]), [1, 1, 1, 2.0, -2.0])},
            "row 3 of G, row 4 of G",
        ),
    ],
)
def test_polytopes_without_an_interior_name_what_is_always_tight(given, named):
    with pytest.raises(
        ValueError, match=rf"with an interior, but these .*{named}.*; write them as rows of A"
    ):
        Polytope(**given)


def test_numbers_that_are_not_real():
    with pytest.raises(TypeError, match=r"real numbers for costs, got dtype complex128"):
        smoothed(np.zeros(3, complex), BOX, 1.0)
    with pytest.raises(TypeError, match=r"real numbers for equal \(A, b\)"):
        Polytope(equal=(EYE.astype(complex), np.ones(3)))


def test_constraints_live_on_the_host():
    with pytest.raises(ValueError, match="upper on the CPU, got meta"):
        Polytope(upper=torch.ones(3, device="meta"))


def test_lists_and_tensors_make_the_same_polytope():
    lists = Polytope(equal=([[1, 1, 1]], [1]), upper=[1, 2, 3])
    tensors = Polytope(equal=(torch.ones(1, 3), torch.ones(1)), upper=torch.tensor([1.0, 2.0, 3.0]))
    costs = costs_of(BOX)
    np.testing.assert_array_equal(smoothed(costs, lists, 0.5), smoothed(costs, tensors, 0.5))
    assert len(lists) == 3


def test_a_polytope_can_be_sent_to_another_process():
    p = CASES["knapsack"]()
    costs = costs_of(p)
    sent = pickle.loads(pickle.dumps(p))
    np.testing.assert_array_equal(smoothed(costs, sent, 0.5), smoothed(costs, p, 0.5))


def test_what_a_caller_changes_later_changes_no_polytope():
    rows, right = np.ones((1, 3)), np.ones(1)
    p = Polytope(equal=(rows, right), upper=1.0)
    before = smoothed(np.zeros(3), p, 1.0)
    rows[:], right[:] = 5.0, 0.0
    np.testing.assert_array_equal(smoothed(np.zeros(3), p, 1.0), before)
    assert p.equal[0][0, 0] == p.normals.matrix[0, 0] == 1.0


def test_decisions_outside_the_polytope_have_no_normals():
    p = CASES["top_k"]()
    z = np.zeros((2, 2, 12))
    z[..., :3] = 1.0
    z[1, 0, 5] = 1.0
    for kind in (np.asarray, graph):
        with pytest.raises(
            ValueError, match=r"in the polytope, but 1 of 4 decisions .* \(first: row \(1, 0\)\)"
        ):
            normals(p, kind(z))
    with pytest.raises(ValueError, match="finite z"):
        normals(p, np.full(12, np.nan))
    with pytest.raises(ValueError, match=r"z of shape \(\.\.\., 12\)"):
        normals(p, np.zeros(3))


def test_cones_of_wrong_shape_or_kind():
    tight = np.ones((2, 3), bool)
    with pytest.raises(
        ValueError, match=r"q of shape \(\.\.\., 3\), one entry per entry of a normal, got \(2, 4\)"
    ):
        project_cone(np.ones((2, 4)), EYE, tight)
    with pytest.raises(ValueError, match=r"tight of shape \(\.\.\., 3\), one entry per normal, got \(2, 2\)"):
        project_cone(np.ones((2, 3)), EYE, tight[:, :2])
    with pytest.raises(ValueError, match=r"leading dimensions that broadcast, got q \(4,\), tight \(2,\)"):
        project_cone(np.ones((4, 3)), EYE, tight)
    with pytest.raises(TypeError, match="expected bool for tight, got dtype float64"):
        project_cone(np.ones((2, 3)), EYE, tight.astype(float))
    with pytest.raises(ValueError, match=r"finite q, got nan at index \(0, 1\)"):
        project_cone(np.array([[1.0, np.nan, 1.0]]), EYE, tight[:1])
    for rows in (np.ones(3), np.ones((0, 3))):
        with pytest.raises(ValueError, match=r"normals of shape \(k, n\), one or more"):
            project_cone(np.ones((2, 3)), rows, tight)
    with pytest.raises(ValueError, match="steps >= 0, got -1"):
        project_cone(np.ones((2, 3)), EYE, tight, steps=-1)
    with pytest.raises(TypeError, match="steps as an integer or None"):
        project_cone(np.ones((2, 3)), EYE, tight, steps=1.5)


def test_costs_too_large_beside_mu_name_the_rows():
    p = CASES["matching"]()
    costs = costs_of(p, rows=4).reshape(2, 2, -1)
    costs[1, 1] *= 1e18
    with pytest.raises(
        SolverError, match=r"KKT conditions on 1 of 4 rows \(\(1, 1\)\); costs are too large beside mu"
    ):
        smoothed(costs, p, 1.0)


def test_an_unsolved_row_is_never_a_decision(monkeypatch):
    p = CASES["knapsack"]()

    def unsolved(*arguments):
        arguments[-1][:] = True
        arguments[-1][3] = False

    monkeypatch.setattr(quadratic, "solve_rows", unsolved)
    with pytest.raises(SolverError, match=r"1 of 6 rows \(\(3,\)\)"):
        smoothed(costs_of(p), p, 1.0)
    monkeypatch.setattr(cone, "nearest_rows", lambda *arguments: arguments[-1].fill(0.0))
    with pytest.raises(SolverError, match=r"nearest point of the cone was not found on 1 of 1 rows \(\(\)\)"):
        project_cone(-np.ones(10), p.normals, np.ones(len(p.normals), bool))
    with pytest.raises(SolverError, match=r"on 6 of 6 rows \(\(0,\), .*\(4,\), \.\.\.\)"):
        host.explain_cone(np.zeros(6, bool))
