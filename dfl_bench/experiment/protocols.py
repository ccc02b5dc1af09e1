"""From a protocol's name to a method's configuration: `paper` as published, `tuned` as searched."""

import dataclasses
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ..contracts.method import Method
from ..contracts.problem import Problem
from ..errors import DflBenchError

PROTOCOLS = ("paper", "tuned")


def configure(cls: type[Method], problem: Problem, protocol: str, settings: Mapping[str, Any]) -> Any:
    """Return a method's configuration for a problem: defaults, then the protocol, then the caller's settings.

    Settings a method does not have are an error that lists the ones it has.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"expected a protocol among {', '.join(PROTOCOLS)}, got {protocol!r}.")
    known = {field.name for field in dataclasses.fields(cls.Config)}
    if unknown := sorted(set(settings) - known):
        raise ValueError(
            f"{cls.name} has no setting {unknown[0]!r}; it has: {', '.join(sorted(known)) or 'none'}."
        )
    searched = stored(protocol, cls.name, problem.name) if cls.search else {}
    chosen = {**cls.paper.get(problem.name, {}), **searched}
    return cls.Config(**{**chosen, **settings})


def stored(protocol: str, method: str, problem: str) -> dict[str, Any]:
    """Return the settings a search has found for a method on a problem (see `tuning`)."""
    path = files("dfl_bench.experiment") / "searches" / protocol / problem / f"{method}.json"
    if path.is_file():
        search = json.loads(path.read_text(encoding="utf-8"))
        if search["complete"]:  # half a search would be half a budget
            return dict(search["best"])
    if protocol == "tuned":
        raise DflBenchError(
            f"no complete search for {method} on {problem}; "
            f"run `dfl-bench tune --method {method} --problem {problem}` first."
        )
    return {}  # the published settings need no search
