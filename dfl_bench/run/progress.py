"""Who watches a run, and how it is kept informed."""

from collections.abc import Sequence
from typing import Protocol

from ..experiment.plan import Group
from ..store.record import Record


class Progress(Protocol):
    """What the driver calls while it works; each call may do nothing."""

    def begin(self, total: int, reused: int, todo: Sequence[Group]) -> None:
        """Note how many cells there are, how many have a result, and the groups to run."""
        return

    def started(self, group: Group) -> None:
        """Note that a group runs."""
        return

    def finished(self, group: Group, records: Sequence[Record]) -> None:
        """Note what became of the cells of a group that had no result before."""
        return

    def skipped(self, cells: int) -> None:
        """Note that a group need not run, because another run has its cells."""
        return

    def tick(self) -> None:
        """Refresh what is shown; called several times a second."""
        return

    def close(self) -> None:
        """Leave the terminal as it was."""
        return


class Unwatched(Progress):
    """A run that no one watches."""
