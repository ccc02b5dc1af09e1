"""Smoothed programs, interior-point paths and cones over one polytope, and how they compare with solvers."""

from statistics import median
from time import process_time

import cvxpy as cp
import numpy as np
import osqp
import torch
from scipy.optimize import linprog, nnls
from scipy.sparse import csc_matrix, eye

from benchmarks.inputs import use_threads
from kernels import polytope

MU = 1.0


def paths(side=5):
    node = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    heads = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    rows, arcs = np.zeros((side * side, len(tails))), np.arange(len(tails))
    rows[tails, arcs], rows[heads, arcs] = 1.0, -1.0
    right = np.zeros(side * side)
    right[0], right[-1] = 1.0, -1.0
    return polytope.Polytope(equal=(rows, right), upper=1.0)


def knapsack():
    weights = np.random.default_rng(0).integers(3, 8, (2, 32)).astype(float)
    return polytope.Polytope(at_most=(weights, np.full(2, 20.0)), upper=np.ones(32))


def top_k():
    return polytope.Polytope(equal=(np.ones((1, 50)), [5.0]), upper=1.0)


def matching():
    rows = np.vstack([np.kron(np.eye(10), np.ones(10)), np.kron(np.ones(10), np.eye(10))])
    return polytope.Polytope(equal=(rows, np.ones(20)), upper=1.0)


POLYTOPES = {"paths": paths, "knapsack": knapsack, "top-k": top_k, "matching": matching}


def costs_of(p, rows):
    return np.random.default_rng(1).normal(size=(rows, len(p)))


def cone_of(p, rows):
    """Tight normals of best decisions of ten costs, repeated."""
    z = np.stack([_by_highs(c, p) for c in costs_of(p, 10)])
    return polytope.normals(p, np.repeat(z, rows // 10, 0))[1]


class Kernels:
    params = (list(POLYTOPES), [1, 2])
    param_names = ["polytope", "threads"]
    timeout = 120

    def setup(self, name, threads):
        use_threads(threads)
        self.p = POLYTOPES[name]()
        self.costs, self.tight = costs_of(self.p, 2_000), cone_of(self.p, 2_000)
        self.graph = torch.tensor(self.costs, requires_grad=True)
        for run in (self.time_smoothed, self.time_smoothed_gradient, self.time_barrier_gradient):
            run(name, threads)
        self.time_cone(name, threads)
        self.time_inside(name, threads)

    def time_smoothed(self, name, threads):
        polytope.smoothed(self.costs, self.p, MU)

    def time_smoothed_gradient(self, name, threads):
        polytope.smoothed(self.graph, self.p, MU).sum().backward()

    def time_barrier_gradient(self, name, threads):
        polytope.barrier(self.graph, self.p, 0.1, 0.1).sum().backward()

    def time_cone(self, name, threads):
        polytope.project_cone(self.costs, self.p.normals, self.tight)

    def time_inside(self, name, threads):
        polytope.project_cone(self.costs, self.p.normals, self.tight, steps=3)


class Growth:
    """A grid of twice the side has four times the arcs; the systems grow with the cube of the rows."""

    params = ([5, 10, 20],)
    param_names = ["side"]
    timeout = 120

    def setup(self, side):
        use_threads(1)
        self.p = paths(side)
        self.costs = costs_of(self.p, 40)
        self.time_smoothed(side)

    def time_smoothed(self, side):
        polytope.smoothed(self.costs, self.p, MU)


class AgainstSolvers:
    """Ratios of one run with one thread, for each row; the other solver takes ten rows, one by one."""

    params = (list(POLYTOPES),)
    param_names = ["polytope"]
    timeout = 300
    unit = "times faster"

    def setup(self, name):
        use_threads(1)
        self.p = POLYTOPES[name]()
        self.costs, self.tight = costs_of(self.p, 1_000), cone_of(self.p, 1_000)

    def track_osqp(self, name):
        return self._ratio(lambda c: polytope.smoothed(c, self.p, MU), _osqp(self.p))

    def track_clarabel(self, name):
        return self._ratio(lambda c: polytope.smoothed(c, self.p, MU), _clarabel(self.p))

    def track_highs(self, name):
        """The path to its end, against a linear program."""
        ours = lambda c: polytope.barrier(c, self.p, 1e-8, 0.1)  # noqa: E731
        return self._ratio(ours, lambda c, row: _by_highs(c, self.p))

    def track_nnls(self, name):
        matrix = self.p.normals.matrix
        ours = lambda c: polytope.project_cone(c, self.p.normals, self.tight[: len(c)])  # noqa: E731
        return self._ratio(ours, lambda c, row: nnls(matrix[self.tight[row]].T, c))

    def track_clarabel_distance(self, name):
        """How far Clarabel's decisions at its default tolerance are from ours."""
        solve = _clarabel(self.p)
        ours = polytope.smoothed(self.costs[:10], self.p, MU)
        return float(max(abs(solve(c, 0) - z).max() for c, z in zip(self.costs, ours, strict=False)))

    def _ratio(self, ours, theirs):
        ours(self.costs[:2])
        own = median(_seconds(lambda: ours(self.costs)) for _ in range(5)) / len(self.costs)
        return median(_seconds(lambda r=r: theirs(self.costs[r], r)) for r in range(10)) / own


def _osqp(p):
    """A solver of one row: set up once for all rows, new costs and a warm start for each."""
    (a, b), (g, h), n = p.equal, p.at_most, len(p)
    solver = osqp.OSQP()
    rows = csc_matrix(np.vstack([a, g, np.eye(n)]))
    low = np.concatenate([b, np.full(len(h), -np.inf), np.zeros(n)])
    high = np.concatenate([b, h, p.upper])
    tight = {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iter": 100_000, "verbose": False}
    solver.setup(MU * eye(n, format="csc"), np.zeros(n), rows, low, high, **tight)

    def solve(c, row):
        solver.update(q=c)
        return solver.solve().x

    return solve


def _clarabel(p):
    """A solver of one row through cvxpy, its problem compiled once."""
    (a, b), (g, h) = p.equal, p.at_most
    z, c = cp.Variable(len(p)), cp.Parameter(len(p))
    rows = [z >= 0, z <= p.upper, *([a @ z == b] if len(a) else []), *([g @ z <= h] if len(g) else [])]
    problem = cp.Problem(cp.Minimize(c @ z + MU / 2 * cp.sum_squares(z)), rows)

    def solve(costs, row):
        c.value = costs
        problem.solve(solver=cp.CLARABEL)
        return z.value

    solve(np.zeros(len(p)), 0)
    return solve


def _by_highs(c, p):
    (a, b), (g, h) = p.equal, p.at_most
    bounds = list(zip(np.zeros(len(c)), p.upper, strict=True))
    return linprog(c, A_ub=g, b_ub=h, A_eq=a, b_eq=b, bounds=bounds).x


def _seconds(run):
    start = process_time()
    run()
    return process_time() - start
