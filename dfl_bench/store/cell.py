"""A cell: one method on one problem with one seed, named by the content of its configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import methods
from ..contracts.fingerprint import fingerprint, plain
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.settings import build
from ..problems import make_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Everything that decides a score, and nothing else; plain values, so that it can travel to workers."""

    problem: str
    problem_version: int
    problem_config: Mapping[str, Any]
    source_digest: str  # of the file the data is read from, "" for generated data
    method: str
    method_version: int
    method_config: Mapping[str, Any]
    protocol: str
    seed: int
    device: str

    @property
    def key(self) -> str:
        """The name of this cell in every store."""
        return fingerprint(self)

    @property
    def samples(self) -> int | None:
        """Samples an instance, for methods that draw them."""
        return self.method_config.get("samples")

    @classmethod
    def of(cls, problem: Problem, method: Method, *, protocol: str, seed: int, device: str) -> "Cell":
        """Describe a configured method on a configured problem."""
        return cls(
            problem=problem.name,
            problem_version=problem.version,
            problem_config=plain(problem.config),
            source_digest=problem.source_digest,
            method=method.name,
            method_version=method.version,
            method_config=plain(method.config),
            protocol=protocol,
            seed=seed,
            device=device,
        )

    def build(self) -> tuple[Problem, Method]:
        """Return the problem and the method this cell describes."""
        cls = methods.get(self.method)
        method = cls(build(cls.Config, self.method_config, owner=self.method))
        return make_problem(self.problem, **self.problem_config), method
