"""What tells the boards of one problem apart: its sweeps, and the settings that any of them has changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import problems
from ..contracts.fingerprint import plain
from ..problems import swept
from ..store.cell import Cell
from .naming import telling


@dataclass(frozen=True, slots=True)
class Siblings:
    """The boards of one problem, each known by a cell of it."""

    sweeps: Mapping[str, Any]  # what the problem declares and a board has, with the defaults
    changed: frozenset[str]  # what is not the default on some board
    cells: Sequence[Cell]

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> "Siblings":
        """Return the siblings of one problem; asked once for it, because this reads the registry."""
        name, settings = cells[0].problem, {s: v for c in cells for s, v in c.problem_config.items()}
        found = swept(name, settings)
        usual = plain(problems.get(name).Config()) if found else {}
        changed = frozenset(setting for cell in cells for setting in cell.problem_settings)
        return cls({setting: usual.get(setting) for setting in found}, changed, cells)

    def swept(self, cell: Cell) -> dict[str, Any]:
        """Return a board's sweeps; a record older than a setting was made with what is the default now."""
        return {name: cell.problem_config.get(name, usual) for name, usual in self.sweeps.items()}

    def in_words(self, cell: Cell) -> str:
        """Return the sweeps of a board, all that is not the default, and the digest of a user's code."""
        always = {*self.sweeps, *cell.problem_settings}
        words = telling(self._telling(cell), [self._telling(other) for other in self.cells], always=always)
        code = f"code={cell.problem_code[:8]}" if cell.problem_code else ""
        return f"{words} {code}".strip()

    def _telling(self, cell: Cell) -> dict[str, Any]:
        own = {name: value for name, value in cell.problem_config.items() if name in self.changed}
        return own | self.swept(cell)
