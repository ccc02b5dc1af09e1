"""A benchmark suite for decision-focused learning.

What is imported here needs NumPy alone; torch, Numba and pandas are imported when something is run or loaded.
"""

from importlib import import_module

from .errors import DflBenchError
from .evaluate import Result, evaluate
from .frame import load_results
from .method import Method, Predictor, Reference, methods
from .problem import Network, Problem, make_problem, problems
from .registry import load_plugin
from .seeding import rng_for
from .split import Split, Splits
from .task import Task

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

# Importing the packages `methods` and `problems` later would put them in the place of the registries.
for _name, _registry in (("methods", methods), ("problems", problems)):
    import_module(f".{_name}", __name__)
    globals()[_name] = _registry
