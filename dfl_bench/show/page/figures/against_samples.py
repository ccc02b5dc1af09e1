"""Regret against the number of samples K, with the published numbers behind."""

from collections.abc import Iterator, Sequence
from math import log2

import altair as alt

from ....contracts.fingerprint import canonical
from ....results.boards import Board, Row
from ....results.paper import Published
from ....results.published import published_for
from .axes import Datum, Span, Style, finish, pointed, reference_lines, references
from .figure import Figure, Spec, note_on_paper
from .labels import tip, tip_of_paper

KIND = "samples"
ORDER = 1
TITLE = "Regret against sample size"
CAPTION = (
    "Points and lines are ours, with SEM; the wide faint lines behind are the paper’s. "
    "A method that draws no samples is a level line."
)
SPREAD = 0.3  # of one doubling: how far the methods of one K stand apart


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figure of every board that has two K to compare."""
    for board in boards:
        printed = published_for(board)
        spec = _spec(board, printed, style)
        if spec is not None:
            yield Figure.of(board, spec, kind=KIND, title=TITLE, note=note_on_paper(board, printed))


def _spec(board: Board, theirs: Sequence[Published], style: Style) -> Spec | None:
    scored = [row for row in board.rows if row.mean is not None]
    run = {k for row in scored if (k := _samples(row))}
    if len(run) < 2:
        return None
    sizes = sorted(run | {p.samples for p in theirs if p.samples})
    methods = {row.method for row in scored}
    order = style.ordered(methods)
    offset = {name: SPREAD * ((i + 0.5) / len(order) - 0.5) for i, name in enumerate(order)}
    edges = (log2(sizes[0]) - 0.35, log2(sizes[-1]) + 0.35)
    ours = [value for row in scored for value in _points(row, edges, offset[row.method])]
    behind: list[Datum] = [
        {"method": p.method, "x": log2(p.samples), "regret": p.mean, "tip": tip_of_paper(p)}
        for p in theirs
        if p.method in methods and p.samples
    ]
    lines = references(board)
    span = Span.around([v[k] for v in ours for k in ("low", "high")] + [v["regret"] for v in behind], lines)
    under, tables = reference_lines(lines, span, style)
    tables |= {"ours": ours, "marked": [value for value in ours if value["marked"]], "paper": behind}
    layers = _layers(sorted(methods), sizes, edges, span, style)
    return finish([*under, *layers], tables, style, f"{board.problem} {board.settings}".strip())


def _samples(row: Row) -> int | None:
    return row.config.get("samples")


def _points(row: Row, edges: tuple[float, float], offset: float) -> list[Datum]:
    """One point at its K, or the two ends of a level line for a method that draws no samples."""
    assert row.mean is not None
    sem = row.sem or 0.0
    others = canonical({name: value for name, value in row.config.items() if name != "samples"})
    shared: Datum = {
        "method": row.method, "series": others, "regret": row.mean,
        "low": row.mean - sem, "high": row.mean + sem, "tip": tip(row),
    }  # fmt: skip
    samples = _samples(row)
    if samples is not None:
        return [{**shared, "x": log2(samples) + offset, "marked": True}]
    return [{**shared, "x": edges[0], "marked": True}, {**shared, "x": edges[1], "marked": False}]


def _layers(
    methods: list[str], sizes: list[int], edges: tuple[float, float], span: Span, style: Style
) -> list[alt.Chart]:
    ticks = alt.Axis(
        title="samples K", values=[log2(k) for k in sizes], labelExpr="round(pow(2, datum.value))"
    )
    x = alt.X("x:Q", scale=alt.Scale(domain=list(edges), nice=False, zero=False), axis=ticks)
    y, colour = span.axis(), style.colour(methods)
    paper, ours, marked = (
        alt.Chart(alt.NamedData(name)).encode(x=x, color=colour) for name in ("paper", "ours", "marked")
    )
    return [
        paper.mark_line(strokeWidth=5, opacity=0.2, strokeCap="round").encode(y=y),
        pointed(paper, size=30, opacity=0.25).encode(y=y),
        marked.mark_rule(strokeWidth=1.2).encode(y=span.axis("low"), y2=alt.Y2("high:Q")),
        ours.mark_line(strokeWidth=1.5).encode(y=y, detail=alt.Detail("series:N")),
        pointed(marked, size=36).encode(y=y, shape=style.shape(methods)),
    ]
