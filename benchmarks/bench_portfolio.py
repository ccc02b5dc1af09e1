"""The portfolio: what OSQP's set-up, cold and warm solves cost, the active set, labelling."""

import numpy as np

from dfl_bench.speed.inputs import markets
from kernels import portfolio
from kernels.portfolio import with_osqp as _portfolio_osqp


class OSQP:
    """Sixteen of each."""

    params = [25, 50, 100]
    param_names = ["stocks"]

    def setup(self, stocks):
        y, sigma = markets(16, 16, stocks)
        self.hessians = 2 * sigma
        self.q = (y[0].max(-1, keepdims=True) - y[0]) / 0.22
        self.solver = _portfolio_osqp._set_up(0.9 * sigma[0], _portfolio_osqp.FIRST, 4000)
        portfolio.solve(y, sigma[:, None])

    def time_set_up(self, stocks):
        for hessian in self.hessians:
            _portfolio_osqp._set_up(hessian, _portfolio_osqp.FIRST, 4000)

    def time_cold_solve(self, stocks):
        for q in self.q:
            _portfolio_osqp._forget(self.solver)
            _portfolio_osqp._minimise(self.solver, q)

    def time_warm_update(self, stocks):
        for q in self.q:
            _portfolio_osqp._minimise(self.solver, q)


class Labelling:
    """Regrets of instances × 32 samples of 50 stocks."""

    params = (["osqp", "active-set"], [1, 2])
    param_names = ["solver", "threads"]
    timeout = 120

    def setup(self, solver, threads):
        self.y_hat, self.sigma = markets(50, 32)
        self.y = np.ascontiguousarray(self.y_hat[:, :1])
        self.label(solver, threads, 2)

    def label(self, solver, threads, n):
        sigma = self.sigma[:n, None]
        return portfolio.regret(self.y_hat[:n], self.y[:n], sigma, solver=solver, threads=threads)

    def time_label(self, solver, threads):
        self.label(solver, threads, 50)

    def peakmem_label(self, solver, threads):
        self.label(solver, threads, 50)

    def track_smallest_regret(self, solver, threads):
        return float(self.label(solver, threads, 50).min())

    track_smallest_regret.unit = "regret, zero or rounding"


class Derivative:
    def setup(self):
        y, self.sigma = markets(200, 1)
        self.grad = y[:, 0]
        self.a = portfolio.solve(self.grad, self.sigma, solver="active-set")
        self.time_vjp()

    def time_vjp(self):
        portfolio.derivative_vjp(self.a, self.sigma, self.grad)
