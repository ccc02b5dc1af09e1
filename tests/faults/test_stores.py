import shutil
import tempfile
from pathlib import Path
from random import Random

import pytest

from tests.faults.damage import FILE_DAMAGE
from tests.faults.stores import GoodStores, judge, run, show, try_file


@pytest.fixture(scope="module")
def stores():
    """In memory where the system has such a folder: most of the time would be waiting for a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield GoodStores(Path(folder))


@pytest.mark.parametrize("damage", dict.fromkeys(FILE_DAMAGE), ids=lambda d: d.__name__)
def test_a_damaged_file_reads_exactly_or_is_refused(stores, damage):
    for seed in range(3):
        assert try_file(stores, damage, Random(seed)) in ("refused", "read exactly"), seed


def test_a_whole_file_reads_exactly(stores):
    """Else everything could be refused."""
    path = stores.copy()
    assert judge(path, stores.content, readonly=True) == "read exactly"
    assert judge(path, stores.content, readonly=False) == "read exactly"
    shutil.rmtree(path.parent)


def test_the_table_has_a_row_for_each_damage_and_one_for_all():
    table = show(run(2)).splitlines()
    assert table[2].startswith("| flip bits | 2 |") and table[-1].startswith("| all | 2 |")
