"""Run a bad plugin beside a good cell, as a user does, and see what it did to the good one."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dfl_bench.store.store import Store
from tests.conftest import TOY
from tests.faults.misbehaviours import Misbehaviour
from tests.faults.support import all_gone, mark_processes

CONTROL = "toy-noisy"
COMMAND_SECONDS = 90


@dataclass(frozen=True)
class Outcome:
    name: str
    status: str  # of the bad cell, "none" without one, "command" where it took the command with it
    control: float | None
    clean: bool  # no process is left


def control_score(folder: Path) -> float:
    """Return the score of the good cell when it is alone."""
    store = folder / "control.sqlite"
    _command(store, [])
    return _score(store)


def try_plugin(folder: Path, bad: Misbehaviour) -> Outcome:
    """Run a bad plugin beside the control; where it ends the command, run the control again without it."""
    mark = mark_processes()
    path, store = folder / f"{bad.name.replace('-', '_')}.py", folder / f"{bad.name}.sqlite"
    path.write_text(bad.text, encoding="utf-8", errors="surrogatepass")
    _command(store, ["--plugin", str(path), "--method", f"bad-{bad.name}"])
    status = "command" if _score(store) is None else _status(store, f"bad-{bad.name}")
    if status == "command":
        _command(store, [])
    return Outcome(bad.name, status, _score(store), all_gone(mark))


def _command(store: Path, more: list[str]) -> None:
    base = [
        sys.executable,
        "-m",
        "dfl_bench",
        "run",
        "--plugin",
        str(TOY),
        "--problem",
        "toy",
        "--seeds",
        "1",
    ]
    limits = ["--time-limit", "3", "--memory-limit", "0.5", "--jobs", "1", "--quiet"]
    command = [*base, *limits, "--store", str(store), *more, "--method", CONTROL]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, timeout=COMMAND_SECONDS, **quiet)


def _status(path: Path, method: str) -> str:
    with Store(path, readonly=True) as store:
        found = [*store.records(method=method), *store.failures(method=method)]
    return found[0].status if found else "none"


def _score(path: Path) -> float | None:
    if not path.is_file():
        return None
    with Store(path, readonly=True) as store:
        scores = [record.normalized_regret for record in store.records(method=CONTROL)]
    return scores[0] if scores else None
