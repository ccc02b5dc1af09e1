"""Regret by the number of fake targets, with the published numbers behind."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from ....results.boards import Board, Row
from ....results.published import Published
from .axes import DASHES, LABEL_PIXELS, SOLID, WIDTH, Span, Style, Tables, finish, references

PAPER_SAMPLES = 16  # of the paper's table
GROUP = 0.8  # of the distance between two groups


def shown_samples(boards: Sequence[Board]) -> int:
    """Return the K the figure is about: the paper's where it was run, else the most frequent one."""
    found = Counter(k for b in boards for row in b.rows if row.mean is not None and (k := _samples(row)))
    return PAPER_SAMPLES if PAPER_SAMPLES in found or not found else max(found, key=lambda k: (found[k], k))


def against_fakes(
    boards: Sequence[Board], printed: Sequence[Published], style: Style
) -> dict[str, Any] | None:
    """Return the figure of boards that differ in `fake_targets` alone; None where no two are scored."""
    samples = shown_samples(boards)
    ours = [
        {
            "method": row.method,
            "fakes": board.config["fake_targets"],
            "regret": row.mean,
            "sem": row.sem or 0.0,
        }
        for board in boards
        for row in board.rows
        if row.mean is not None and _samples(row) in (None, samples)
    ]
    if len({value["fakes"] for value in ours}) < 2:
        return None
    methods = {value["method"] for value in ours}
    theirs: list[dict[str, Any]] = [
        {"method": p.method, "fakes": p.fake_targets, "regret": p.mean, "sem": p.sem}
        for p in printed
        if p.table == "fake_targets" and p.method in methods
    ]
    groups = sorted({value["fakes"] for value in (*ours, *theirs)})
    order = [name for name in style.places if name in methods]
    for value in (*ours, *theirs):
        within = (order.index(value["method"]) + 0.5) / len(order) - 0.5
        value |= {"x": groups.index(value["fakes"]) + GROUP * within}
        value |= {"low": value["regret"] - value["sem"], "high": value["regret"] + value["sem"]}
    lines = [(groups.index(b.config["fake_targets"]), references(b)) for b in boards]
    bounds = [value[end] for value in (*ours, *theirs) for end in ("low", "high")]
    span = Span.around(bounds + [r["constant"] for _, r in lines if "constant" in r], {})
    under, tables = _references(lines, groups, span, style)
    layers = _layers(order, groups, span, style)
    tables |= {"ours": ours, "paper": theirs}
    return finish([*under, *layers], tables, style, f"{boards[0].problem}, K = {samples}")


def _samples(row: Row) -> int | None:
    return row.config.get("samples")


def _layers(methods: list[str], groups: list[int], span: Span, style: Style) -> list[alt.Chart]:
    x, colour = _horizontal(groups), style.colour(methods)
    paper, ours = (alt.Chart(alt.NamedData(name)).encode(x=x, color=colour) for name in ("paper", "ours"))
    low = span.axis("low")
    return [
        paper.mark_rule(strokeWidth=6, opacity=0.25).encode(y=low, y2=alt.Y2("high:Q")),
        ours.mark_rule(strokeWidth=1.2).encode(y=low, y2=alt.Y2("high:Q")),
        ours.mark_point(filled=True, size=30, opacity=1).encode(y=span.axis(), shape=style.shape(methods)),
    ]


def _horizontal(groups: list[int]) -> alt.X:
    labels = "[" + ",".join(f"'{fakes}'" for fakes in groups) + "][round(datum.value)]"
    axis = alt.Axis(title="fake targets", values=list(range(len(groups))), labelExpr=labels, ticks=False)
    return alt.X("x:Q", scale=alt.Scale(domain=[-0.5, len(groups) - 0.5], nice=False, zero=False), axis=axis)


def _references(
    lines: list[tuple[int, dict[str, float]]], groups: list[int], span: Span, style: Style
) -> tuple[list[alt.Chart], Tables]:
    """A dashed piece over each group; those beyond the axis are said at its edge."""
    pieces = [
        {"regret": value, "x": group - 0.48, "end": group + 0.48, "dash": DASHES.get(name, SOLID)}
        for group, values in lines
        for name, value in values.items()
        if span.low <= value <= span.high
    ]
    named = {name: value for _, values in lines for name, value in values.items()}
    texts = [
        name if span.low <= value <= span.high else f"{name} {value:.2f} {'↓' if value < span.low else '↑'}"
        for name, value in sorted(named.items(), key=lambda item: -item[1])
    ]
    colour = style.palette.muted
    rules = alt.Chart(alt.NamedData("lines")).mark_rule(color=colour)
    labels = alt.Chart(alt.NamedData("labels")).mark_text(
        align="left", baseline="top", lineBreak="\n", lineHeight=LABEL_PIXELS, dx=5, fontSize=10, color=colour
    )
    layers = [
        rules.encode(
            x=_horizontal(groups),
            x2=alt.X2("end:Q"),
            y=span.axis(),
            strokeDash=alt.StrokeDash("dash:N", scale=None),
        ),
        labels.encode(x=alt.XValue(WIDTH), y=alt.YValue(0), text=alt.Text("text:N")),
    ]
    return layers, {"lines": pieces, "labels": [{"text": "\n".join(texts)}]}
