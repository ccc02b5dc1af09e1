"""LCGLN against PFL on both tracks, seed by seed: a table of docs/reproduction.md."""

from collections.abc import Iterable, Mapping, Sequence

from dfl_bench.results.paper import Paper
from dfl_bench.results.runs import Records, runs_of
from dfl_bench.results.statistics import mean_sem, sign_flip_test
from dfl_bench.store.record import Record

PLACES = (("inventory", None), *(("budget", fakes) for fakes in (500, 50, 5, 0)), ("portfolio", None))
HEAD = ["lcgln less pfl", *(p if n is None else f"{p}, {n} fakes" for p, n in PLACES)]


def lines(records: Sequence[Record], paper: Paper) -> Iterable[list[str]]:
    """Yield a line for each track: the mean paired difference, its error, and the p-value.

    Args:
        records: of the present versions.
        paper: whose tracks.
    """
    for track in paper.tracks.values():
        found: dict[tuple[str, int | None, str], Records] = {}
        for run in sorted(runs_of(records, track.suite), key=lambda run: run.cell.samples or 0):
            fakes = run.cell.problem_config.get("fake_targets")
            found[run.cell.problem, fakes, run.cell.method] = run.records  # the largest K is the last
        yield [track.name, *(_cell(found, place) for place in PLACES)]


def _cell(found: Mapping[tuple[str, int | None, str], Records], place: tuple[str, int | None]) -> str:
    ours, theirs = (found.get((*place, name), {}) for name in ("lcgln", "pfl"))
    gaps = [_score(ours[seed]) - _score(theirs[seed]) for seed in sorted(ours.keys() & theirs.keys())]
    if len(gaps) < 2:
        return "not run"
    mean, sem = mean_sem(gaps)
    return f"{mean:+.3f} ± {sem:.3f}, p = {sign_flip_test(gaps):.3f}".replace("-", "−")


def _score(record: Record) -> float:
    score = record.normalized_regret
    assert score is not None, "a run has records with a score alone"
    return score
