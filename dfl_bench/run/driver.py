"""Run what is missing from a store: in local processes, or on a Dask cluster."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field

from ..experiment.plan import Group
from ..store.record import Record
from ..store.store import Store
from .job import Job, Plugin
from .local_pool import Pool, local_pool
from .progress import Progress, Unwatched
from .supervisor import Limits

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
    groups: Sequence[Group],
    store: Store,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    plugins: Sequence[Plugin] = (),
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run the groups that have a cell without a result; records are written as they come, by this process.

    An interrupt (Ctrl-C) ends what runs, keeps what is finished, and is told in the summary.
    """
    limits, progress = limits or Limits(), progress or Unwatched()
    cells = [cell for group in groups for cell in group.cells]
    have = store.has(cell.key for cell in cells)
    summary = Summary(reused=len({cell.key for cell in cells} & have))
    todo = deque(group for group in groups if any(cell.key not in have for cell in group.cells))
    if not todo:
        return summary
    store.begin(sum(len(group.cells) for group in todo))
    progress.begin(len({cell.key for cell in cells}), summary.reused, list(todo))
    with (
        closing(progress),
        _interrupt_noted() as interrupted,
        _pool(jobs, limits, scheduler) as (submit, capacity),
    ):
        running: dict[Future[list[Record]], Group] = {}
        while (todo or running) and not interrupted():
            while todo and len(running) < capacity:
                group = todo.popleft()
                missing = [cell for cell in group.cells if cell.key not in have]
                if len(store.has(cell.key for cell in missing)) == len(missing):
                    summary.reused += len(missing)  # another run into this store was faster
                    progress.skipped(len(missing))
                    continue
                running[submit(Job(group, tuple(plugins), alone=jobs == 1 and scheduler is None))] = group
                progress.started(group)
            done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                group = running.pop(future)
                progress.finished(group, _take(store, summary, future.result(), have))
            progress.tick()
        summary.interrupted = interrupted()
    return summary


def _take(store: Store, summary: Summary, records: list[Record], have: set[str]) -> list[Record]:
    """Keep what a group gave; return the records of cells that had none when the run began."""
    new = store.add(*records)
    fresh = [record for record in records if record.key not in have]
    bad = [record for record in fresh if record.status in ("failed", "timeout")]
    summary.new += new
    summary.reused += len(fresh) - len(bad) - new
    summary.failed += len(bad)
    summary.not_applicable += sum(record.status == "n/a" for record in fresh)
    summary.errors += bad
    return fresh


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


def _pool(jobs: int, limits: Limits, scheduler: str | None) -> AbstractContextManager[Pool]:
    if scheduler is None:
        return local_pool(jobs, limits)
    from .dask_pool import dask_pool

    return dask_pool(scheduler, limits)
