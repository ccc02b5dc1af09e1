"""Claims about the map as a decision table: on a terminal, and as Markdown."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from ..results.claims import Verdict
from .gain_text import interval_of, share, times
from .terminal import plain_table

Judged = tuple[Verdict, Verdict]  # on the map, and on what was held back
COLUMNS = ("if", "then", "holds if", "on the map", "held back")
UNKNOWN = "…"
NOTE = (
    "A line holds if the whole 95 % interval of its gain fulfils the inequality, it does not hold if the "
    "whole interval breaks it, and it is open if the interval has both. Several settings are pooled by "
    "adding their regrets. Of the lines, {before} were written before the map was run and {after} after it."
)


def show_claims(console: Console, judged: Sequence[Judged]) -> None:
    """Print every claim with what both maps say."""
    table = plain_table()
    for name in COLUMNS:
        table.add_column(Text(name), overflow="fold")
    for row in _rows(judged):
        table.add_row(*map(Text, row))
        table.add_section()
    console.print(table)
    console.print(Text(_note(judged)), soft_wrap=True)


def markdown(judged: Sequence[Judged]) -> str:
    """Return the same as Markdown."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *_rows(judged)]
    text = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    return f"{text}\n\n{_note(judged)}\n"


def _rows(judged: Iterable[Judged]) -> list[list[str]]:
    return [
        [here.claim.when, _then(here), _inequality(here), _said(here), _said(there)] for here, there in judged
    ]


def _then(verdict: Verdict) -> str:
    gain = verdict.gain
    number = UNKNOWN if gain is None or gain.value is None else f"{share(gain.value).removeprefix('+')} %"
    return verdict.claim.then.replace("{gain}", number)


def _inequality(verdict: Verdict) -> str:
    quantity, sign, number = verdict.claim.holds.split()
    bound = f"{100 * float(number):g} %" if quantity == "gain" else f"×{float(number):g}"
    return f"{quantity} {'≥' if sign == '>=' else '≤'} {bound}".replace("-", "−")


def _said(verdict: Verdict) -> str:
    gain = verdict.gain
    if gain is None:
        some = f", {verdict.run} of {verdict.settings} settings" if verdict.run else ""
        return f"not run{some}"
    quantity = verdict.claim.holds.split()[0]
    if quantity == "gain":
        interval = f" ({interval_of(gain)})" if gain.interval else ""
        number = f"{share(gain.value)}{interval} %"
    else:
        ratio = getattr(gain, quantity)
        number = "no number" if ratio is None else times(ratio)
    return f"{verdict.status}: {number}, {gain.settings} setting{'' if gain.settings == 1 else 's'}"


def _note(judged: Sequence[Judged]) -> str:
    before = sum(here.claim.stated == "before" for here, _ in judged)
    return NOTE.format(before=before, after=len(judged) - before)
