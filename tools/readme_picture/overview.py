"""All methods on all problems: normalized regret, coloured by how it stands to plain prediction."""

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import altair as alt

from dfl_bench import methods
from dfl_bench.results.boards import Board, Row
from dfl_bench.results.read import read_results
from dfl_bench.show.format import score

from .svg import as_svg

BASE = "pfl"
PAPERS = "lcgln"  # the method of the paper that the suite began with
MOST_NAMED = 3
WORST_RATIO = 2.0  # darker colours for more would hide smaller differences
CELL = (104, 19)  # pixels


@dataclass(frozen=True, slots=True)
class Square:
    """One method on one problem."""

    method: str
    problem: str
    mean: float
    ratio: float  # to plain prediction: below 1 is better
    first: bool  # in the first rank group


def squares(store: Path) -> list[Square]:
    """Return every method of a results file but references, on every board of the protocol `paper`."""
    found = []
    for board in read_results(store).boards:
        if board.protocol != "paper":
            continue
        rows = _one_a_method(board)
        base = rows[BASE].mean if BASE in rows else None
        for row in rows.values():
            if row.mean is not None and base:
                first = board.ranked and row.rank == 1
                found.append(Square(row.method, _short(board), row.mean, row.mean / base, first))
    return found


def _one_a_method(board: Board) -> dict[str, Row]:
    """The row of each method with the published settings, and the most samples where they were varied."""
    usual = [row for row in board.rows if not any(r.cell.method_changes for r in row.records)]
    ordered = sorted(usual, key=lambda row: row.config.get("samples") or 0)
    return {row.method: row for row in ordered}


def _short(board: Board) -> str:
    """The problem, with its sweep where the store has several boards of it."""
    fakes = board.config.get("fake_targets")
    return board.problem if fakes is None else f"{board.problem}, {fakes} fake"


def draw_overview(store: Path) -> str:
    """Return the picture as SVG: methods that need less regret than plain prediction stand above it."""
    made = squares(store)
    problems = list(dict.fromkeys(square.problem for square in made))
    rows = [
        {
            "method": s.method,
            "problem": s.problem,
            "text": score(s.mean, None),
            "level": max(-1.0, min(1.0, math.log(max(s.ratio, 1e-9), WORST_RATIO))),
            "first": s.first,
        }
        for s in made
    ]
    top = _axis(orient="top", labelAngle=0, labelLimit=CELL[0])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("problem:N", sort=problems, title=None, axis=top),
        y=alt.Y("method:N", sort=_order(made), title=None, axis=_axis()),
    )
    colour = alt.Color(
        "level:Q",
        title="regret against pfl",
        scale=alt.Scale(domain=[-1, 0, 1], range=["#4a98cf", "#ffffff", "#e89a5e"], interpolate="rgb"),
        legend=alt.Legend(
            orient="bottom",
            titleOrient="left",
            titleFontWeight="normal",
            values=[-1, 0, 1],
            labelExpr="datum.value < 0 ? 'half or less' : datum.value > 0 ? 'twice or more' : 'equal'",
            gradientLength=260,
        ),
    )
    squares_ = base.mark_rect(stroke="#ddd").encode(color=colour)
    words = [
        base.transform_filter(f"datum.first == {first}")
        .mark_text(fontSize=11, color="#222", fontWeight="bold" if first == "true" else "normal")
        .encode(text="text:N")
        for first in ("true", "false")
    ]
    # What does not apply stays grey.
    size = {
        "width": alt.Step(CELL[0]),
        "height": alt.Step(CELL[1]),
        "view": alt.ViewBackground(fill="#e4e4e4"),
    }
    return as_svg(alt.layer(squares_, *words).properties(**size))


def caption(store: Path) -> str:
    """Return what the picture shows, in words, for the README."""
    made = squares(store)
    boards = len({s.problem for s in made})
    first = Counter({s.method: 0 for s in made}) + Counter(s.method for s in made if s.first)
    often = ", ".join(f"`{name}` on {count}" for name, count in first.most_common(MOST_NAMED))
    lower = sum(s.ratio < 1 for s in made if s.method != BASE)
    others = sum(s.method != BASE for s in made)
    place = f"{store.parent.name}/{store.name}"
    count = len({s.method for s in made})
    grey = " grey: n/a;" if len(made) < count * boards else ""
    parts = (
        f"*{count} methods on {boards} boards with their published settings, from `{place}`.",
        f"A number is the normalized regret; bold: in the first rank group;{grey}",
        f"blue: better than plain prediction (`{BASE}`), orange: worse. {lower} of {others} are lower.",
        f"Most often in the first group: {often} of {boards}. `{PAPERS}` is there on {first[PAPERS]}.*",
    )
    return "\n".join(parts) + "\n"


def _axis(**more: Any) -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelFontSize=11, **more)


def _order(made: list[Square]) -> list[str]:
    """The methods by their mean ratio on the logarithmic scale, the lowest first."""
    names = [name for name in methods.names() if any(s.method == name for s in made)]
    names += sorted({s.method for s in made} - set(names))
    ratios = {n: fmean(math.log(max(s.ratio, 1e-9)) for s in made if s.method == n) for n in names}
    return sorted(names, key=lambda name: ratios[name])
