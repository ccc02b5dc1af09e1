"""Regret by the number of fake targets, with the published numbers behind."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from ..leaderboard import Board, Row
from ..paper import Published
from .axes import DASHES, LABEL_PIXELS, WIDTH, Span, Style, data, finish, references

PAPER_SAMPLES = 16  # of the paper's table
GROUP = 0.8  # of the distance between two groups


def shown_samples(boards: Sequence[Board]) -> int:
    """Return the K the figure is about: the paper's where it was run, else the most frequent one."""
    found = Counter(k for b in boards for row in b.rows if row.mean is not None and (k := _samples(row)))
    return PAPER_SAMPLES if PAPER_SAMPLES in found or not found else max(found, key=lambda k: (found[k], k))


def against_fakes(boards: Sequence[Board], published: list[Published], style: Style) -> alt.LayerChart | None:
    """Return the figure of boards that differ in `fake_targets`; None where nothing is scored."""
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
    if not ours:
        return None
    methods = {value["method"] for value in ours}
    theirs = [
        {"method": p.method, "fakes": p.fake_targets, "regret": p.mean, "sem": p.sem}
        for p in published
        if p.problem == boards[0].problem and p.table == "fake_targets" and p.method in methods
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
    layers = _layers(ours, theirs, groups, span, style)
    return finish([*_references(lines, span, style), *layers], style, f"{boards[0].problem}, K = {samples}")


def _samples(row: Row) -> int | None:
    return row.config.get("samples")


def _layers(
    ours: list[dict[str, Any]], theirs: list[dict[str, Any]], groups: list[int], span: Span, style: Style
) -> list[alt.Chart]:
    x, y = _horizontal(len(groups), groups), span.axis()
    methods = [value["method"] for value in ours]
    colour = style.colour(methods)
    low, high = span.axis("low"), "high:Q"
    drawn = alt.Chart(data(ours)).encode(x=x, color=colour)
    layers = [
        drawn.mark_rule(strokeWidth=1.2).encode(y=low, y2=high),
        drawn.mark_point(filled=True, size=30, opacity=1).encode(y=y, shape=style.shape(methods)),
    ]
    if theirs:
        paper = alt.Chart(data(theirs)).encode(x=x, color=colour)
        # Butt ends: the block covers mean ± SEM and nothing more.
        layers.insert(0, paper.mark_rule(strokeWidth=6, opacity=0.25).encode(y=low, y2=high))
    return layers


def _horizontal(n: int, groups: list[int]) -> alt.X:
    labels = "[" + ",".join(f"'{fakes}'" for fakes in groups) + "][round(datum.value)]"
    axis = alt.Axis(title="fake targets", values=list(range(n)), labelExpr=labels, ticks=False)
    return alt.X("x:Q", scale=alt.Scale(domain=[-0.5, n - 0.5], nice=False, zero=False), axis=axis)


def _references(lines: list[tuple[int, dict[str, float]]], span: Span, style: Style) -> list[alt.Chart]:
    """A dashed piece over each group; those beyond the axis are said at its edge."""
    layers, outside = [], {}
    for group, values in lines:
        for name, value in values.items():
            if not span.low <= value <= span.high:
                outside[name] = value
                continue
            layers.append(
                alt.Chart(data([{"regret": value, "x": group - 0.48, "end": group + 0.48}]))
                .mark_rule(color=style.palette.muted, strokeDash=DASHES.get(name, [1, 0]))
                .encode(x="x:Q", x2="end:Q", y=span.axis())
            )
    named = {name: value for _, values in lines for name, value in values.items()}
    texts = [
        f"{name} {value:.2f} {'↓' if value < span.low else '↑'}" if name in outside else name
        for name, value in sorted(named.items(), key=lambda item: -item[1])
    ]
    labels = [
        alt.Chart(data([{"text": text}]))
        .mark_text(align="left", dx=5, fontSize=10, color=style.palette.muted)
        .encode(x=alt.value(WIDTH), y=alt.value(6 + LABEL_PIXELS * i), text="text:N")
        for i, text in enumerate(texts)
    ]
    return [*layers, *labels]
