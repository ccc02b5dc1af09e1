"""The tables of docs/reproduction.md, written between its marks from the committed results.

`python -m tools.reproduction` writes them; text outside the marks stays as it is. A cell that has not been
run, or that is of an earlier version of its problem or method, is "not run".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from dfl_bench import methods, problems
from dfl_bench.results.agreement import agreement
from dfl_bench.results.boards import Board, Row, boards
from dfl_bench.results.ladder import ladders
from dfl_bench.results.ours import Pair
from dfl_bench.results.papers import load_paper
from dfl_bench.results.published import pairs
from dfl_bench.results.runs import runs_of
from dfl_bench.results.statistics import mean_sem
from dfl_bench.show import ladder as shown_ladder
from dfl_bench.show.format import score
from dfl_bench.show.marked import write_between_marks
from dfl_bench.store.record import Record
from dfl_bench.store.store import Store
from tools import against_pfl

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reproduction.md"
STORES = [ROOT / "results" / f"{name}.sqlite" for name in ("paper", "published", "ladder")]
NOT_RUN = "not run"
PROBLEMS = {"inventory": {}, "budget": {"fake_targets": 500}, "portfolio": {}}
SAMPLES, FAKES = (2, 4, 8, 16, 32), (0, 5, 50, 500)
PAPER = load_paper()

Line = Sequence[str]


def tables(stores: Iterable[Path] = STORES) -> dict[str, str]:
    """Return the text of every place of the page, by its name."""
    found = [_present(store) for store in stores if store.is_file()]
    records = [record for part in found for record in part]
    tracks = {name: pairs(records, PAPER, track=track) for name, track in PAPER.tracks.items()}
    # Ranks are dear: the boards of sweeps over K are not needed.
    wanted = [[r for r in part if r.cell.protocol == "tuned" or _is_default(r)] for part in found]
    made = [board for part in wanted for board in boards(part)]
    made_tables = {
        "agreement": _agreement(tracks),
        "first table": _first_table(tracks),
        "samples": "\n".join(_samples(tracks)),
        "fake targets": _fake_targets(tracks),
        "against pfl": _table(against_pfl.HEAD, against_pfl.lines(records, PAPER)),
        "references": _references(records),
        "ladder": shown_ladder.markdown(ladders(records)),
        "tuned": _tuned(made),
        "floor": _floor(made),
    }
    return {name: f"\n{text}\n" for name, text in made_tables.items()}  # Markdown wants blank lines


def _present(store: Path) -> list[Record]:
    """The records that this code would make again as they are."""
    with Store(store, readonly=True) as opened:
        records = opened.records()
    return [record for record in records if not record.cell.older and _is_present(record)]


def _is_present(record: Record) -> bool:
    cell = record.cell
    versions = problems.get(cell.problem).version, methods.get(cell.method).version
    return (cell.problem_version, cell.method_version) == versions


def _is_default(record: Record) -> bool:
    """Whether a record is of inventory as it is, with the largest number of samples, if any."""
    cell = record.cell
    return cell.problem == "inventory" and not cell.problem_settings and cell.samples in (None, 32)


def _table(head: Line, rows: Iterable[Line]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _agreement(tracks: Mapping[str, Sequence[Pair]]) -> str:
    """How many cells agree, by track, problem and divisor."""
    rows = []
    for name, made in tracks.items():
        for problem in PROBLEMS:
            own = [pair for pair in made if pair.published.problem == problem]
            counts = [_agree(own, divisor) for divisor in PAPER.divisors]
            rows.append([name, problem, *counts, str(len(own))])
    return _table(["track", "problem", *(f"by {d}" for d in PAPER.divisors), "published cells"], rows)


def _agree(made: Sequence[Pair], divisor: str) -> str:
    found = agreement(made, PAPER, divisor)
    return NOT_RUN if found is None else "{} of {}".format(*found.total)


def _first_table(tracks: Mapping[str, Sequence[Pair]]) -> str:
    """The paper's first table, K = 32, with both tracks."""

    def cells(method: str, text: Callable[[Pair], str], made: Sequence[Pair]) -> list[str]:
        of = {p.published.problem: p for p in made if _is(p, "table1", method)}
        return [text(of[problem]) for problem in PROBLEMS]

    head = ["method, K = 32", *PROBLEMS]
    return _table(head, _beside(tracks, list(PAPER.methods.values()), cells))


def _samples(tracks: Mapping[str, Sequence[Pair]]) -> Iterator[str]:
    """The sweep over K, problem by problem, of the methods that draw samples."""
    names = [ours for ours in PAPER.methods.values() if ours["method"] not in PAPER.without_samples]
    for problem in PROBLEMS:

        def cells(
            method: str, text: Callable[[Pair], str], made: Sequence[Pair], problem: str = problem
        ) -> list[str]:
            of = {
                p.published.samples: p
                for p in made
                if p.published.problem == problem and p.published.table.startswith("sample")
                and p.published.method == method
            }  # fmt: skip
            return [text(of[k]) for k in SAMPLES]

        yield _table([f"{problem}, K", *map(str, SAMPLES)], _beside(tracks, names, cells))


def _fake_targets(tracks: Mapping[str, Sequence[Pair]]) -> str:
    """The sweep over fake targets, K = 16."""

    def cells(method: str, text: Callable[[Pair], str], made: Sequence[Pair]) -> list[str]:
        of = {p.published.settings["fake_targets"]: p for p in made if _is(p, "fake_targets", method)}
        return [text(of[n]) for n in FAKES]

    return _table(
        ["budget, K = 16, fake targets", *map(str, FAKES)],
        _beside(tracks, list(PAPER.methods.values()), cells),
    )


def _is(pair: Pair, table: str, method: str) -> bool:
    return (pair.published.table, pair.published.method) == (table, method)


def _beside(
    tracks: Mapping[str, Sequence[Pair]],
    wanted: Sequence[Mapping[str, str]],
    cells: Callable[[str, Callable[[Pair], str], Sequence[Pair]], list[str]],
) -> Iterator[Line]:
    """For each method a row of the paper, then one of each track."""
    for ours in wanted:
        method = ours["method"]
        first = next(iter(tracks.values()))
        yield [f"{method}, paper", *cells(method, _theirs, first)]
        for name, made in tracks.items():
            yield [f"{method}, {name}", *cells(method, _ours, made)]


def _theirs(pair: Pair) -> str:
    return score(pair.published.mean, pair.published.sem)


def _ours(pair: Pair) -> str:
    return NOT_RUN if pair.ours is None else score(pair.ours.mean, pair.ours.sem)


def _references(records: Sequence[Record]) -> str:
    """What policies without a method score on both tracks, and where nothing is decided."""
    names = ("floor", "constant", "random")
    scoreless = {(r.cell.problem, r.cell.method) for r in records if r.normalized_regret is None}
    rows = []
    for track in PAPER.tracks.values():
        found = {
            (run.cell.problem, run.cell.method): run.records
            for run in runs_of(records, track.suite)
            if PROBLEMS[run.cell.problem].items() <= run.cell.problem_config.items()
        }
        for problem in PROBLEMS:
            scores = [
                "none" if (problem, n) in scoreless else _mean(found.get((problem, n), {})) for n in names
            ]
            rows.append(
                [f"{track.name}, {problem}", *scores, _no_stakes(found.get((problem, "constant"), {}))]
            )
    return _table(["track, problem", *names, "test instances without anything to decide"], rows)


def _no_stakes(found: Mapping[int, Record]) -> str:
    """The share of test instances on which the reference decision is optimal; on budget all rates are 0."""
    shares = [float((r.worst_regret == 0.0).mean()) for r in found.values() if r.worst_regret is not None]
    return f"{fmean(shares):.0%}" if shares else NOT_RUN


def _mean(found: Mapping[int, Record]) -> str:
    scores = [r.normalized_regret for r in found.values() if r.normalized_regret is not None]
    return _written(scores) if scores else NOT_RUN


def _written(scores: Sequence[float]) -> str:
    mean, sem = mean_sem(scores)
    return score(mean, sem if len(scores) > 1 else None)


def _tuned(made: Sequence[Board]) -> str:
    """The searched settings, K = 32; the first group is bold."""
    places = [("inventory", None), *(("budget", n) for n in reversed(FAKES)), ("portfolio", None)]
    of = {
        (board.problem, board.config.get("fake_targets")): {row.method: row for row in board.rows}
        for board in made
        if board.protocol == "tuned"
    }
    names = list(dict.fromkeys(name for rows in of.values() for name in rows))
    head = ["searched, K = 32", *(p if n is None else f"{p}, {n} fakes" for p, n in places)]
    rows = [[name, *(_ranked(of.get(place, {}).get(name)) for place in places)] for name in names]
    return _table(head, rows or [[NOT_RUN, *[""] * len(places)]])


def _ranked(row: Row | None) -> str:
    if row is None or row.mean is None:
        return NOT_RUN
    text = score(row.mean, row.sem)
    return f"**{text}**" if row.rank == 1 else text


def _floor(made: Sequence[Board]) -> str:
    """Excess over the floor of inventory, seed by seed, K = 32."""
    of: dict[str, dict[str, str]] = {}
    for board in made:
        if board.problem == "inventory" and not board.changed:
            (floor,) = [row.scores for row in board.references if row.method == "floor"] or [{}]
            for row in (*board.rows, *board.references):
                shared = sorted(floor.keys() & row.scores.keys())
                if row.config.get("samples") in (None, 32) and not row.changes and shared:
                    excess = fmean(row.scores[seed] - floor[seed] for seed in shared)
                    of.setdefault(row.method, {})[board.protocol] = f"{excess:.3f}"
    rows = [[name, *(found.get(p, "") for p in ("paper", "tuned"))] for name, found in of.items()]
    return _table(["inventory, above the floor", "paper", "tuned"], rows or [[NOT_RUN, "", ""]])


def main() -> None:
    """Write all tables into the page."""
    for name, text in tables().items():
        write_between_marks(PAGE, name, text)


if __name__ == "__main__":
    main()
