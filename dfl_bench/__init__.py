"""A benchmark suite for decision-focused learning.

Names are imported when they are first used, so that `import dfl_bench` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import DflBenchError
    from .evaluate import Result, evaluate
    from .frame import load_results
    from .method import Method, Predictor, Reference, methods
    from .problem import Network, Problem, make_problem, problems
    from .registry import load_plugin
    from .seeding import rng_for
    from .split import Split, Splits
    from .task import Task

_HOMES = {
    "DflBenchError": "errors",
    "Method": "method",
    "Network": "problem",
    "Predictor": "method",
    "Problem": "problem",
    "Reference": "method",
    "Result": "evaluate",
    "Split": "split",
    "Splits": "split",
    "Task": "task",
    "evaluate": "evaluate",
    "load_plugin": "registry",
    "load_results": "frame",
    "make_problem": "problem",
    "methods": "method",
    "problems": "problem",
    "rng_for": "seeding",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    # Kept, because the submodules `evaluate`, `methods` and `problems` would take the name's place.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
