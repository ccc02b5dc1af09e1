"""Which rows of several boards are the same method, and how such a line of rows is named."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..contracts.fingerprint import canonical
from .boards import Row
from .naming import SAMPLES, telling


@dataclass(frozen=True, slots=True)
class Variant:
    """A method in one configuration: what makes rows of different boards one line."""

    method: str
    key: str  # canonical, of the settings that tell variants of this method apart
    code: str  # digest of a user's file
    told: Mapping[str, Any] = field(compare=False)  # these settings
    changes: tuple[str, ...] = field(compare=False)  # those of them that are not the protocol's


def variants(boards: Iterable[Sequence[Row]]) -> list[dict[Variant, Row]]:
    """Return the rows of each board by variant.

    A setting that a row has changed tells it from others. A setting that nobody has changed and that differs
    on one board does so too, unless most rows of its method there share the value. All other values are the
    protocol's choice for a problem, not another method. Samples never count: each board shows the largest K.
    """
    shown = [list(rows) for rows in boards]
    changed: dict[str, set[str]] = defaultdict(set)
    for row in (row for rows in shown for row in rows):
        changed[row.method].update(row.changes)
    return [dict(_on_board(rows, changed)) for rows in shown]


def _on_board(rows: Sequence[Row], changed: Mapping[str, Collection[str]]) -> Iterator[tuple[Variant, Row]]:
    for row in rows:
        siblings = [other for other in rows if other.method == row.method]
        unusual = {
            name
            for name in row.config
            if name not in changed[row.method] and _is_unusual(name, row, siblings)
        }
        told = {name: row.config[name] for name in sorted({*row.changes, *unusual} - {SAMPLES})}
        yield Variant(row.method, canonical(told), row.records[0].cell.method_code, told, row.changes), row


def _is_unusual(name: str, row: Row, siblings: Sequence[Row]) -> bool:
    text = canonical(row.config[name])
    return 2 * sum(canonical(other.config.get(name)) == text for other in siblings) <= len(siblings)


def shared_changes(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the settings of two methods or more that all rows that have them have changed to one value."""
    shared = {}
    for name in sorted({name for row in rows for name in row.changes} - {SAMPLES}):
        having = [row for row in rows if name in row.config]
        values = {canonical(row.config[name]) for row in having}
        several = len({row.method for row in having}) > 1
        if several and len(values) == 1 and all(name in row.changes for row in having):
            shared[name] = having[0].config[name]
    return shared


def name_variant(variant: Variant, siblings: Iterable[Variant], shared: Collection[str]) -> str:
    """Return what tells a variant from the others of its method, and all that it has changed alone.

    Args:
        variant: the one to name.
        siblings: all variants of the method, itself included.
        shared: settings that are said elsewhere.
    """
    own, *others = (
        {name: value for name, value in each.told.items() if name not in shared}
        for each in (variant, *siblings)
    )
    words = telling(own, others, always=[name for name in variant.changes if name in own], brief=True)
    return f"{words} code={variant.code[:8]}".strip() if variant.code else words
