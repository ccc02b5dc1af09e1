"""A cell: one method on one problem with one seed, named by the content of its configuration."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import methods, problems
from ..contracts.fingerprint import canonical, fingerprint, plain
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.settings import build
from ..errors import UnknownNameError
from ..problems import make_problem

_SHOWN_ONLY = ("problem_config", "method_config", "method_changes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Everything that a score stands on; plain values, so that it can travel to workers.

    The key holds settings that differ from their defaults, not all of them: a new setting whose default is
    what the code did before leaves every key as it was. Whoever changes a default raises the version.
    """

    problem: str
    problem_version: int
    problem_settings: Mapping[str, Any]  # those that are not the default
    problem_code: str = ""  # digest of a user's file, "" for a built-in problem
    source_digest: str = ""  # of the files the data is read from, "" for generated or pinned data
    method: str
    method_version: int
    method_settings: Mapping[str, Any]  # those that are not the default
    method_code: str = ""
    protocol: str
    seed: int
    device: str
    older: str = ""  # why this code cannot say what the score stands on; "" for all it has made itself
    # Not part of the key: what tables show.
    problem_config: Mapping[str, Any] = field(default_factory=dict)
    method_config: Mapping[str, Any] = field(default_factory=dict)
    method_changes: tuple[str, ...] = ()  # settings that are not those of the protocol

    @property
    def key(self) -> str:
        """The name of this cell in every store."""
        names = [f.name for f in dataclasses.fields(self) if f.name not in _SHOWN_ONLY]
        return fingerprint({name: getattr(self, name) for name in names})

    @property
    def place(self) -> str:
        """The configured problem, its code and its data: cells of one place are on one board."""
        return canonical([self.problem, self.problem_settings, self.problem_code, self.source_digest])

    @property
    def samples(self) -> int | None:
        """Samples for each instance, for methods that draw them."""
        return self.method_config.get("samples")

    @classmethod
    def of(
        cls,
        problem: Problem,
        method: Method,
        *,
        protocol: str,
        seed: int,
        device: str,
        changes: tuple[str, ...] = (),
    ) -> "Cell":
        """Describe a configured method on a configured problem.

        Args:
            problem: the problem.
            method: the method.
            protocol: the name of the protocol that configured the method.
            seed: which data and which random streams.
            device: where the method is trained.
            changes: settings of the method that are not those of the protocol.
        """
        return cls(
            problem=problem.name,
            problem_version=problem.version,
            problem_settings=changed(problem.settings),
            problem_code=_code_of(problem),
            source_digest=problem.source_digest,
            method=method.name,
            method_version=method.version,
            method_settings=changed(method.config),
            method_code=methods.code_of(method.name),
            protocol=protocol,
            seed=seed,
            device=device,
            problem_config=plain(problem.settings),
            method_config=plain(method.config),
            method_changes=changes,
        )

    def build(self) -> tuple[Problem, Method]:
        """Return the problem and the method this cell describes."""
        cls = methods.get(self.method)
        method = cls(build(cls.Config, self.method_settings, owner=self.method))
        return make_problem(self.problem, **self.problem_settings), method


def _code_of(problem: Problem) -> str:
    """Digest of a user's file; "" for a problem that no name leads to, whose own digest holds its code."""
    try:
        return problems.code_of(problem.name)
    except UnknownNameError:
        return ""


def changed(config: Any) -> dict[str, Any]:
    """Return the settings of a configuration that are not its defaults, as plain values."""
    given, usual = plain(config), plain(type(config)())
    return {name: value for name, value in given.items() if value != usual[name]}
