"""Inventory and budget kernels: rows by threads."""

from benchmarks.inputs import use_threads
from dfl_bench.speed.inputs import click_rates, probabilities
from kernels import budget, inventory

ROWS = [1_000, 100_000, 1_000_000]
THREADS = [1, 2]


class Inventory:
    params = (ROWS, THREADS)
    param_names = ["rows", "threads"]
    timeout = 120

    def setup(self, rows, threads):
        use_threads(threads)
        self.p, self.y = probabilities(rows)
        # asv times single calls, which should take more than a millisecond.
        self.calls = range(max(1, 100_000 // rows))
        self.z = inventory.order_quantity(self.p)
        inventory.regret(self.p, self.y)
        inventory.cost(self.z, self.p)
        inventory.order_derivative(self.p)

    def time_order(self, rows, threads):
        for _ in self.calls:
            inventory.order_quantity(self.p)

    def time_cost(self, rows, threads):
        for _ in self.calls:
            inventory.cost(self.z, self.p)

    def time_regret(self, rows, threads):
        for _ in self.calls:
            inventory.regret(self.p, self.y)

    def time_derivative(self, rows, threads):
        for _ in self.calls:
            inventory.order_derivative(self.p)

    def peakmem_regret(self, rows, threads):
        inventory.regret(self.p, self.y)


class Budget:
    params = (ROWS, THREADS)
    param_names = ["rows", "threads"]
    timeout = 300

    def setup(self, rows, threads):
        use_threads(threads)
        self.ctr = click_rates(rows)
        self.calls = range(max(1, 10_000 // rows))
        budget.regret(self.ctr[:2], self.ctr[:2])

    def time_best_subset(self, rows, threads):
        for _ in self.calls:
            budget.best_subset(self.ctr)

    def time_regret(self, rows, threads):
        for _ in self.calls:
            budget.regret(self.ctr, self.ctr)

    def peakmem_regret(self, rows, threads):
        budget.regret(self.ctr, self.ctr)


class Relaxation:
    """The hundred projected steps of the DFL baseline; one thread, a thousand rows take ten milliseconds."""

    def setup(self):
        self.ctr = click_rates(1_000)
        budget.relax(self.ctr[:2])
        budget.project(self.ctr[:2, :, 0], 2)

    def time_relax(self):
        budget.relax(self.ctr)

    def time_project(self):
        for _ in range(20):
            budget.project(self.ctr[:, :, 0], 2)
