"""What a user hands to `evaluate` or `fit`: a method and a problem, by name, as a class or as an object."""

from collections.abc import Mapping
from typing import Any

from .. import methods
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..experiment.protocols import configure
from ..problems import make_problem


def as_problem(problem: str | Problem, predictor: Any = None) -> Problem:
    """Return a problem from its name or as it is, with a predictor where one is given."""
    if isinstance(problem, str):
        problem = make_problem(problem)
    if not isinstance(problem, Problem):
        raise TypeError(
            f"expected a problem or the name of one, got {type(problem).__name__}; `dfl_bench.problem(x, "
            "y, ...)` makes "
            "one from arrays."
        )
    return problem if predictor is None else problem.with_predictor(predictor)


def as_method(
    method: str | type[Method] | Method, problem: Problem, protocol: str, settings: Mapping[str, Any]
) -> Method:
    """Return a configured method.

    Args:
        method: a registered name, a class, or a configured method, which is taken as it is.
        problem: what it is configured for.
        protocol: where its settings come from.
        settings: what the caller changes, by name.
    """
    if isinstance(method, Method):
        if settings:
            raise ValueError(
                f"{method.name} is configured already; give {', '.join(settings)} where it is made, or "
                "give its class."
            )
        _named(type(method))
        return method
    if isinstance(method, str):
        cls = methods.get(method)
    elif isinstance(method, type) and issubclass(method, Method):
        cls = _named(method)
    else:
        raise TypeError(f"expected a method, its class or its name, got {method!r}.")
    return cls(configure(cls, problem, protocol, settings))


def _named(cls: type[Method]) -> type[Method]:
    """A class that was never registered has no name yet: it gets that of the class."""
    if not hasattr(cls, "name"):
        cls.name, cls.version, cls.family = cls.__name__, 0, ""
    return cls
