"""Damage copies of a good results file and count what reading them gives.

`python -m tests.faults.stores --files 1000` prints one row for each kind of damage. A copy may read exactly
as it was written or give one StoreError that names it. Anything else is a failure: another exception, a
record that is changed or gone, a check that changes the file, or more than the time limit.
"""

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from dfl_bench.errors import StoreError
from dfl_bench.store.check import examine, repair
from dfl_bench.store.row import Row
from dfl_bench.store.seal import TABLES
from dfl_bench.store.sql import to_row
from dfl_bench.store.store import Store
from tests.faults.damage import FILE_DAMAGE, Damage
from tests.support.made import failure, record

LIMIT_SECONDS = 10.0
COLUMNS = ("tried", "refused", "read exactly", "changed", "tracebacks", "too slow")


class GoodStores:
    """A closed results file, to be copied and damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.closed = folder / "closed.sqlite"
        with Store(self.closed) as store:
            _fill(store, "p")
            self.content = content(store)
            self.written = everything(store)

    def copy(self) -> Path:
        """Return a fresh copy in a folder of its own."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return Path(shutil.copy(self.closed, folder / self.closed.name))


def content(store: Store) -> list[Row]:
    """Everything that can be read, exactly."""
    return [to_row(record) for record in (*store.records(), *store.failures())]


def everything(store: Store) -> list[Row]:
    """All records, with failures that a later success hides."""
    return [to_row(record) for table in TABLES for record in store._read(table)]


def judge(path: Path, good: list[Row], *, readonly: bool) -> str:
    """Read a damaged file and say what came of it: a column of the table."""
    start = time.perf_counter()
    try:
        with Store(path, readonly=readonly) as store:
            found = content(store)
            known = store.has(row.key for row in good)
        wanted = {row.key for row in good if row.is_final}
        result = "read exactly" if found == good and known == wanted else "changed"
    except StoreError as error:
        result = "refused" if str(path) in str(error) else "tracebacks"
    except Exception:
        traceback.print_exc()
        result = "tracebacks"
    return "too slow" if time.perf_counter() - start > LIMIT_SECONDS else result


def judge_repair(path: Path, written: list[Row]) -> str:
    """Check and repair a damaged file: it stays as it is, and the new one holds only what was written."""
    before, target = path.read_bytes(), path.with_name("repaired.sqlite")
    try:
        examine(path)
        repair(path, target)
        with Store(target, readonly=True) as store:
            kept = everything(store)
    except StoreError:
        kept = []
    except Exception:
        traceback.print_exc()
        return "tracebacks"
    invented = [row for row in kept if row not in written]
    return "changed" if invented or path.read_bytes() != before else "refused"


def try_file(stores: GoodStores, damage: Damage, rng: Random) -> str:
    """Damage one copy, and check, repair, read and open it to write."""
    path = stores.copy()
    try:
        damage(path, rng)
        repaired = judge_repair(path, stores.written)
        read = judge(path, stores.content, readonly=True)
        if path.stat().st_size == 0:
            return read  # opened to write, it is a new file
        written = judge(path, stores.content, readonly=False)
        worst_last = ("read exactly", "refused", "too slow", "changed", "tracebacks")
        bad = [result for result in (repaired, written) if worst_last.index(result) > 1]
        return max([read, *bad], key=worst_last.index)
    finally:
        shutil.rmtree(path.parent)


def run(files: int, seed: int = 0) -> dict[str, Counter[str]]:
    """Return, for each kind of damage, how often each result came."""
    rng, table = Random(seed), defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        stores = GoodStores(Path(folder))
        for i in range(files):
            damage = FILE_DAMAGE[i % len(FILE_DAMAGE)]
            table[damage.__name__].update(("tried", try_file(stores, damage, rng)))
    return table


def show(table: dict[str, Counter[str]]) -> str:
    """Return the table as Markdown, with a last row for all."""
    rows = [*table.items(), ("all", sum(table.values(), Counter()))]
    lines = [f"| damage | {' | '.join(COLUMNS)} |", "|---|" + "--:|" * len(COLUMNS)]
    for name, counts in rows:
        lines.append(
            f"| {name.replace('_', ' ')} | {' | '.join(str(counts[column]) for column in COLUMNS)} |"
        )
    return "\n".join(lines)


def _fill(store: Store, problem: str) -> None:
    """Write in several transactions, as a run does: results, failures, a cell that does not apply."""
    where = {"problem": problem}
    curve = tuple((0.5 * i, 1.0 / (i + 1)) for i in range(30))
    for method in "abc":
        for seed in range(12):
            store.add(record(method, seed, curve=curve, **where))
    store.add(record("d", 0, status="n/a", regret=None, worst_regret=None, error="needs a line", **where))
    for seed in range(6):
        store.add(failure("e", seed, **where))
    store.add(failure("e", 0, **where), record("e", 5, **where))


def main() -> int:
    """Run from the command line; exit code 1 when a file was read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = run(options.files, options.seed)
    print(show(table))
    return int(any(counts[bad] for counts in table.values() for bad in ("changed", "tracebacks", "too slow")))


if __name__ == "__main__":
    sys.exit(main())
