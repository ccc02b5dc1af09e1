"""Knapsack and top-k kernels: rows by threads."""

import numpy as np

from benchmarks.inputs import use_threads
from dfl_bench.speed.inputs import electricity, polynomial
from kernels import knapsack, top_k

ROWS = [1_000, 100_000]
THREADS = [1, 2]


def predicted(n_rows):
    """The same with values that are not whole, as predictions are."""
    values, weights, capacity = polynomial(n_rows)
    return values + np.random.default_rng(1).normal(size=values.shape), weights, capacity


def large(n_rows):
    """100 items; a hundredth of the rows, because one takes ten to a hundred times as long."""
    return polynomial(n_rows // 100, 100, 150.0)


INSTANCES = {"electricity": electricity, "polynomial": polynomial, "predicted": predicted, "large": large}


class Knapsack:
    params = (list(INSTANCES), ROWS, THREADS)
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


class TopK:
    params = ([1, 5, 25], THREADS)
    param_names = ["k", "threads"]

    def setup(self, k, threads):
        use_threads(threads)
        self.values = np.random.default_rng(0).normal(size=(100_000, 50))
        top_k.best(self.values[:2], k)

    def time_best(self, k, threads):
        top_k.best(self.values, k)
