"""Knapsack and top-k kernels: rows by threads, and how many times faster than HiGHS they are in one run."""

from statistics import median
from time import perf_counter

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks.inputs import use_threads
from kernels import knapsack, top_k

ROWS = [1_000, 100_000]
THREADS = [1, 2]


def electricity(n_rows):
    """48 half-hours with weights 3, 5 and 7, capacity 120: dynamic programming."""
    rng = np.random.default_rng(0)
    return rng.gamma(4.0, 80.0, (n_rows, 48)), rng.permutation(np.repeat([3.0, 5.0, 7.0], 16)), 120.0


def polynomial(n_rows, n_items=32, n_dims=2, capacity=20.0):
    """Whole values, weights of two decimals: branch and bound."""
    rng = np.random.default_rng(0)
    weights = rng.integers(300, 800, (n_dims, n_items)) / 100
    signal = rng.normal(size=(n_rows, 5)) @ rng.integers(0, 2, (5, n_items)) / np.sqrt(5)
    noise = rng.uniform(0.5, 1.5, (n_rows, n_items))
    return np.ceil(5 * ((signal + 3) ** 4 + 1) / 3.5**4 * noise), weights, np.full(n_dims, capacity)


def predicted(n_rows):
    """The same with values that are not whole, as predictions are."""
    values, weights, capacity = polynomial(n_rows)
    return values + np.random.default_rng(1).normal(size=values.shape), weights, capacity


def large(n_rows):
    """100 items; a hundredth of the rows, because one takes ten to a hundred times as long."""
    return polynomial(n_rows // 100, 100, 2, 150.0)


INSTANCES = {"electricity": electricity, "polynomial": polynomial, "predicted": predicted, "large": large}


class Knapsack:
    params = (["electricity", "polynomial", "predicted", "large"], ROWS, THREADS)
    param_names = ["instance", "rows", "threads"]
    timeout = 120

    def setup(self, instance, rows, threads):
        use_threads(threads)
        self.values, self.weights, self.capacity = INSTANCES[instance](rows)
        self.hats = self.values[::-1].copy()
        knapsack.regret(self.hats, self.values, self.weights, self.capacity)
        knapsack.relaxed(self.values, self.weights, self.capacity)

    def time_best_items(self, instance, rows, threads):
        knapsack.best_items(self.values, self.weights, self.capacity)

    def time_regret(self, instance, rows, threads):
        knapsack.regret(self.hats, self.values, self.weights, self.capacity)

    def time_relaxed(self, instance, rows, threads):
        knapsack.relaxed(self.values, self.weights, self.capacity)

    def peakmem_best_items(self, instance, rows, threads):
        knapsack.best_items(self.values, self.weights, self.capacity)


class AgainstHighs:
    """Ratios of one run with one thread; HiGHS solves thirty rows, ours two thousand."""

    params = (["electricity", "polynomial", "predicted"],)
    param_names = ["instance"]
    timeout = 120
    unit = "times faster"

    def track_times_faster(self, instance):
        use_threads(1)
        values, weights, capacity = INSTANCES[instance](2_000)
        knapsack.best_items(values[:2], weights, capacity)
        ours = median(_seconds(lambda: knapsack.best_items(values, weights, capacity)) for _ in range(9))
        theirs = median(_seconds(lambda row=row: _highs(row, weights, capacity)) for row in values[:30])
        return theirs / (ours / len(values))

    def track_value_lost(self, instance):
        """The largest share of HiGHS's value that ours misses: zero but for tolerances."""
        values, weights, capacity = INSTANCES[instance](20)
        ours = knapsack.value(knapsack.best_items(values, weights, capacity), values)
        theirs = np.array([-_highs(row, weights, capacity).fun for row in values])
        return float(((theirs - ours) / theirs).max())


class TopK:
    params = ([1, 5, 25], THREADS)
    param_names = ["k", "threads"]

    def setup(self, k, threads):
        use_threads(threads)
        self.values = np.random.default_rng(0).normal(size=(100_000, 50))
        top_k.best(self.values[:2], k)

    def time_best(self, k, threads):
        top_k.best(self.values, k)


def _highs(values, weights, capacity):
    room = LinearConstraint(np.atleast_2d(weights), -np.inf, np.atleast_1d(capacity))
    whole = np.ones(len(values))
    return milp(-values, constraints=room, integrality=whole, bounds=Bounds(0, 1))


def _seconds(run):
    start = perf_counter()
    run()
    return perf_counter() - start
