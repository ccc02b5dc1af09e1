"""One set of small settings: a problem or method takes those it has, so a new one needs no entry here."""

from dfl_bench import methods, problems
from dfl_bench.contracts.settings import names_of
from dfl_bench.experiment.protocols import configure
from dfl_bench.problems import make_problem

PROBLEM = {"n_train": 24, "n_val": 12, "n_test": 15, "n_stocks": 6, "size": 4, "fake_targets": 5, "rows": 40}
METHOD = {
    # Among more trajectories few samples would leave each with two steps: too few for those that watch steps.
    "trajectories": 1,
    "steps": 30, "samples": 16, "validate_every": 10, "surrogate_steps": 40, "warm_epochs": 3, "rounds": 4,
    "predictor_steps": 5, "trees": 3,
    # The protocol's is what a search has found: not code, so golden scores are not to change with it.
    "sampling_rate": 0.1,
}  # fmt: skip
# Problems without a download; each kind of decision is among them.
OFFLINE = [name for name in problems.names() if not problems.get(name).provenance.startswith("real")]


def small_problem(name, **settings):
    """Return a problem with few rows."""
    has = names_of(problems.get(name).Config)
    return make_problem(name, **{k: v for k, v in PROBLEM.items() if k in has} | settings)


def short_method(name, problem, **settings):
    """Return a method with few steps, in protocol `paper`."""
    cls = methods.get(name)
    has = names_of(cls.Config)
    return cls(configure(cls, problem, "paper", {k: v for k, v in METHOD.items() if k in has} | settings))
