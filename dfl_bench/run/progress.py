"""Who watches a run, and how it is kept informed."""

from collections.abc import Sequence
from typing import Protocol

from ..store.cell import Cell
from ..store.record import Record


class Progress(Protocol):
    """What the driver calls while it works; each call may do nothing."""

    def begin(self, total: int, reused: int, todo: Sequence[Cell]) -> None:
        """Note how many cells there are, how many have a result, and the cells to run.

        Args:
            total: how many cells the run has.
            reused: how many of them have a result already.
            todo: the cells to run.
        """
        return

    def started(self, cell: Cell) -> None:
        """Note that a cell runs."""
        return

    def finished(self, cell: Cell, record: Record) -> None:
        """Note what became of a cell."""
        return

    def skipped(self, cell: Cell) -> None:
        """Note that a cell need not run, because another run has it."""
        return

    def tick(self) -> None:
        """Refresh what is shown; called several times a second."""
        return

    def close(self) -> None:
        """Leave the terminal as it was."""
        return


class Unwatched(Progress):
    """A run that no one watches."""
