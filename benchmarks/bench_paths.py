"""Shortest paths and assignments: rows by threads."""

from benchmarks.inputs import use_threads
from dfl_bench.speed.inputs import arc_costs, assignment_costs
from kernels import matching, shortest_path


class ShortestPath:
    params = ([(5, 100_000), (30, 2_000)], [1, 2])
    param_names = ["size and rows", "threads"]
    timeout = 120

    def setup(self, case, threads):
        use_threads(threads)
        self.size, rows = case
        self.costs = arc_costs(rows, self.size)
        self.hat = self.costs[::-1].copy()
        shortest_path.best_path(self.costs, self.size, self.size)
        shortest_path.regret(self.hat, self.costs, self.size, self.size)

    def time_best_path(self, case, threads):
        shortest_path.best_path(self.costs, self.size, self.size)

    def time_regret(self, case, threads):
        shortest_path.regret(self.hat, self.costs, self.size, self.size)

    def peakmem_regret(self, case, threads):
        shortest_path.regret(self.hat, self.costs, self.size, self.size)


class Matching:
    params = ([(10, 10_000), (50, 400)], [1, 2])
    param_names = ["size and rows", "threads"]
    timeout = 120

    def setup(self, case, threads):
        use_threads(threads)
        n, rows = case
        self.costs = assignment_costs(rows, n)
        self.hat = self.costs[::-1].copy()
        matching.best_matching(self.costs)
        matching.regret(self.hat, self.costs)

    def time_best_matching(self, case, threads):
        matching.best_matching(self.costs)

    def time_regret(self, case, threads):
        matching.regret(self.hat, self.costs)
