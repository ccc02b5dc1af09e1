"""A benchmark suite for decision-focused learning.

What is imported here needs NumPy alone; torch, Numba and pandas are imported when something is run or loaded.
"""

from . import methods, problems
from .contracts.method import Method, Predictor, Reference
from .contracts.problem import Network, Problem
from .contracts.registry import load_plugin
from .contracts.seeding import rng_for
from .contracts.split import Split, Splits
from .contracts.task import Task
from .errors import DflBenchError
from .problems import make_problem
from .run.evaluate import Result, evaluate
from .store.export import load_results

__all__ = [
    "DflBenchError",
    "Method",
    "Network",
    "Predictor",
    "Problem",
    "Reference",
    "Result",
    "Split",
    "Splits",
    "Task",
    "evaluate",
    "load_plugin",
    "load_results",
    "make_problem",
    "methods",
    "problems",
    "rng_for",
]
