"""Regret by a setting that a problem declares as a sweep, with the published numbers behind."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import altair as alt

from ....contracts.fingerprint import canonical
from ....results.boards import Board, Row
from ....results.naming import in_words
from ....results.paper import Published
from ....results.published import published_for
from .axes import DASHES, LABEL_PIXELS, SOLID, WIDTH, Datum, Span, Style, Tables, finish, pointed, references
from .figure import Figure, Spec, note_on_paper
from .labels import tip, tip_of_paper

KIND = "sweep"
ORDER = 2
TITLE = "Regret by {setting}"
CAPTION = "Points are ours, with SEM; the faint blocks behind are the paper’s mean ± SEM."

PAPER_SAMPLES = 16  # of the paper's table
GROUP = 0.8  # of the distance between two groups


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield a figure for every swept setting that has two values where nothing else differs."""
    for setting in dict.fromkeys(name for board in boards for name in board.swept):
        for family in _families(boards, setting):
            printed = [p for board in family for p in published_for(board)]
            spec = _spec(family, setting, printed, style)
            if spec is not None:
                yield _figure(family, setting, spec, note_on_paper(family[0], printed))


def _figure(boards: Sequence[Board], setting: str, spec: Spec, note: str) -> Figure:
    first = boards[0]
    others = [word for word in first.settings.split() if not word.startswith(f"{setting}=")]
    return Figure(
        kind=KIND,
        variant=setting,
        title=TITLE.format(setting=in_words(setting)),
        problem=first.problem,
        settings=" ".join(others),
        protocol=first.protocol,
        device=first.device,
        note=f"{words}. {note}".strip() if (words := _samples_in_words(boards)) else note,
        spec=spec,
    )


def _families(boards: Sequence[Board], setting: str) -> Iterable[list[Board]]:
    """Boards that differ in one setting alone."""
    families: dict[str, list[Board]] = defaultdict(list)
    for b in boards:
        if setting in b.swept:
            others = {name: value for name, value in b.changed.items() if name != setting}
            families[canonical([b.problem, others, b.source_digest, b.protocol, b.device])].append(b)
    return families.values()


def _shown_samples(boards: Sequence[Board]) -> int:
    """The K the figure is about: the paper's where it was run, else the most frequent one."""
    found = Counter(k for b in boards for row in b.rows if row.mean is not None and (k := _samples(row)))
    return PAPER_SAMPLES if PAPER_SAMPLES in found or not found else max(found, key=lambda k: (found[k], k))


def _samples_in_words(boards: Sequence[Board]) -> str:
    """Return "K = 16", or nothing where no method draws samples."""
    drawn = any(_samples(row) for board in boards for row in board.rows)
    return f"K = {_shown_samples(boards)}" if drawn else ""


def _spec(boards: Sequence[Board], setting: str, printed: Sequence[Published], style: Style) -> Spec | None:
    samples = _shown_samples(boards)
    ours = [
        _datum(row.method, board.swept[setting], row.mean, row.sem or 0.0, tip(row))
        for board in boards
        for row in board.rows
        if row.mean is not None and _samples(row) in (None, samples)
    ]
    if len({value["group"] for value in ours}) < 2:
        return None
    methods = {value["method"] for value in ours}
    # The paper's tables of a sweep have the name of the setting.
    theirs = [
        _datum(p.method, p.settings[setting], p.mean, p.sem or 0.0, tip_of_paper(p))
        for p in printed
        if p.table == setting and p.method in methods
    ]
    groups = sorted({value["group"] for value in (*ours, *theirs)}, key=_by_size)
    order = style.ordered(methods)
    for value in (*ours, *theirs):
        within = (order.index(value["method"]) + 0.5) / len(order) - 0.5
        value["x"] = groups.index(value["group"]) + GROUP * within
    named = [(canonical(b.swept[setting]), references(b)) for b in boards]
    lines = [(groups.index(group), values) for group, values in named if group in groups]
    bounds = [value[end] for value in (*ours, *theirs) for end in ("low", "high")]
    span = Span.around(bounds + [r["constant"] for _, r in lines if "constant" in r], {})
    x = _horizontal(groups, in_words(setting))
    under, tables = _references(lines, x, span, style)
    layers = _layers(order, x, span, style)
    tables |= {"ours": ours, "paper": theirs}
    words = [boards[0].problem, _samples_in_words(boards)]
    return finish([*under, *layers], tables, style, ", ".join(word for word in words if word))


def _datum(method: str, value: object, mean: float, sem: float, tip: str) -> Datum:
    return {
        "method": method, "group": canonical(value), "regret": mean, "low": mean - sem, "high": mean + sem,
        "tip": tip,
    }  # fmt: skip


def _by_size(group: str) -> tuple[bool, float, str]:
    """Numbers by size, then everything else by its text."""
    value = json.loads(group)
    number = isinstance(value, int | float)
    return not number, value if number else 0.0, group


def _samples(row: Row) -> int | None:
    return row.config.get("samples")


def _layers(methods: list[str], x: alt.X, span: Span, style: Style) -> list[alt.Chart]:
    colour = style.colour(methods)
    paper, ours = (alt.Chart(alt.NamedData(name)).encode(x=x, color=colour) for name in ("paper", "ours"))
    low = span.axis("low")
    return [
        paper.mark_rule(strokeWidth=6, opacity=0.25).encode(y=low, y2=alt.Y2("high:Q")),
        ours.mark_rule(strokeWidth=1.2).encode(y=low, y2=alt.Y2("high:Q")),
        pointed(paper, size=30, opacity=0).encode(y=span.axis()),
        pointed(ours, size=30).encode(y=span.axis(), shape=style.shape(methods)),
    ]


def _horizontal(groups: list[str], title: str) -> alt.X:
    labels = [value if isinstance(value := json.loads(group), str) else group for group in groups]
    axis = alt.Axis(
        title=title,
        values=list(range(len(groups))),
        labelExpr=f"{json.dumps(labels)}[round(datum.value)]",
        ticks=False,
    )
    return alt.X("x:Q", scale=alt.Scale(domain=[-0.5, len(groups) - 0.5], nice=False, zero=False), axis=axis)


def _references(
    lines: list[tuple[int, dict[str, float]]], x: alt.X, span: Span, style: Style
) -> tuple[list[alt.Chart], Tables]:
    """A dashed piece over each group; those beyond the axis are named at its edge."""
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
            x=x,
            x2=alt.X2("end:Q"),
            y=span.axis(),
            strokeDash=alt.StrokeDash("dash:N", scale=None),
        ),
        labels.encode(x=alt.XValue(WIDTH), y=alt.YValue(0), text=alt.Text("text:N")),
    ]
    return layers, {"lines": pieces, "labels": [{"text": "\n".join(texts)}]}
