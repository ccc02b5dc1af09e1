"""A benchmark suite for decision-focused learning.

What is imported here needs NumPy alone; torch, Numba and pandas are imported when something is run or loaded.
Methods that train with torch take their parts from `dfl_bench.training`.
"""

from importlib.metadata import PackageNotFoundError, version

from . import methods, problems
from .advising import Answer, advise
from .contracts.arrays import Array
from .contracts.bank import Bank, Sampler
from .contracts.ledger import Ledger
from .contracts.linear import LinearProblem
from .contracts.method import Method, Predictor, Reference, SeedBatched
from .contracts.problem import Context, Network, Problem
from .contracts.registry import load_plugin
from .contracts.search_space import Choice, Range
from .contracts.seeding import rng_for
from .contracts.split import Split, Splits
from .contracts.task import Task
from .errors import DflBenchError
from .problems import make_problem
from .problems.cvxpy_bridge import from_cvxpy
from .problems.own import problem
from .problems.pyepo_bridge import from_pyepo, to_pyepo
from .run.evaluate import Result, evaluate
from .run.fitted import FittedPredictor
from .run.saved import load_predictor
from .run.use import fit, score
from .store.export import load_results

try:
    __version__ = version("dfl-bench")
except PackageNotFoundError:  # run from a folder that was never installed
    __version__ = "unknown"

__all__ = [
    "Answer",
    "Array",
    "Bank",
    "Choice",
    "Context",
    "DflBenchError",
    "FittedPredictor",
    "Ledger",
    "LinearProblem",
    "Method",
    "Network",
    "Predictor",
    "Problem",
    "Range",
    "Reference",
    "Result",
    "Sampler",
    "SeedBatched",
    "Split",
    "Splits",
    "Task",
    "__version__",
    "advise",
    "evaluate",
    "fit",
    "from_cvxpy",
    "from_pyepo",
    "load_plugin",
    "load_predictor",
    "load_results",
    "make_problem",
    "methods",
    "problem",
    "problems",
    "rng_for",
    "score",
    "to_pyepo",
]
