"""What the benchmarks do alike; their random inputs are those of `dfl_bench.speed.inputs`."""

import dataclasses

import numba

from dfl_bench import methods
from dfl_bench.experiment.protocols import configure
from dfl_bench.run.evaluate import evaluate_batch

SMALL = {
    "inventory": {"n_train": 80, "n_val": 40, "n_test": 100},
    "budget": {"n_train": 50, "n_val": 50, "n_test": 50, "fake_targets": 50},
    "portfolio-synthetic": {"n_train": 48, "n_val": 32, "n_test": 32, "n_stocks": 20},
}
METHODS = ["pfl", "dfl", "lodl-dq", "lancer", "egl-wmse", "egl-dq", "lcgln"]
SHORT = {"steps": 100, "samples": 8, "surrogate_steps": 100, "warm_epochs": 5, "rounds": 5}


def use_threads(threads):
    """Limit the kernels' threads; asv leaves out what this machine does not have."""
    if threads > numba.config.NUMBA_NUM_THREADS:
        raise NotImplementedError
    numba.set_num_threads(threads)


def configured(method, problem, **settings):
    """Return a method with the published configuration changed by those settings it has."""
    cls = methods.get(method)
    known = {field.name for field in dataclasses.fields(cls.Config)}
    return cls(configure(cls, problem, "paper", {k: v for k, v in settings.items() if k in known}))


def fit(method, problem, seeds, **settings):
    """Fit and score; return the normalized regret of each seed."""
    results = evaluate_batch(configured(method, problem, **settings), problem, seeds)
    return [result.normalized_regret for result in results]
