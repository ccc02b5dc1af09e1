"""Run what is missing from a store: in local processes, or on a Dask cluster."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import DflBenchError
from ..store.cell import Cell
from ..store.record import Record
from ..store.store import Store
from .job import Job, Plugin, failed
from .local_pool import Pool, PoolLostError, local_pool
from .progress import Progress, Unwatched
from .supervisor import Limits

if TYPE_CHECKING:
    from .dask_pool import Cluster

POLL_SECONDS = 0.2


@dataclass(slots=True)
class Summary:
    """What a run did, in cells."""

    new: int = 0
    reused: int = 0
    failed: int = 0
    not_applicable: int = 0
    interrupted: bool = False
    errors: list[Record] = field(default_factory=list)


def run(
    cells: Sequence[Cell],
    store: Store,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    plugins: Sequence[Plugin] = (),
    scheduler: "str | Cluster | None" = None,
    progress: Progress | None = None,
    force: bool = False,
) -> Summary:
    """Run the cells that have no result; records are written as they come, by this process.

    An interrupt (Ctrl-C) ends what runs, keeps what is finished, and is noted in the summary.

    Args:
        cells: what to run.
        store: where records go.
        jobs: cells side by side.
        limits: when a cell is ended.
        plugins: users' files with methods or problems.
        scheduler: the address of a Dask scheduler, or a `Cluster` with the files of TLS; without one,
            processes of this machine do the work.
        progress: who watches.
        force: run cells that have a result again; the new result replaces the old one.
    """
    limits, progress = limits or Limits(), progress or Unwatched()
    have = set() if force else store.has(cell.key for cell in cells)
    summary = Summary(reused=len(have))
    todo = deque(cell for cell in cells if cell.key not in have)
    if not todo:
        return summary
    store.begin(len(todo))
    progress.begin(len(cells), summary.reused, list(todo))
    with (
        closing(progress),
        _interrupt_noted() as interrupted,
        _pool(jobs, limits, scheduler) as (submit, capacity),
    ):
        running: dict[Future[Record], Cell] = {}
        while (todo or running) and not interrupted():
            while todo and len(running) < capacity:
                cell = todo.popleft()
                if not force and store.has([cell.key]):
                    summary.reused += 1  # another run into this store was faster
                    progress.skipped(cell)
                    continue
                running[submit(Job(cell, tuple(plugins), alone=jobs == 1 and scheduler is None))] = cell
                progress.started(cell)
            done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            lost = None
            for future in done:
                cell = running.pop(future)
                try:
                    record = future.result()
                except PoolLostError as error:
                    lost, record = error, failed(cell, "failed", f"{error} while the cell ran.")
                _take(store, summary, record, force)
                progress.finished(cell, record)
            if lost is not None:
                _give_up(store, running, lost, len(todo))
            progress.tick()
        summary.interrupted = interrupted()
    return summary


def _give_up(store: Store, running: Mapping[Any, Cell], lost: PoolLostError, waiting: int) -> None:
    """Fail the cells that run and end the run: no one is left to do the work."""
    for cell in running.values():
        store.add(failed(cell, "failed", f"{lost} while the cell ran."))
    raise DflBenchError(
        f"{lost}: the cells that ran are failed and {waiting} were not begun; "
        "finished cells are kept, and the same command goes on from there."
    ) from lost


def _take(store: Store, summary: Summary, record: Record, force: bool) -> None:
    """Keep a record and count it."""
    new = store.add(record, replace=force)
    if record.status in ("failed", "timeout"):
        summary.failed += 1
        summary.errors.append(record)
        return
    summary.new += new
    summary.reused += 1 - new
    summary.not_applicable += record.status == "n/a"


@contextmanager
def _interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a note, so that no write is cut short; a second one interrupts as usual."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted.is_set
        return

    def note(number: int, frame: object) -> None:
        noted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _pool(jobs: int, limits: Limits, scheduler: "str | Cluster | None") -> AbstractContextManager[Pool]:
    if scheduler is None:
        return local_pool(jobs, limits)
    from .dask_pool import Cluster, dask_pool

    return dask_pool(Cluster(scheduler) if isinstance(scheduler, str) else scheduler, limits)
