"""Shortest paths and assignments: rows by threads, and how many times faster they are than plain ways.

`python -m benchmarks.bench_paths` prints the ratios.
"""

import time
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from benchmarks.inputs import use_threads
from kernels import matching, shortest_path


def grid_costs(rows, size):
    return np.random.default_rng(0).random((rows, shortest_path.n_arcs(size, size)))


def assignment_costs(rows, n):
    return np.random.default_rng(0).random((rows, n, n))


def all_paths(size):
    """Return all paths of a small grid as columns (arcs, paths)."""
    steps = 2 * (size - 1)
    columns = []
    for rights in combinations(range(steps), size - 1):
        costs = np.ones(shortest_path.n_arcs(size, size))
        node = 0
        for step in range(steps):
            after = node + (1 if step in rights else size)
            costs[(shortest_path.arcs(size, size) == (node, after)).all(1)] = 0
            node = after
        columns.append(1 - costs)
    return np.stack(columns, 1)


class ShortestPath:
    params = ([(5, 100_000), (30, 2_000)], [1, 2])
    param_names = ["size and rows", "threads"]
    timeout = 120

    def setup(self, case, threads):
        use_threads(threads)
        self.size, rows = case
        self.costs = grid_costs(rows, self.size)
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


def seconds_of(run, repeats=15):
    """Return the least CPU seconds of this thread over some calls, after a first one."""
    run()
    taken = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        taken.append(time.thread_time() - start)
    return min(taken)


def track_paths_against_enumeration():
    """How many times faster than one product with all 70 paths of the 5 x 5 grid and an argmin."""
    use_threads(1)
    costs, paths = grid_costs(100_000, 5), all_paths(5)
    plain = seconds_of(lambda: (costs @ paths).argmin(1))
    return plain / seconds_of(lambda: shortest_path.best_path(costs, 5, 5))


def track_paths_against_copies():
    """Time of 100,000 paths of the 5 x 5 grid, in times of copying their costs and decisions once."""
    use_threads(1)
    costs = grid_costs(100_000, 5)
    there = np.empty_like(costs), np.empty_like(costs)
    z = shortest_path.best_path(costs, 5, 5)
    copies = seconds_of(lambda: (np.copyto(there[0], costs), np.copyto(there[1], z)))
    return seconds_of(lambda: shortest_path.best_path(costs, 5, 5)) / copies


def track_paths_against_new_copies():
    """As `track_paths_against_copies`, with copies that allocate their memory, as the kernel does."""
    use_threads(1)
    costs = grid_costs(100_000, 5)
    z = shortest_path.best_path(costs, 5, 5)
    copies = seconds_of(lambda: (costs.copy(), z.copy()))
    return seconds_of(lambda: shortest_path.best_path(costs, 5, 5)) / copies


def track_paths_against_dijkstra():
    """How many times faster than SciPy's Dijkstra on a ready graph of 30 x 30 nodes, per row."""
    use_threads(1)
    costs, arcs = grid_costs(2_000, 30), shortest_path.arcs(30, 30)
    graphs = [csr_array((c, arcs.T), shape=(900, 900)) for c in costs[:50]]
    plain = seconds_of(lambda: [dijkstra(g, indices=0, return_predecessors=True) for g in graphs], 3) / 50
    return plain / (seconds_of(lambda: shortest_path.best_path(costs, 30, 30)) / len(costs))


def track_matching_10_against_scipy():
    """How many times faster than a loop over SciPy's solver, 10 x 10."""
    return _against_scipy(assignment_costs(2_000, 10))


def track_matching_50_against_scipy():
    """How many times faster than a loop over SciPy's solver, 50 x 50."""
    return _against_scipy(assignment_costs(200, 50))


def _against_scipy(costs):
    use_threads(1)
    plain = seconds_of(lambda: [linear_sum_assignment(c) for c in costs], 5)
    return plain / seconds_of(lambda: matching.best_matching(costs))


TRACKS = [value for name, value in list(globals().items()) if name.startswith("track_")]
for _track in TRACKS:
    _track.unit = "times"


if __name__ == "__main__":
    for _track in TRACKS:
        print(f"{_track():8.2f}  {_track.__name__[6:].replace('_', ' ')}", flush=True)
