"""The generator of linear problems, against PyEPO itself and against numerical means."""

import numpy as np
import pytest

from dfl_bench.data.polynomial import draw, item_weights, mean_of_ceiling, stream
from dfl_bench.problems import make_problem


def pyepo_data(kind):
    pytest.importorskip("pyepo", reason="the extra [peers] is not installed")
    import importlib

    return importlib.import_module(f"pyepo.data.{kind}")


@pytest.mark.parametrize(
    ("degree", "noise", "seed"), [(1, 0.0, 0), (4, 0.5, 42), (3, 0.25, 7), (8, 1.0, 135)]
)
def test_paths_are_those_of_pyepo(degree, noise, seed):
    x, c = pyepo_data("shortestpath").genData(50, 5, (5, 4), degree, noise, seed)
    rows = draw(stream(seed), 50, 5, 31, degree=degree, noise=noise)
    np.testing.assert_array_equal(rows.x, x)
    np.testing.assert_array_equal((rows.expected * rows.noise).astype(np.float32), c)


@pytest.mark.parametrize(("degree", "noise", "seed"), [(1, 0.0, 0), (4, 0.5, 42), (3, 0.25, 7)])
def test_items_are_those_of_pyepo(degree, noise, seed):
    weights, x, c = pyepo_data("knapsack").genData(40, 5, 32, 2, degree, noise, seed)
    rng = stream(seed)
    np.testing.assert_array_equal(item_weights(rng, 2, 32), weights)
    rows = draw(rng, 40, 5, 32, degree=degree, noise=noise)
    np.testing.assert_array_equal(rows.x, x)
    # Scaled before the noise there, after it here: a value next to a whole number may be rounded either way.
    np.testing.assert_array_equal(np.ceil(5.0 * rows.expected * rows.noise).astype(np.float32), c)


def test_a_seed_of_a_problem_is_a_seed_of_pyepo():
    parts = make_problem("shortest-path", n_train=20, n_val=10, n_test=10, degree=4).data(11)
    x, c = pyepo_data("shortestpath").genData(40, 5, (5, 5), 4, 0.5, 11)
    np.testing.assert_array_equal(np.concatenate([part.x for part in parts]), x)
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]).astype(np.float32), c)
    parts = make_problem("knapsack", n_train=20, n_val=10, n_test=10, degree=4).data(11)
    _, x, c = pyepo_data("knapsack").genData(40, 5, 32, 2, 4, 0.5, 11)
    np.testing.assert_array_equal(np.concatenate([part.x for part in parts]), x)
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]).astype(np.float32), c)


def test_costs_without_noise_are_the_polynomial():
    rows = draw(stream(3), 6, 2, 4, degree=3, noise=0.0)
    matrix = stream(3).binomial(1, 0.5, (4, 2))
    for i in range(6):
        for j in range(4):
            base = sum(matrix[j, k] * rows.x[i, k] for k in range(2)) / 2**0.5 + 3.0
            assert rows.expected[i, j] == pytest.approx((base**3 + 1.0) / 3.5**3, rel=1e-12)
    np.testing.assert_array_equal(rows.noise, 1.0)


@pytest.mark.parametrize(
    "low, high", [(0.0, 3.0), (0.2, 0.9), (1.5, 4.25), (-2.5, 1.5), (2.0, 2.0), (2.5, 2.5)]
)
def test_mean_of_ceiling(low, high):
    middles = low + (high - low) * (np.arange(200_000) + 0.5) / 200_000
    assert mean_of_ceiling(np.array(low), np.array(high)) == pytest.approx(np.ceil(middles).mean(), abs=1e-4)


@pytest.mark.parametrize("name", ["shortest-path", "knapsack", "matching"])
def test_the_floor_is_the_mean_outcome(name):
    problem = make_problem(name, n_train=1, n_val=1, n_test=1, degree=2, noise=0.5)
    rng = stream(5)
    rows = problem.drawn(rng, 1)
    _, expected = problem.outcomes(rows)
    noise = rng.uniform(0.5, 1.5, (200_000, rows.noise.shape[1]))
    y, _ = problem.outcomes(rows._replace(noise=noise))
    np.testing.assert_allclose(y.mean(0), expected[0], rtol=0.01)
