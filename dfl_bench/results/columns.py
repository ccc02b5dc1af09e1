"""The columns of a leaderboard. One added here stands wherever a board is shown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..contracts.ledger import PHASES
from .boards import Board, Row

Place = Literal["terminal", "page", "report", "latex"]
# `show.format` has a function for each; the page draws a "label" and a "dot" itself.
Format = Literal["label", "score", "dot", "seconds", "count", "whole", "percent"]
EVERYWHERE: frozenset[Place] = frozenset(("terminal", "page", "report", "latex"))


def _nothing(row: Row) -> None:
    return None


def _blank(row: Row) -> str:
    return ""


def _always(board: Board) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what stands in it, how it is written, and where it is shown."""

    name: str
    value: Callable[[Row], float | str | None]  # what the page sorts by; None: this row has no value
    format: Format
    error: Callable[[Row], float | None] = _nothing  # written after the value, with ±
    missing: Callable[[Row], str] = _blank  # the text where there is no value
    short: str = ""  # the heading in a terminal, which has eighty characters; "" is the name
    unit: str = ""
    align: Literal["left", "right"] = "right"
    alarm: bool = False  # a value is bad news
    where: frozenset[Place] = EVERYWHERE
    needed: Callable[[Board], bool] = _always  # whether a board has it

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.name} {self.unit}".strip()


def _mean(row: Row) -> float | None:
    return row.mean


def _phase(name: str, short: str) -> Column:
    return Column(
        name=name,
        short=short,
        unit="s",
        format="seconds",
        value=lambda row: row.seconds.get(name),
        where=frozenset(("terminal", "page")),
    )


SHORT_PHASES = {"surrogate": "surr."}
SORTED_BY = "regret"  # boards come in this order

COLUMNS: tuple[Column, ...] = (
    Column(name="method", format="label", value=lambda row: row.label, align="left"),
    Column(
        name="regret",
        format="score",
        value=_mean,
        error=lambda row: row.sem,
        missing=lambda row: "failed" if row.failures else "n/a",
    ),
    Column(
        name="of optimum",
        short="of opt.",
        unit="%",
        format="percent",
        value=lambda row: row.relative,
        needed=lambda board: any(row.relative is not None for row in board.all_rows),
    ),
    Column(name="regret as a dot", format="dot", value=_mean, where=frozenset(("page",))),
    Column(name="seeds", short="n", format="whole", value=lambda row: len(row.scores)),
    Column(
        name="group",
        format="whole",
        value=lambda row: row.rank,
        missing=lambda row: "" if row.reference or row.mean is None else "–",
    ),
    *(_phase(name, SHORT_PHASES.get(name, name)) for name in PHASES),
    Column(
        name="total",
        unit="s",
        format="seconds",
        value=lambda row: row.total_seconds,
        where=frozenset(("page", "report", "latex")),
    ),
    Column(
        name="solves",
        format="count",
        value=lambda row: row.total_solves,
    ),
    Column(
        name="failed",
        short="fail",
        format="whole",
        value=lambda row: row.failures or None,
        alarm=True,
        needed=lambda board: any(row.failures for row in board.all_rows),
    ),
)


def columns_of(board: Board, place: Place) -> list[Column]:
    """Return the columns of a board where it is shown in one place."""
    return [column for column in COLUMNS if place in column.where and column.needed(board)]
