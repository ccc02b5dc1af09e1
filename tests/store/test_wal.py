import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest

from dfl_bench.errors import StoreError
from dfl_bench.store import wal
from dfl_bench.store.store import Store
from tests.reference.log_checksum import log_checksum
from tests.support.made import record

FRAME = 24 + 4096


@pytest.fixture
def killed(tmp_path):
    """A results file as a killed run leaves it: the records are in the log."""
    live, path = tmp_path / "live.sqlite", tmp_path / "killed.sqlite"
    with Store(live) as store:
        for seed in range(8):
            store.add(record("a", seed))
        for ending in ("", "-wal", "-shm"):
            shutil.copy(f"{live}{ending}", f"{path}{ending}")
    return path


def log_of(path):
    return path.with_name(path.name + "-wal")


@pytest.mark.parametrize(("magic", "order"), [(0x377F0682, "<"), (0x377F0683, ">")])
@pytest.mark.parametrize("page_size", [512, 4096])
def test_checksums_are_those_of_the_format(magic, order, page_size):
    rng = np.random.default_rng(page_size)
    header = struct.pack(">IIII", magic, 3007000, page_size, 0) + b"saltsalt"
    sums = log_checksum(header, (0, 0), order)
    data = header + struct.pack(">II", *sums)
    for page, pages in ((1, 0), (7, 9), (2, 0), (3, 12), (4, 0)):
        start, content = struct.pack(">II", page, pages), rng.bytes(page_size)
        sums = log_checksum(start + content, sums, order)
        data += start + b"saltsalt" + struct.pack(">II", *sums) + content
    log = wal.read_log(data)
    assert (log.whole, log.marked, log.salts) == (4, 4, b"saltsalt")
    assert log.first_page == data[32 + 24 : 32 + 24 + page_size]
    place = 32 + 3 * (24 + page_size) + 24 + 5  # in the fourth frame
    damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    assert (wal.read_log(damaged).whole, wal.read_log(damaged).marked) == (2, 4)


def test_the_log_that_sqlite_writes_is_whole(killed):
    data = log_of(killed).read_bytes()
    log = wal.read_log(data)
    assert log.whole == log.marked == (len(data) - 32) // FRAME > 8
    with Store(killed, readonly=True) as store:
        assert len(store.records()) == 8


def test_writes_that_did_not_end_are_not_damage(killed):
    """A kill in the middle of a write leaves frames without an end, and perhaps half a frame."""
    data = log_of(killed).read_bytes()
    unfinished = data[-FRAME : -FRAME + 4] + bytes(4) + data[-FRAME + 8 :]
    log_of(killed).write_bytes(data + unfinished + data[32 : 32 + 100])
    with Store(killed, readonly=True) as store:
        assert len(store.records()) == 8


@pytest.mark.parametrize("has_index", [True, False])
@pytest.mark.parametrize("place", [3, 16, 33, 32 + FRAME + 500, -10])
def test_a_changed_byte_in_the_log_is_an_error(killed, place, has_index):
    if not has_index:
        killed.with_name(killed.name + "-shm").unlink()
    data = bytearray(log_of(killed).read_bytes())
    data[place] ^= 4
    log_of(killed).write_bytes(data)
    with pytest.raises(StoreError, match=r"killed\.sqlite-wal is (damaged|missing)"):
        Store(killed, readonly=True)


@pytest.mark.parametrize("length", [0, 31, 32, 32 + FRAME, -FRAME])
def test_a_log_that_is_cut_short_or_gone_is_an_error(killed, length):
    log_of(killed).write_bytes(log_of(killed).read_bytes()[:length])
    with pytest.raises(StoreError, match="missing or cut short"):
        Store(killed)
    log_of(killed).unlink()
    with pytest.raises(StoreError, match="missing or cut short"):
        Store(killed)


def test_a_log_of_another_file_is_an_error_and_its_records_are_not_read(killed, tmp_path):
    with Store(tmp_path / "another.sqlite") as another:
        another.add(*(record("b", seed) for seed in range(20)))
        shutil.copy(log_of(tmp_path / "another.sqlite"), log_of(killed))
    killed.with_name(killed.name + "-shm").unlink()
    for readonly in (True, False):
        with pytest.raises(StoreError, match="belongs to another results file"):
            Store(killed, readonly=readonly)


def test_a_log_beside_a_file_that_has_none_is_an_error(killed, tmp_path):
    plain = tmp_path / "plain.sqlite"
    shutil.copy(killed, plain)
    data = bytearray(plain.read_bytes())
    data[18:20] = b"\1\1"
    plain.write_bytes(data)
    shutil.copy(log_of(killed), log_of(plain))
    with pytest.raises(StoreError, match="says that it has no log"):
        Store(plain, readonly=True)


def test_whoever_reads_while_others_write_sees_no_damage(tmp_path):
    path = tmp_path / "busy.sqlite"
    Store(path).close()
    code = (
        "import sys; from dfl_bench.store.store import Store; from tests.support.made import record\n"
        "with Store(sys.argv[1]) as store:\n"
        "    store._db.execute('PRAGMA wal_autocheckpoint = 20')\n"  # so that the log begins anew often
        "    for seed in range(150): store.add(record(sys.argv[2], seed))"
    )
    commands = [[sys.executable, "-c", code, str(path), name] for name in "ab"]
    writers = [subprocess.Popen(command) for command in commands]
    before = reads = 0
    while any(writer.poll() is None for writer in writers):
        with Store(path, readonly=True) as store:
            found = len(store.records())
        assert found >= before
        before, reads = found, reads + 1
    assert [writer.returncode for writer in writers] == [0, 0] and reads > 5
    with Store(path, readonly=True) as store:
        assert len(store.records()) == 300
