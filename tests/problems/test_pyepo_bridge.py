"""PyEPO's models as problems and the other way round, with the real package and an open solver."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import dfl_bench
from dfl_bench import from_pyepo, make_problem, to_pyepo
from dfl_bench.methods.spo_plus import spo_plus

pytest.importorskip("pyepo", reason="the extra [peers] is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "pyepo.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

# OR-Tools and cvxpy's highspy bring two versions of one library: whichever comes second does not load.
ORTOOLS_FIRST = "from ortools.linear_solver import pywraplp\nimport numpy as np, pyepo, dfl_bench\n"


def in_a_process(code):
    """Run code where OR-Tools is loaded first; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", ORTOOLS_FIRST + code],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def model():
    return to_pyepo(make_problem("shortest-path", side=3))


@pytest.fixture(scope="module")
def rows():
    split = make_problem("shortest-path", side=3, n_train=30, n_val=1, n_test=1).data(1000).train
    return split.x, split.y


@pytest.mark.slow
def test_a_model_with_an_open_solver_decides_as_our_kernel_does():
    out = in_a_process(
        """
from pyepo.model.ort import knapsackModel, shortestPathModel
x, c = pyepo.data.shortestpath.genData(60, 5, (4, 4), 4, 0.5, 1001)
theirs = dfl_bench.from_pyepo(shortestPathModel((4, 4)), x, c)
ours = dfl_bench.make_problem("shortest-path", side=4)
y = theirs.data(1000).train.y
np.testing.assert_allclose(theirs.regret(y[::-1], y, {}), ours.regret(y[::-1], y, {}), atol=1e-9)
np.testing.assert_allclose(theirs.worst_regret(y, {}), ours.worst_regret(y, {}), atol=1e-9)
weights, x, c = pyepo.data.knapsack.genData(60, 5, 32, 2, 4, 0.5, 135)
theirs = dfl_bench.from_pyepo(knapsackModel(weights, [20.0, 20.0]), x, c)
ours = dfl_bench.make_problem("knapsack")
y = theirs.data(1000).train.y[:12]
assert theirs.sign == -1.0  # values are whole numbers, so that several sacks may be the best
np.testing.assert_allclose(theirs.optimal_cost(y, {}), ours.optimal_cost(y, {}), atol=1e-9)
print(dfl_bench.evaluate("pfl", theirs, seed=1000, steps=20).normalized_regret)
"""
    )
    assert 0.0 < float(out.split()[-1]) < 1.0


def test_a_round_trip_gives_the_same_problem(model, rows):
    ours = make_problem("shortest-path", side=3)
    back = from_pyepo(model, *rows)
    y = rows[1]
    np.testing.assert_array_equal(back.decide(y, {}), ours.decide(y, {}))
    tensor = torch.from_numpy(y)
    assert isinstance(back.decide(tensor, {}), torch.Tensor)
    np.testing.assert_array_equal(back.decide(tensor.view(2, 15, -1), {}).view(30, -1), ours.decide(y, {}))


def test_methods_run_on_a_model(model, rows):
    result = dfl_bench.evaluate("pfl", from_pyepo(model, *rows), seed=1000, steps=10)
    assert np.isfinite(result.normalized_regret)


def test_parts_are_shuffled_by_seed_and_share_no_row(model, rows):
    problem = from_pyepo(model, *rows, train=0.5, val=0.2)
    parts = problem.data(0)
    assert [len(part) for part in parts] == [15, 6, 9]
    assert len({tuple(row) for part in parts for row in part.x}) == 30
    assert not np.array_equal(parts.train.x, problem.data(1).train.x)


def test_a_problem_travels_to_another_process(model, rows):
    problem = from_pyepo(model, *rows)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy.model is not problem.model
    np.testing.assert_array_equal(copy.decide(rows[1][:4], {}), problem.decide(rows[1][:4], {}))


@pytest.mark.parametrize("name", ["shortest-path", "knapsack", "top-k", "matching"])
def test_pyepo_solves_with_our_kernels(name):
    problem = make_problem(name, n_train=12, n_val=1, n_test=1)
    model = to_pyepo(problem)
    y = problem.data(1000).train.y
    assert model.num_cost == y.shape[1]
    for costs, z in zip(y, problem.decide(y, {}), strict=True):
        model.setObj(torch.from_numpy(costs))
        solution, value = model.solve()
        np.testing.assert_array_equal(solution, z)
        assert value == pytest.approx(problem.sign * problem.cost(z, costs, {}))


@pytest.mark.parametrize("name", ["shortest-path", "knapsack"])
def test_a_loss_of_pyepo_over_our_kernel_is_ours(name):
    from pyepo.data.dataset import optDataset
    from pyepo.func import SPOPlus

    problem = make_problem(name, n_train=12, n_val=1, n_test=1)
    train, model = problem.data(1000).train, to_pyepo(problem)
    rows = optDataset(model, train.x, train.y)
    given = [torch.as_tensor(part) for part in (rows.costs, rows.sols, rows.objs)]  # in single precision
    y_hat = (given[0].flip(0)).requires_grad_()
    theirs = SPOPlus(model, processes=1, reduction="none")(y_hat, *given).flatten()
    y, point = given[0].double(), y_hat.detach().double().requires_grad_()
    ours = spo_plus(problem, point, y, problem.decide(y, {}), {})
    assert ours.max() > 0.0
    np.testing.assert_allclose(theirs.detach(), ours.detach(), rtol=1e-5, atol=1e-5)
    slopes = [torch.autograd.grad(loss.sum(), at)[0] for loss, at in ((theirs, y_hat), (ours, point))]
    np.testing.assert_array_equal(*slopes)


@pytest.mark.slow
@pytest.mark.parametrize("code", BLOCKS, ids=["from_pyepo", "to_pyepo"])
def test_the_page_for_users_of_pyepo_runs(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


class Broken(type(to_pyepo(make_problem("shortest-path", side=3)))):
    def solve(self):
        return np.full(12, np.nan), np.nan


def test_bad_input_is_named(model, rows):
    x, y = rows
    with pytest.raises(ValueError, match=r"expected y of shape \(30, 12\) for this model, got \(30, 11\)"):
        from_pyepo(model, x, y[:, 1:])
    spoiled = y.copy()
    spoiled[7, 3] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in row 7"):
        from_pyepo(model, x, spoiled)
    with pytest.raises(ValueError, match=r"positive shares train \+ val < 1"):
        from_pyepo(model, x, y, train=0.9, val=0.1)
    with pytest.raises(ValueError, match="a problem with a linear cost, got Inventory"):
        to_pyepo(make_problem("inventory"))
    broken = Broken(make_problem("shortest-path", side=3))
    with pytest.raises(dfl_bench.DflBenchError, match="gave no solution for row 0"):
        from_pyepo(broken, x, y).decide(y, {})


@pytest.mark.slow
def test_a_quadratic_objective_is_refused():
    out = in_a_process(
        """
from types import SimpleNamespace
from pyepo.model.ort import shortestPathModel
model = shortestPathModel((3, 3))
model.problem = SimpleNamespace(obj_Q=np.eye(12), obj_offset=0.0)
try:
    dfl_bench.from_pyepo(model, np.zeros((3, 2)), np.zeros((3, 12)))
except ValueError as error:
    print(error)
"""
    )
    assert "expected a linear objective" in out
