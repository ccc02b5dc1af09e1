import shutil
import tempfile
from pathlib import Path
from random import Random

import pytest

from dfl_bench.store import inspection
from tests.faults.damage import FILE_DAMAGE
from tests.faults.log_damage import LOG_DAMAGE
from tests.faults.stores import GoodStores, judge, run, show, try_file


@pytest.fixture(autouse=True)
def no_wait(monkeypatch):
    """No other process writes here."""
    monkeypatch.setattr(inspection, "SETTLE_SECONDS", 0.0)


@pytest.fixture(scope="module")
def stores():
    """In memory where the system has such a folder: most of the time would be waiting for a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield GoodStores(Path(folder))


@pytest.mark.parametrize("damage", dict.fromkeys((*FILE_DAMAGE, *LOG_DAMAGE)), ids=lambda d: d.__name__)
def test_a_damaged_file_reads_exactly_or_is_refused(stores, damage):
    for seed in range(3):
        assert try_file(stores, damage, Random(seed)) in ("refused", "read exactly"), seed


def test_whole_files_read_exactly_with_and_without_a_log(stores):
    """Else everything could be refused."""
    for damage in (FILE_DAMAGE[0], LOG_DAMAGE[0]):
        path = stores.copy(damage)
        assert judge(path, stores.content, readonly=True) == "read exactly"
        assert judge(path, stores.content, readonly=False) == "read exactly"
        shutil.rmtree(path.parent)


def test_the_table_has_a_row_for_each_damage_and_one_for_all():
    table = show(run(2)).splitlines()
    assert table[2].startswith("| flip bits | 2 |") and table[-1].startswith("| all | 2 |")
