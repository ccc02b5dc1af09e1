"""What a child process is asked to do, and what is said of cells that gave no score."""

import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

from ..contracts.registry import load_plugin
from ..problems.from_file import load_problem
from ..store.cell import Cell
from ..store.record import Record, Status

LONGEST_ERROR = 10_000  # characters
TRACEBACK_LINES = 12


@dataclass(frozen=True, slots=True)
class Plugin:
    """A user's file, with its text: a worker on another machine does not see the file itself."""

    path: str
    text: str
    problem: str = ""  # a name in it that is a problem or a function that returns one; see `load_problem`

    @classmethod
    def read(cls, path: str | Path, problem: str = "") -> "Plugin":
        """Take a file as it is now."""
        return cls(str(Path(path).resolve()), Path(path).read_text(encoding="utf-8"), problem)

    def load(self) -> None:
        """Import the file, or its text where the file is not at hand."""
        path = Path(self.path)
        if path.is_file() and path.read_text(encoding="utf-8") == self.text:
            self._import(path)
            return
        with tempfile.TemporaryDirectory(prefix="dfl-bench-plugin-") as folder:
            copy = Path(folder) / path.name
            copy.write_text(self.text, encoding="utf-8")
            self._import(copy)

    def _import(self, path: Path) -> None:
        if self.problem:
            load_problem(path, self.problem)
        else:
            load_plugin(path)


@dataclass(frozen=True, slots=True)
class Job:
    """What a child process is asked to do."""

    cell: Cell
    plugins: tuple[Plugin, ...] = ()
    banks: str | None = None  # folder of labelled samples shared by the cells of a run
    alone: bool = False  # no other cell of its run beside it; whether anything else ran is measured


def failed(cell: Cell, status: Status, error: str) -> Record:
    """Return the record of a cell that gave no score.

    Args:
        cell: which one.
        status: "failed", "timeout" or "n/a".
        error: why, for the user; long texts are cut.
    """
    # Halves of characters, which a method may put into its text, can be neither printed nor stored.
    text = error[:LONGEST_ERROR].encode("utf-8", "replace").decode("utf-8")
    return Record(cell=cell, status=status, error=text)


def describe(error: BaseException) -> str:
    """Return an error and the last lines of where it came from, cut to what a record keeps."""
    lines = "".join(traceback.format_exception(error)).strip().splitlines()
    try:
        summary = f"{type(error).__name__}: {error}"
    except Exception:  # a user's error may fail to say what it is
        summary = f"{type(error).__name__}, which cannot be printed"
    return "\n".join([summary, *lines[-TRACEBACK_LINES:]])[:LONGEST_ERROR]
