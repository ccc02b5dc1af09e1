"""Our results beside the published ones, cell by cell."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from ..contracts.fingerprint import canonical
from ..experiment.plan import configurations
from ..experiment.suite import load_suite
from ..problems import make_problem
from ..store.cell import Cell
from ..store.record import Record
from .naming import telling
from .statistics import mean_sem

# Methods of the paper that draw no fixed number of samples stand in every column with the same number.
WITHOUT_SAMPLES = ("pfl", "dfl", "lancer")
COLUMNS = ("table", "problem", "samples", "method", "normalized_regret", "sem")
# Where our data are not the paper's, a difference is not an error of either side.
OTHER_DATA = {
    "budget": "generated click-through rates, calibrated on PFL; the paper's are Yahoo! Webscope A1",
    "portfolio": "other years and another source of prices; the paper's are Quandl WIKI 2004–2017",
}
# Which divisor the paper's numbers have is not certain (docs/reproduction.md): both are shown.
DIVISORS = (
    "Ours: divided by the regret of the decision that is worst by the outcome, as in all other tables. "
    "Pred.: divided by the regret of what each method's own prediction calls the worst decision, as "
    "the paper's text has it; on inventory both are no order. z: minus the paper's, in combined SEMs."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One number of the paper's tables."""

    table: str
    problem: str
    settings: Mapping[str, Any]  # of the problem, where the paper varies them
    samples: int
    method: str
    mean: float
    sem: float

    @property
    def place(self) -> str:
        """The problem and the settings that the paper varies, as "budget fake_targets=5"."""
        return f"{self.problem} {telling(self.settings, [self.settings], always=self.settings)}".strip()

    def is_about(self, problem: str, config: Mapping[str, Any]) -> bool:
        """Whether a configured problem is the one of this number, as far as the paper's table says."""
        same = all(name in config and config[name] == value for name, value in self.settings.items())
        return self.problem == problem and same


@dataclass(frozen=True, slots=True)
class Ours:
    """A mean of ours beside a published one; without an error if there is one seed."""

    mean: float
    sem: float | None
    published: Published

    @property
    def z(self) -> float | None:
        """The difference, ours minus theirs, in units of the combined standard error."""
        if self.sem is None:
            return None
        # A printed ± 0.000 is at most half a unit of its last digit.
        combined = (self.sem**2 + max(self.published.sem, 0.0005) ** 2) ** 0.5
        return (self.mean - self.published.mean) / combined

    @classmethod
    def of(cls, scores: Iterable[float | None], published: Published) -> "Ours | None":
        """Return the mean of the scores; None if there is none, or one is missing."""
        values = list(scores)
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        mean, sem = mean_sem(known)
        return cls(mean, sem if len(known) > 1 else None, published)


@dataclass(frozen=True, slots=True)
class Pair:
    """A published number and ours with both divisors (see `DIVISORS`); None where nothing has been run."""

    published: Published
    ours: Ours | None
    by_prediction: Ours | None
    seeds: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One method and setting for which the paper's tables print different numbers."""

    place: str  # of the numbers, see `Published.place`
    samples: int
    method: str
    printed: tuple[tuple[str, float, float], ...]  # (table, mean, SEM)


def published() -> list[Published]:
    """Return every number of the paper's tables, with our names for its methods.

    A column of the file that is none of `COLUMNS` is a setting of the problem.
    """
    text = (files("dfl_bench.results") / "papers" / "lcgln.csv").read_text(encoding="utf-8")
    return [
        Published(
            table=row["table"],
            problem=row["problem"],
            settings={name: _value(text) for name, text in row.items() if name not in COLUMNS and text},
            samples=int(row["samples"]),
            method=row["method"].lower(),
            mean=float(row["normalized_regret"]),
            sem=float(row["sem"]),
        )
        for row in csv.DictReader(text.splitlines())
    ]


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def published_for(problem: str, config: Mapping[str, Any]) -> list[Published]:
    """Return what the paper prints for a problem; nothing where its settings are not those of `paper`."""
    if canonical([problem, config]) not in _problems_of_the_suite():
        return []
    return [p for p in published() if p.is_about(problem, config)]


@cache
def _problems_of_the_suite() -> frozenset[str]:
    made = (make_problem(entry.problem, **entry.settings) for entry in load_suite("paper"))
    return frozenset(canonical([problem.name, problem.config]) for problem in made)


def disagreements() -> list[Disagreement]:
    """Return where the paper's tables print two numbers for one thing.

    A method without samples is the same in every column, so its numbers are compared across all of them.
    """
    printed: dict[tuple[str, int, str], list[Published]] = defaultdict(list)
    for p in published():
        samples = 0 if p.method in WITHOUT_SAMPLES else p.samples
        printed[p.place, samples, p.method].append(p)
    found = []
    for (place, samples, method), numbers in printed.items():
        by_value = {(p.mean, p.sem): p.table for p in reversed(numbers)}
        if len(by_value) > 1:
            values = tuple((table, *value) for value, table in reversed(by_value.items()))
            found.append(Disagreement(place, samples, method, values))
    return found


def pairs(records: Iterable[Record], *, device: str = "cpu") -> list[Pair]:
    """Return all published numbers with ours: the cells of the suite `paper`, whole and unchanged."""
    ours = _ours(records, device)
    return [_pair(p, ours) for p in published()]


# A cell of the suite `paper` and our records of it by seed, by problem, samples and method.
Runs = dict[tuple[str, int | None, str], list[tuple[Cell, dict[int, Record]]]]


def _ours(records: Iterable[Record], device: str) -> Runs:
    """Our records by cell and seed; a run with other settings or of another version has another identity."""
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in records:
        cell = record.cell
        if record.normalized_regret is not None and (cell.protocol, cell.device) == ("paper", device):
            scored[_identity(cell)][cell.seed] = record
    runs: Runs = defaultdict(list)
    for entry in load_suite("paper"):
        for problem, method in configurations(entry, "paper"):
            # Identities leave the data's digest out, so that a store can be read where nothing was fetched.
            cell = Cell.of(problem, method, protocol="paper", seed=0, device=device)
            run = scored.get(_identity(cell), {})
            runs[cell.problem, cell.samples, cell.method].append((cell, run))
    return runs


def _identity(cell: Cell) -> str:
    return replace(cell, source_digest="", seed=0).key


def _pair(p: Published, ours: Runs) -> Pair:
    samples = None if p.method in WITHOUT_SAMPLES else p.samples
    candidates = ours.get((p.problem, samples, p.method), [])
    run = next((run for cell, run in candidates if p.is_about(cell.problem, cell.problem_config)), {})
    return Pair(
        published=p,
        ours=Ours.of((r.normalized_regret for r in run.values()), p),
        by_prediction=Ours.of((r.regret_by_prediction for r in run.values()), p),
        seeds=len(run),
    )
