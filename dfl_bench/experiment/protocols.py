"""The protocols: how a method is configured for a problem, and what may be searched to find that out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from ..contracts.fingerprint import plain
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.settings import build, did_you_mean
from ..errors import DflBenchError, UnknownNameError

PACKAGED = files("dfl_bench.experiment") / "searches"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Where a method's settings come from. Scores of two protocols never stand on one board."""

    name: str
    summary: str
    requires_search: bool = False  # whether a method with something to search needs a finished search
    surveyed: bool = False  # whether settings come from `Method.survey`; then nothing is searched
    # What a search tries whole; empty: the method's own space, by as many trials for every method.
    grid: Mapping[str, Choice] = field(default_factory=dict)
    seeds: int = 3  # that a trial is scored on, unless the caller says
    each_sweep: bool = False  # whether a search serves its own sweep values only

    def space(self, method: type[Method]) -> Mapping[str, Range | Choice]:
        """Return what a search may change."""
        if self.surveyed:
            return {}
        if not self.grid:
            return method.search
        return {name: choice for name, choice in self.grid.items() if name in method.search}

    def part(self, problem: Problem) -> Literal["val", "test"]:
        """Return the rows of tuning seeds that score a trial; a published grid has validation rows."""
        return "val" if self.grid else problem.search_part


PAPER = Protocol(
    name="paper",
    summary="published settings; the sampling rate is the best of the paper's grid",
    grid={"sampling_rate": Choice((0.01, 0.05, 0.1, 0.5, 1.0))},
    seeds=6,
    each_sweep=True,  # the best rate with 500 fake targets says nothing of the best one without
)
TUNED = Protocol(
    name="tuned",
    summary="searched settings, with as many trials for every method",
    requires_search=True,
)
SURVEY = Protocol(
    name="survey",
    summary="the settings that the survey of Mandi et al. (2024) found, where it has them",
    surveyed=True,
)
PROTOCOLS = {protocol.name: protocol for protocol in (PAPER, TUNED, SURVEY)}
VARIED = {"shortest-path": "degree", "energy": "capacity"}  # what the survey varied, by problem


def get_protocol(name: str) -> Protocol:
    """Return a protocol by name."""
    if name not in PROTOCOLS:
        hint = did_you_mean(name, PROTOCOLS)
        raise UnknownNameError(f"no protocol named {name!r}.{hint} Known: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


def configure(
    cls: type[Method],
    problem: Problem,
    protocol: str,
    settings: Mapping[str, Any],
    *,
    searches: Path | None = None,
) -> Any:
    """Return a method's configuration: its defaults, then the protocol, then the caller's settings.

    Args:
        cls: the method.
        problem: the problem it is configured for.
        protocol: the name of a protocol.
        settings: what the caller changes, by name.
        searches: a folder that `dfl-bench tune` wrote; what it lacks comes from the package.
    """
    chosen = get_protocol(protocol)
    found = _surveyed(cls, problem) if chosen.surveyed else _searched(cls, problem, chosen, searches)
    return build(cls.Config, {**cls.paper.get(problem.name, {}), **found, **settings}, owner=cls.name)


def _surveyed(cls: type[Method], problem: Problem) -> Mapping[str, Any]:
    """The settings that the survey has for a method on a problem, by the setting of the problem it varied."""
    if not cls.search:
        return {}
    known, varied = cls.survey.get(problem.name, {}), VARIED.get(problem.name)
    value = getattr(problem.config, varied) if varied else None
    if value not in known:
        given = f" with {varied}={value}" if varied else ""
        has = f"it has {varied} {', '.join(map(str, known))}" if known else "it has none for this problem"
        raise DflBenchError(
            f"the survey has no settings for {cls.name} on {problem.name}{given}: {has}. "
            "Leave the method out, or use --protocol paper."
        )
    return known[value]


def _searched(
    cls: type[Method], problem: Problem, protocol: Protocol, searches: Path | None
) -> Mapping[str, Any]:
    """The settings a finished search has found; half a search would be half a budget.

    A search of another version of the method or the problem is not used: without a search of this one,
    protocol `paper` has the method's own settings, and `tuned` is an error.
    """
    if not cls.search or cls.not_applicable(problem):
        return {}
    folders: Sequence[Path | Traversable] = [PACKAGED] if searches is None else [searches, PACKAGED]
    reason = ""
    for place in _places(problem)[: 1 if protocol.each_sweep else None]:
        for folder in folders:
            file = folder / protocol.name / place / f"{cls.name}.json"
            if file.is_file():
                search = read_search(file)
                stale = _another_version(search["search"], cls, problem)
                if search["complete"] and not stale:
                    return dict(search["best"])
                reason = reason or stale
    if protocol.requires_search:
        apart = _changed(problem, problem.searched_apart).items()
        options = " ".join(
            [f"--problem {problem.name}", *(f"--problem-set {name}={value}" for name, value in apart)]
        )
        raise DflBenchError(
            f"no complete search for {cls.name} on {_places(problem)[-1]}{reason}; run `dfl-bench tune "
            f"--method {cls.name} {options} --folder searches`, then `dfl-bench run --searches searches`."
        )
    return {}


def _another_version(identity: Mapping[str, Any], cls: type[Method], problem: Problem) -> str:
    """Return, for an error text, how a search is of another version than the code; "" where it is not."""
    for kind, here in (("method", cls), ("problem", problem)):
        made_for = list(identity.get(kind, ()))[:2]
        if made_for != [here.name, here.version]:
            version = " ".join(map(str, made_for)) or "an unknown version"
            return f" (there is one of {version}, and this is {here.name} {here.version})"
    return ""


def place_of(problem: Problem) -> str:
    """Return the folder of a problem's searches: its name, and what is searched apart and not the default."""
    return _places(problem)[0]


def _places(problem: Problem) -> list[str]:
    """The folders to look in: that of the very sweep values, then that of the default ones."""

    def folder(*names: str) -> str:
        parts = [f"{name}={value}" for name, value in _changed(problem, names).items()]
        return "/".join([problem.name, *(part.replace("/", "_") for part in parts)])  # a path is one folder

    apart = problem.searched_apart
    return list(dict.fromkeys([folder(*apart, *problem.sweeps), folder(*apart)]))


def _changed(problem: Problem, names: Sequence[str]) -> dict[str, Any]:
    """Those of some settings that are not the default."""
    usual, given = plain(type(problem.settings)()), plain(problem.settings)
    return {name: given[name] for name in names if given[name] != usual[name]}


def read_search(file: Path | Traversable) -> dict[str, Any]:
    """Return what `dfl-bench tune` wrote to a file: the best settings and all trials."""
    try:
        search = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON, or of text that is not UTF-8
        raise _damaged(file, f"it is not JSON ({error})") from error
    if not isinstance(search, dict):
        raise _damaged(file, f"expected fields by name, got {search!r:.40}")
    for name, kind in _SEARCH_FIELDS.items():
        if not isinstance(search.get(name), kind):
            raise _damaged(file, f"expected {name!r} as {kind.__name__}, got {search.get(name)!r:.40}")
    return search


_SEARCH_FIELDS = {"best": dict, "complete": bool, "search": dict, "trials": list}


def _damaged(file: Path | Traversable, reason: str) -> DflBenchError:
    return DflBenchError(
        f"the search file {file} is damaged: {reason}. "
        "Remove it and run `dfl-bench tune` again, or restore a copy."
    )
