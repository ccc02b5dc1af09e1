"""A problem without its data: what a method is given, so that no test row is within its reach."""

import copy
import types
from functools import cache
from typing import Any, NoReturn

from ..contracts.meter import Meter
from ..contracts.problem import Problem
from ..errors import DflBenchError


def sealed(problem: Problem) -> Problem:
    """Return a copy of a problem whose `data` raises; all else, type checks included, works as before.

    `in_training` and whatever else a problem builds from its own type is sealed, too.
    """
    copied = copy.copy(problem)
    copied.__dict__.pop("data", None)
    copied.__dict__.pop("_rows", None)  # where problems made of a user's arrays keep them
    copied.meter = None if problem.meter is None else Meter()
    copied.__class__ = _sealed_class(type(problem))
    return copied


def forbid_data(problem: Problem) -> None:
    """Take `data` from the classes of a problem in this whole process, one that has no use for it any more.

    A method that builds the problem anew gets no data then, either.
    """
    for cls in type(problem).__mro__:
        if "data" in vars(cls) and cls is not Problem:
            cls.data = _refuse  # type: ignore[attr-defined]


def _refuse(problem: Problem, seed: int) -> NoReturn:
    raise DflBenchError(
        f"a method may not ask for data of {problem.name}: it has task.train and task.val, "
        "and its predictor is given the features of the test rows after `fit` has returned."
    )


@cache
def _sealed_class(cls: type[Problem]) -> type[Problem]:
    if vars(cls).get("data") is _refuse:
        return cls

    def reduce(problem: Problem, protocol: Any) -> tuple[Any, ...]:
        # A class made here has no name that pickle could find: a method may send its problem to processes.
        plain = object.__new__(cls)
        plain.__dict__.update(problem.__dict__)
        return sealed, (plain,)

    sealing: dict[str, Any] = {"data": _refuse, "__reduce_ex__": reduce}
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return types.new_class(cls.__name__, (cls,), {}, lambda own: own.update(names | sealing))
