"""The fits of a method on a small problem that its contract looks at, each made once for several tests."""

from functools import cached_property

from dfl_bench import methods
from dfl_bench.contracts.method import Reference, SeedBatched
from dfl_bench.contracts.threads import one_thread
from dfl_bench.run.evaluate import evaluate_batch, evaluate_seed
from dfl_bench.run.job import Job
from dfl_bench.store.cell import Cell
from tests.golden.scores import SEED
from tests.support.small import OFFLINE, short_method, small_problem
from tests.support.watch import watched_steps

TRAINED = [name for name in methods.names() if not issubclass(methods.get(name), Reference)]
PAIRS = [
    (method, problem)
    for problem in OFFLINE
    for method in TRAINED
    if methods.get(method).not_applicable(small_problem(problem)) is None
]
SEEDS = (SEED, SEED + 1)


class Fits:
    """One method on one problem."""

    def __init__(self, name, problem):
        self.name, self.problem = name, small_problem(problem)
        self.method = short_method(name, self.problem)

    def again(self):
        """A second fit of the first seed alone."""
        if not isinstance(self.method, SeedBatched):
            return self.together[0][0]  # where seeds of such a method are fitted one by one
        with one_thread():
            return evaluate_seed(short_method(self.name, self.problem), self.problem, SEEDS[0])

    def recorded(self, submit):
        """The record of the first seed, from the worker that takes a job."""
        cell = Cell.of(self.problem, self.method, protocol="paper", seed=SEEDS[0], device="cpu")
        return submit(Job(cell)).result()

    @cached_property
    def alone(self):
        """The results of seeds that were trained apart."""
        with one_thread():  # as workers have it; the bits may depend on it
            return [evaluate_seed(self.method, self.problem, seed) for seed in SEEDS]

    @cached_property
    def together(self):
        """The results of the same seeds trained as one batch, and the watch over its steps."""
        with one_thread(), watched_steps() as watch:
            return evaluate_batch(self.method, self.problem, SEEDS), watch
