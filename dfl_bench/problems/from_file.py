"""A problem that a user's file makes: a name in it that is a problem, or a function that returns one."""

import inspect
from collections.abc import Callable
from dataclasses import asdict, make_dataclass, replace
from pathlib import Path
from typing import Any

from ..contracts.problem import Problem
from ..contracts.registry import load_plugin
from ..contracts.settings import did_you_mean
from ..errors import DflBenchError
from ._own_predictor import describe_predictor

USUAL = "problem"  # the name in the file, where none is given


def load_problem(path: str | Path, name: str = USUAL) -> str:
    """Import a file and register the problem it makes; return what the problem is called.

    Args:
        path: a .py file.
        name: what in it is a problem, or a function that returns one; the function's parameters are settings.
    """
    module = load_plugin(path)
    found = getattr(module, name, None)
    if found is None:
        known = [
            n for n, value in vars(module).items() if isinstance(value, Problem) or inspect.isfunction(value)
        ]
        raise DflBenchError(
            f"{path} has no {name!r}.{did_you_mean(name, known)} It has "
            f"{', '.join(known) or 'no problem'}; expected a "
            f"Problem or a function that returns one, as --problem-file {path}:NAME."
        )
    if isinstance(found, Problem):
        return _register(lambda: found, (), Path(path).stem, module.__name__)
    if not callable(found):
        raise DflBenchError(
            f"expected {name!r} in {path} to be a Problem or a function, got {type(found).__name__}."
        )
    return _register(found, _settings_of(found, f"{path}:{name}"), Path(path).stem, module.__name__)


def split_name(spec: str) -> tuple[str, str]:
    """Return the path and the name in "mine.py:problem"; the name may be left out."""
    path, colon, name = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        return spec, USUAL
    return path, name


def _settings_of(function: Callable[..., Problem], where: str) -> tuple[tuple[str, type, Any], ...]:
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.default is inspect.Parameter.empty:
            raise DflBenchError(
                f"{where}: expected a default for the parameter {parameter.name}, which is a setting."
            )
    return tuple((p.name, type(p.default) if p.default is not None else Any, p.default) for p in parameters)


def _register(
    make: Callable[..., Problem], settings: tuple[tuple[str, type, Any], ...], stem: str, module: str
) -> str:
    """File a class that makes the problem anew wherever a cell of it runs."""
    from . import entries, register

    sample = make()
    if not isinstance(sample, Problem):
        raise DflBenchError(
            f"expected the function in {stem}.py to return a Problem, got {type(sample).__name__}."
        )
    taken = entries().get(sample.name)
    name = (
        stem.replace("_", "-") if taken is not None and taken.source.startswith("dfl_bench.") else sample.name
    )
    names = {setting for setting, _, _ in settings}
    shown = tuple(setting for setting, _, _ in settings)
    # What the predictor is stands beside the settings, unless it is one of them.
    fields = settings if "predictor" in names else (*settings, ("predictor", str, ""))
    config_class: Any = make_dataclass("FileConfig", fields, frozen=True)

    class Made(type(sample)):  # type: ignore[misc]
        __doc__ = type(sample).__doc__
        Config = config_class
        sweeps, searched_apart = shown, ()

        def __init__(self, config: Any = None) -> None:
            config = config_class() if config is None else config
            made = make(**{n: v for n, v in asdict(config).items() if n in names})
            self.__dict__.update(vars(made))
            self.name = name
            if "predictor" not in names:
                described = (
                    getattr(made.config, "predictor", "")
                    if made.holds_its_rows
                    else describe_predictor(made.predictor)
                )
                if config.predictor not in ("", described):
                    raise ValueError(
                        f"the predictor of {name} is chosen in its file: it is "
                        f"{described or 'the usual one'}."
                    )
                config = replace(config, predictor=described)
            self._named_by = config

        @property
        def settings(self) -> Any:
            """The parameters of the function that made it."""
            return self._named_by

    Made.__module__, Made.__qualname__, Made.__name__ = module, f"Made_{name}", f"Made_{name}"
    register(name, version=sample.version)(Made)
    return name
