"""The data of a cell, made under watch: undeclared files and rows that differ between calls are errors."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .. import problems
from ..contracts.problem import Problem
from ..contracts.split import Split, Splits
from ..errors import DflBenchError
from ..problems import make_problem
from ..store.cell import Cell, changed
from .job import Job
from .opens import files_read, is_hidden, require_declared
from .rows import digests, make_again


@dataclass(slots=True)
class GuardedData:
    """The problem of a cell and its rows; for a process that runs no code of a method."""

    job: Job
    problem: Problem
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job) -> "GuardedData":
        """Build the problem of a cell; a user's files are imported only if the problem is in one of them."""
        with files_read() as at_import:
            if job.cell.problem not in problems.entries():
                for plugin in job.plugins:
                    plugin.load()
        with files_read() as at_once:
            problem = make_problem(job.cell.problem, **job.cell.problem_settings)
        read = at_once | {path for path in at_import if not is_hidden(path)}
        if not problem.holds_its_rows:
            require_declared(problem, read, _folders(job))
        _check_same(job.cell, problem)
        return cls(job, problem)

    def rows_to_learn(self) -> tuple[Split, Split]:
        """Make all rows, and return those to train and to validate on."""
        splits = self._watched(lambda: self.problem.data(self.job.cell.seed))
        self._digests = digests(splits)
        return splits.train, splits.val

    def rows_to_score(self) -> Split:
        """Make all rows again, compare, and return those to score."""
        return self._watched(lambda: make_again(self.problem, self.job.cell.seed, self._digests)).test

    def _watched(self, make: Callable[[], Splits]) -> Splits:
        with files_read() as seen:
            splits = make()
        require_declared(self.problem, seen, _folders(self.job))
        return splits


def _folders(job: Job) -> list[str]:
    return [] if job.banks is None else [job.banks]


def _check_same(cell: Cell, problem: Problem) -> None:
    here = {
        "problem_version": problem.version,
        "problem_settings": changed(problem.settings),
        "problem_code": problems.code_of(problem.name),
        "source_digest": problem.source_digest,
    }
    asked = {name: getattr(cell, name) for name in here}
    if here != asked:
        raise DflBenchError(f"the cell was defined with {asked}, here it would run with {here}.")
