"""A paper as data: the numbers it prints, where they are from, and what ours are compared by."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..contracts.settings import did_you_mean
from ..errors import UnknownNameError
from .naming import telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One number of a paper; regret is a share, not percent, and the method has our name."""

    table: str
    problem: str
    settings: Mapping[str, Any]  # of the problem, where the paper varies them
    samples: int | None = None
    method: str
    name: str  # of the method, in the paper
    method_settings: Mapping[str, Any] = field(default_factory=dict)  # that belong to that name
    mean: float
    sem: float | None  # None: of a single run
    half_digit: float  # half a unit of the last digit: what a printed error of zero may be

    @property
    def place(self) -> str:
        """The problem and the settings that the paper varies, as "budget fake_targets=5"."""
        return f"{self.problem} {in_full(self.settings)}".strip()

    @property
    def label(self) -> str:
        """The method; with the paper's name for it, where settings of ours belong to that."""
        return f"{self.method} ({self.name})" if self.method_settings else self.method

    def is_about(self, problem: str, config: Mapping[str, Any]) -> bool:
        """Whether a configured problem is the one of this number, as far as the paper says."""
        return self.problem == problem and _holds(self.settings, config)

    def is_by(self, method: str, config: Mapping[str, Any]) -> bool:
        """Whether a configured method is the one of this number; one without samples fits every column."""
        samples = config.get("samples")
        same = None in (samples, self.samples) or samples == self.samples
        return self.method == method and same and _holds(self.method_settings, config)


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One way in which we run what a paper has run: as it was published, say, or corrected."""

    name: str
    suite: str  # holds the cells of ours that are compared
    summary: str = ""
    # Where our data are not the paper's, a difference is not an error of either side.
    other_data: Mapping[str, str] = field(default_factory=dict)  # by problem
    reasons: tuple[Mapping[str, Any], ...] = ()  # why cells differ: because, and what that holds for
    tried: tuple[Mapping[str, Any], ...] = ()  # to make them agree: what, and what that was tried for

    def of_problem(self, problem: str) -> "Track":
        """Return the track with what it says about one problem alone."""
        return replace(self, other_data={n: why for n, why in self.other_data.items() if n == problem})

    def reason(self, published: Published) -> str:
        """Return why ours differs from a number, as far as it is known."""
        return next(_said(self.reasons, "because", published), "unexplained")

    def attempts(self, published: Published) -> list[str]:
        """Return what was tried to make ours agree with a number."""
        return list(_said(self.tried, "what", published))


def _said(tables: Sequence[Mapping[str, Any]], key: str, published: Published) -> Iterator[str]:
    """The texts of those tables whose other entries hold for a number."""
    own = {"method": published.method, "problem": published.problem, "samples": published.samples}
    facts = {**own, **published.method_settings, **published.settings}
    for table in tables:
        if _holds({name: value for name, value in table.items() if name != key}, facts):
            yield str(table[key])


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What is known about a paper, and its numbers in the order of its tables."""

    name: str
    title: str
    authors: str
    year: int
    source: str  # where the numbers were read
    licence: str
    tracks: Mapping[str, Track]  # by name; the first is the one that pages show
    divisors: tuple[str, ...]  # what a sum of regrets is divided by, see `published.DIVISORS`
    note: str  # what the columns of a table are
    percent: bool = False  # how the paper prints regret, and how its file holds it
    decimals: int  # of the file
    rows: str = ""  # the setting that names the rows of a table; "": problem and settings do
    differs: tuple[str, ...] = ()  # before a method runs
    methods: Mapping[str, Mapping[str, Any]]  # by the paper's name: our name as "method", and its settings
    without_samples: tuple[str, ...] = ()  # methods with one number, whatever the column
    tolerance: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by method: points, because
    numbers: tuple[Published, ...] = ()

    @property
    def track(self) -> Track:
        """The first track."""
        return next(iter(self.tracks.values()))

    @property
    def citation(self) -> str:
        """Authors, title and year."""
        return f"{self.authors}: {self.title} ({self.year})"

    @property
    def unit(self) -> float:
        """What one of the file's numbers is, as a share."""
        return 0.01 if self.percent else 1.0

    def of_problem(self, problem: str) -> "Paper":
        """Return the paper with its numbers for one problem alone."""
        known = sorted({p.problem for p in self.numbers})
        if problem not in known:
            hint = did_you_mean(problem, known)
            raise UnknownNameError(
                f"the paper {self.name} has no numbers for {problem!r}.{hint} It has {', '.join(known)}."
            )
        numbers = tuple(p for p in self.numbers if p.problem == problem)
        tracks = {name: track.of_problem(problem) for name, track in self.tracks.items()}
        return replace(self, numbers=numbers, tracks=tracks)

    def tolerated(self, published: Published) -> float:
        """Return by how much ours may differ beside two standard errors."""
        return self.unit * self.tolerance.get(published.method, {}).get("points", 0.0)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One method and setting for which a paper's tables print different numbers."""

    place: str  # of the numbers, see `Published.place`
    samples: int | None
    method: str
    printed: tuple[tuple[str, float, float | None], ...]  # (table, mean, SEM)


def disagreements(paper: Paper) -> list[Disagreement]:
    """Return where a paper's tables print two numbers for one thing.

    A method without samples is the same in every column, so its numbers are compared across all of them.
    """
    printed: dict[tuple[str, int | None, str], list[Published]] = defaultdict(list)
    for p in paper.numbers:
        samples = None if p.method in paper.without_samples else p.samples
        printed[p.place, samples, p.label].append(p)
    found = []
    for (place, samples, method), numbers in printed.items():
        by_value = {(p.mean, p.sem): p.table for p in reversed(numbers)}
        if len(by_value) > 1:
            values = tuple((table, *value) for value, table in reversed(by_value.items()))
            found.append(Disagreement(place, samples, method, values))
    return found


def in_full(settings: Mapping[str, Any]) -> str:
    """Return settings as "degree=4 noise=0.5"."""
    return telling(settings, [settings], always=settings)


def _holds(wanted: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    return all(name in config and config[name] == value for name, value in wanted.items())
