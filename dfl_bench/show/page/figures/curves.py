"""Learning curves: validation regret against seconds, a mean over seeds with its band."""

from collections.abc import Iterator, Sequence
from math import isfinite

import altair as alt
import numpy as np

from .... import methods as registered
from ....results.boards import Board, Row
from ....results.statistics import mean_sem
from ....store.record import Record
from ...format import score, seconds
from .axes import Datum, Span, Style, finish, pointed, reference_lines, references, seconds_axis
from .figure import Figure, Spec

KIND = "curves"
ORDER = 4
TITLE = "Learning curves"
CAPTION = (
    "Mean ± SEM over seeds at each validation, against the median of their seconds, each method at its "
    "largest K. Each seed is divided by the mean worst regret of its test instances, which puts it on the "
    "scale of the scores; a seed that has stopped keeps its last value."
)
VERTICAL = "validation regret, normalized"
MOST_CURVES = 8  # more are a tangle
MOST_POINTS = 30  # of a curve


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figure of every board that has a curve of a timed seed."""
    for board in boards:
        rows = _with_curves(board)
        if rows:
            chosen = _chosen(rows)
            few = f"{len(chosen)} of {len(rows)} methods: the best of each family, then the best of the rest."
            note = few if len(chosen) < len(rows) else ""
            yield Figure.of(board, _spec(board, chosen, style), kind=KIND, title=TITLE, note=note)


def _with_curves(board: Board) -> list[Row]:
    """The row of each method with the largest K that has a curve, best first."""
    largest: dict[str, Row] = {}
    for row in sorted(board.rows, key=lambda row: row.config.get("samples") or 0):
        if any(map(_is_shown, row.records)):
            largest[row.method] = row
    return [row for row in board.rows if largest.get(row.method) is row]


def _chosen(rows: Sequence[Row]) -> list[Row]:
    """The best row of each family, then the best of the rest, no more than can be told apart."""
    known = registered.entries()
    families = [known[row.method].family if row.method in known else "" for row in rows]
    first = [row for i, row in enumerate(rows) if families[i] not in families[:i]]
    return [*first, *(row for row in rows if row not in first)][:MOST_CURVES]


def _spec(board: Board, rows: Sequence[Row], style: Style) -> Spec:
    values = [value for row in rows for value in _curve(row)]
    lines = references(board)
    span = Span.around([value[end] for value in values for end in ("low", "high")], lines)
    times = [value["seconds"] for value in values]
    scale = alt.Scale(type="log", domain=[0.8 * min(times), 1.25 * max(times)], nice=False)
    x = alt.X("seconds:Q", scale=scale, axis=seconds_axis("seconds of one seed"))
    y, colour = span.axis(title=VERTICAL), style.colour({row.method for row in rows})
    under, tables = reference_lines(lines, span, style, VERTICAL)
    tables |= {"curves": values, "ends": [value for value in values if value["last"]]}
    curves, ends = (alt.Chart(alt.NamedData(name)).encode(x=x, color=colour) for name in ("curves", "ends"))
    layers = [
        curves.mark_area(opacity=0.16).encode(y=span.axis("low", VERTICAL), y2=alt.Y2("high:Q")),
        curves.mark_line(strokeWidth=1.5).encode(y=y),
        pointed(curves, size=60, opacity=0).encode(y=y),
        pointed(ends, size=40).encode(y=y, shape=style.shape({row.method for row in rows})),
    ]
    return finish([*under, *layers], tables, style, f"{board.problem} {board.settings}".strip())


def _is_shown(record: Record) -> bool:
    return record.is_timing and any(isfinite(regret) and at > 0 for at, regret in record.curve)


def _curve(row: Row) -> list[Datum]:
    """Mean and error over seeds at each validation."""
    times, regrets = _aligned([_normalized(record) for record in row.records if _is_shown(record)])
    kept = np.unique(np.linspace(0, len(times) - 1, MOST_POINTS).round().astype(int)).tolist()
    return [_datum(row, float(times[i]), regrets[i], i == len(times) - 1) for i in kept]


def _datum(row: Row, at: float, regrets: np.ndarray, last: bool) -> Datum:
    mean, sem = mean_sem(list(regrets))
    error = sem if len(regrets) > 1 else 0.0
    return {
        "method": row.method, "seconds": at, "regret": mean, "low": mean - error, "high": mean + error,
        "last": last, "tip": f"{row.label} after {seconds(at)} s: {score(mean, error or None)}",
    }  # fmt: skip


def _aligned(curves: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Seconds (n,) and regrets (n, seeds) at each validation; (time, regret) of one seed are (2, its n)."""
    n = max(curve.shape[1] for curve in curves)
    regrets = np.stack([np.pad(regret, (0, n - len(regret)), mode="edge") for _, regret in curves], axis=1)
    times = [np.median([curve[0, i] for curve in curves if i < curve.shape[1]]) for i in range(n)]
    return np.maximum.accumulate(times), regrets  # a slow seed that stops must not turn time back


def _normalized(record: Record) -> np.ndarray:
    """Times and regrets of a seed, (2, n), in units of its mean worst test regret, as scores are."""
    unit = record.mean_worst_regret
    assert unit is not None, "shown records have a score"
    return np.array([(at, regret / unit) for at, regret in record.curve if isfinite(regret) and at > 0]).T
