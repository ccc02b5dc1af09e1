"""Regret step by step, from one way of running a problem to another: what each step does to whom."""

import json
from collections.abc import Iterator, Sequence

import altair as alt

from ....results.boards import Board
from ....results.ladder import SUITE, Ladder, Rung, ladders, problems_of
from ...format import score
from .axes import HEIGHT, WIDTH, Datum, Span, Style, finish, pointed
from .figure import Figure, Spec

KIND = "ladder"
ORDER = 3
TITLE = "From published to corrected code, step by step"
CAPTION = (
    "Each step keeps what the steps before it have changed; points are means with SEM. A ring marks a change "
    "from the step before that a paired sign-flip test finds (p < 0.05, uncorrected). A method without a "
    "point is not concerned by the step."
)
STEP_PIXELS = 44
SPREAD = 0.4  # of the distance of two steps: how far the methods of one step stand apart


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the ladder of every problem on which a method has run all steps."""
    names = [board.problem for board in boards]
    if not any(names.count(problem) > 1 for problem in problems_of(SUITE)):
        return  # steps differ in their problem's settings, so one board is no ladder
    records = [record for board in boards for row in board.all_rows for record in row.records]
    for ladder in ladders(records):
        if any(all(rung.scores for rung in rungs) for rungs in ladder.rungs.values()):
            yield figure_of(ladder, style)


def figure_of(ladder: Ladder, style: Style) -> Figure:
    """Return the figure of one ladder, which has at least one score."""
    return Figure(
        kind=KIND,
        title=TITLE,
        problem=ladder.problem,
        settings="",
        protocol=ladder.protocol,
        device=ladder.device,
        spec=_spec(ladder, style),
    )


def _spec(ladder: Ladder, style: Style) -> Spec:
    methods = style.ordered(ladder.rungs)
    values = [value for i, method in enumerate(methods) for value in _points(ladder, method, i, len(methods))]
    span = Span.around([value[end] for value in values for end in ("low", "high")], {})
    width = max(WIDTH, STEP_PIXELS * len(ladder.steps))
    tables = {
        "ours": values,
        "marked": [value for value in values if value["concerned"]],
        "found": [value for value in values if value["significant"]],
    }
    layers = _layers(methods, ladder.steps, span, style)
    title = f"{ladder.problem}: {TITLE[0].lower()}{TITLE[1:]}"
    spec = finish(layers, tables, style, title, (width, HEIGHT))
    # The labels of the steps are long, and wider in a reader's font than in the one they are measured in.
    spec["padding"] |= {"left": 30, "bottom": 26}
    return spec


def _points(ladder: Ladder, method: str, place: int, n_methods: int) -> Iterator[Datum]:
    """The steps of a method that have been run; a step that has not breaks its line in two."""
    offset = SPREAD * ((place + 0.5) / n_methods - 0.5)
    piece = 0
    for i, (step, rung) in enumerate(zip(ladder.steps, ladder.rungs[method], strict=True)):
        if rung.mean is None:
            piece += 1
            continue
        sem = rung.sem or 0.0
        yield {
            "method": method, "piece": f"{method} {piece}", "x": i + offset, "regret": rung.mean,
            "low": rung.mean - sem, "high": rung.mean + sem, "concerned": rung.concerned,
            "significant": rung.significant, "tip": _tip(method, step, rung),
        }  # fmt: skip


def _tip(method: str, step: str, rung: Rung) -> str:
    assert rung.mean is not None
    said = [score(rung.mean, rung.sem), f"{len(rung.scores)} seed{'s' if len(rung.scores) != 1 else ''}"]
    if rung.change:
        p = "" if rung.p_value is None else f" (p = {rung.p_value:.3f})"
        said.append(f"{rung.change:+.3f}".replace("-", "−") + f" by this step{p}")
    return f"{method}, {step}: {', '.join(said)}"


def _layers(methods: Sequence[str], steps: Sequence[str], span: Span, style: Style) -> list[alt.Chart]:
    axis = alt.Axis(
        title=None,
        values=list(range(len(steps))),
        labelExpr=f"{json.dumps(steps)}[round(datum.value)]",
        labelAngle=-40,
        labelAlign="right",
        labelBaseline="middle",
        labelLimit=0,
        labelOverlap=False,
        grid=True,
    )
    scale = alt.Scale(domain=[-0.5, len(steps) - 0.5], nice=False, zero=False)
    x, y, colour = alt.X("x:Q", scale=scale, axis=axis), span.axis(), style.colour(methods)
    ours, marked, found = (
        alt.Chart(alt.NamedData(name)).encode(x=x, color=colour) for name in ("ours", "marked", "found")
    )
    return [
        ours.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=y, detail=alt.Detail("piece:N")),
        marked.mark_rule(strokeWidth=1.2).encode(y=span.axis("low"), y2=alt.Y2("high:Q")),
        found.mark_point(filled=False, shape="circle", size=170, strokeWidth=1.4).encode(y=y),
        pointed(marked, size=36).encode(y=y, shape=style.shape(methods)),
    ]
