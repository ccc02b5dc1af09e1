"""Ours beside a paper's numbers: as Rich tables, and as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ..results.agreement import Agreement, agreement
from ..results.ours import Ours, Pair
from ..results.paper import Paper, Published, Track, disagreements, in_full
from ..results.published import pairs
from ..store.record import Record
from .format import percent, score, signed
from .terminal import plain_table

Column = tuple[str, Callable[[Pair], str]]
_HEADINGS = {"prediction": "pred."}  # of further divisors


def show_pairs(console: Console, records: Iterable[Record], paper: Paper) -> None:
    """Print all published cells with ours, track by track.

    Args:
        console: where to print.
        records: of a store.
        paper: what they are compared with.
    """
    columns, records = _columns(paper), list(records)
    for line in _before(paper):
        console.print(Text(line), soft_wrap=True)
    for track in paper.tracks.values():
        made = pairs(records, paper, track=track)
        for line in _title(track, paper):
            console.print(Text(line, style="bold"), soft_wrap=True)
        if track is not paper.track and not _has_run(made):
            console.print(Text("No cell of it has been run here."))
            continue
        for name, group in groupby(made, lambda pair: pair.published.table):
            table = plain_table(*(heading for heading, _ in columns))
            for pair in group:
                table.add_row(*(Text(write(pair)) for _, write in columns))
            console.print(Text(f"The paper's {name}", style="bold"))
            console.print(table)
        for line in _after(made, paper, track):
            console.print(Text(line), soft_wrap=True)


def markdown(records: Iterable[Record], paper: Paper) -> str:
    """Return the same as Markdown, for the tracks that have been run."""
    records = list(records)
    parts = ["\n".join(f"- {line}" for line in _before(paper))]
    run = [
        (track, made)
        for track in paper.tracks.values()
        if _has_run(made := pairs(records, paper, track=track))
    ]
    if not run:
        suites = " or ".join(f"`{track.suite}`" for track in paper.tracks.values())
        return f"No cell of the suite {suites} has been run yet.\n"
    for track, made in run:
        parts += [f"### {line}" for line in _title(track, paper)]
        columns = _columns(paper)
        for name, group in groupby(made, lambda pair: pair.published.table):
            rows = [[heading for heading, _ in columns], ["---"] * len(columns)]
            rows += [[write(pair) for _, write in columns] for pair in group]
            parts += [f"**{name}**", "\n".join(f"| {' | '.join(row)} |" for row in rows)]
        parts += _after(made, paper, track)
    return "\n\n".join(part for part in parts if part) + "\n"


def _has_run(made: Iterable[Pair]) -> bool:
    return any(pair.ours is not None for pair in made)


def _title(track: Track, paper: Paper) -> list[str]:
    """What a track is, where there is more than one."""
    if len(paper.tracks) == 1:
        return []
    return [f"Track {track.name}, suite {track.suite}: {track.summary}."]


def _columns(paper: Paper) -> list[Column]:
    """The columns of a paper's tables: what it does not vary has none."""
    write = percent if paper.percent else score

    def value(ours: Ours | None) -> str:
        return "not run" if ours is None else write(ours.mean, ours.sem)

    columns: list[Column] = [(paper.rows or "problem", lambda pair: _row_name(pair.published, paper.rows))]
    if any(p.samples for p in paper.numbers):
        columns.append(("K", lambda pair: str(pair.published.samples or "")))
    columns += [
        ("method", lambda pair: pair.published.label),
        ("paper", lambda pair: write(pair.published.mean, pair.published.sem)),
        ("ours", lambda pair: value(pair.ours)),
        _difference(paper, paper.divisors[0]),
    ]
    for divisor in paper.divisors[1:]:
        columns += [(_HEADINGS[divisor], _mean_by(divisor, write)), _difference(paper, divisor)]
    return [*columns, ("n", lambda pair: str(pair.seeds or ""))]


def _mean_by(divisor: str, write: Callable[[float, None], str]) -> Callable[[Pair], str]:
    return lambda pair: "" if (ours := pair.by[divisor]) is None else write(ours.mean, None)


def _difference(paper: Paper, divisor: str) -> Column:
    """The difference in standard errors; of single runs, how many of our seeds are lower."""
    if _of_single_runs(paper):
        return "lower", lambda pair: "" if (ours := pair.by[divisor]) is None else _lower(ours)
    return "z", lambda pair: "" if (ours := pair.by[divisor]) is None else signed(ours.z)


def _of_single_runs(paper: Paper) -> bool:
    return all(p.sem is None for p in paper.numbers)


def _lower(ours: Ours) -> str:
    return f"{ours.lower} of {len(ours.scores)}"


def _row_name(p: Published, setting: str) -> str:
    """The value of the setting that names rows; else the problem with its settings, "budget(5)".

    Eighty characters are few.
    """
    if setting:
        return str(p.settings[setting])
    values = ", ".join(map(str, p.settings.values()))
    return f"{p.problem}({values})" if values else p.problem


def _before(paper: Paper) -> list[str]:
    """What a reader has to know before the tables; where the data differ, it stands after them."""
    if not paper.differs:
        return []
    names = (f"{theirs} is {_in_words(**ours)}" for theirs, ours in paper.methods.items())
    return [f"{paper.citation}; {paper.source}.", *paper.differs, f"Names: {', '.join(names)}."]


def _in_words(method: str, **settings: object) -> str:
    return f"{method} with {in_full(settings)}" if settings else method


def _after(made: Sequence[Pair], paper: Paper, track: Track) -> Iterator[str]:
    yield paper.note
    have = sum(pair.ours is not None for pair in made)
    yield f"{have} of {len(made)} published cells have been run here."
    yield from older_versions(made)
    for problem, text in track.other_data.items():
        yield f"Our data of {problem} are not the paper's: {text}."
    for d in disagreements(paper):
        printed = " and ".join(f"{score(mean, sem)} ({table})" for table, mean, sem in d.printed)
        yield f"The paper's tables disagree: {d.method} on {d.place} is {printed}."
    for divisor in paper.divisors:
        found = agreement(made, paper, divisor)
        if found is not None:
            yield _counts(found, paper, divisor)
    found = agreement(made, paper)
    if found is not None:
        known = track.other_data
        yield from (
            _outside(pair, paper, track) for pair in found.outside if pair.published.problem not in known
        )


def older_versions(made: Iterable[Pair]) -> Iterator[str]:
    """Yield a sentence where cells are of earlier versions than this code has."""
    names = dict.fromkeys(pair.older for pair in made if pair.older)
    if names:
        yield f"Ours are of an earlier version, with what was the default then: {'; '.join(names)}."


def _counts(found: Agreement, paper: Paper, divisor: str) -> str:
    what = "Between our lowest and our highest seed" if _of_single_runs(paper) else "Within two combined SEMs"
    by = f", divided by {divisor}," if len(paper.divisors) > 1 else ""
    agree, run = found.total
    by_method = [_count(label, counts, paper) for label, counts in found.by_method.items()]
    by_problem = [_count(label, counts, paper) for label, counts in found.by_problem.items()]
    listed = [*(by_problem if len(by_problem) > 1 else []), *(by_method if run > len(by_method) else [])]
    return f"{what}{by} are {agree} of {run} cells{': ' if listed else ''}{', '.join(listed)}."


def _count(label: str, counts: tuple[int, int], paper: Paper) -> str:
    agree, run = counts
    if label not in paper.tolerance:
        return f"{label} {agree} of {run}"
    points, because = (paper.tolerance[label][name] for name in ("points", "because"))
    return f"{label} {agree} of {run} (and {points} points: {because})"


def _outside(pair: Pair, paper: Paper, track: Track) -> str:
    p, ours, write = pair.published, pair.ours, percent if paper.percent else score
    assert ours is not None, "what is not run is not outside"
    far = f"{_lower(ours)} seeds are lower" if ours.z is None else f"z {signed(ours.z)}"
    samples = f" K={p.samples}" if p.samples and p.method not in paper.without_samples else ""
    numbers = f"{write(ours.mean, ours.sem)} against {write(p.mean, p.sem)}, {far}"
    tried = "; ".join(track.attempts(p))
    also = f" Tried: {tried}." if tried else ""
    return f"Outside: {p.label}{samples} on {p.place}: {numbers}: {track.reason(p)}.{also}"
