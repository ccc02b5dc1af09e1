"""A file that data is read from has to be declared: its content is part of the key."""

import numpy as np
import pytest

from tests.faults.support import run_one, write_plugin

READS = """
from pathlib import Path
FILE = Path({path!r})
{at_import}
@problems.register("{name}", version=1)
class Reads(Problem):
    from dataclasses import dataclass
    @dataclass(frozen=True)
    class Config:
        rows: int = 20
    provenance = "user-supplied: csv"
    network = Network(outputs=3, activation="linear")
    {declared}
    def data(self, seed):
        table = {read}
        whole = Split(table[:, :4], table[:, 4:])
        return Splits(whole[:20], whole[20:40], whole[40:])
    def decide(self, y_hat, context):
        return y_hat.argmax(-1)
    def cost(self, z, y, context):
        return -(y * (z[..., None] == np.arange(3))).sum(-1)
    def worst(self, y, context):
        return y.argmin(-1)
"""
WAYS = {
    "numpy": "np.loadtxt(FILE)",
    "pandas": "__import__('pandas').read_csv(FILE, sep=' ', header=None).to_numpy()",
    "descriptor": (
        "np.array(os.read(os.open(FILE, os.O_RDONLY), 10**6).split(), dtype=float).reshape(-1, 7)"
    ),
    "relative": "(os.chdir(FILE.parent), np.loadtxt(FILE.name))[1]",
}


def table(path, seed: int) -> None:
    np.savetxt(path, np.random.default_rng(seed).standard_normal((60, 7)))


def problem_text(name, path, *, declared: bool, read: str, at_import: str = "") -> str:
    files = "data_files = property(lambda self: (FILE,))" if declared else ""
    return READS.format(name=name, path=str(path), declared=files, read=read, at_import=at_import)


@pytest.mark.parametrize("way", WAYS)
def test_an_undeclared_file_fails_the_cell_and_a_declared_one_does_not(tmp_path, toy, way):
    path = tmp_path / "table.csv"
    table(path, 0)
    for declared in (False, True):
        name = f"reads-{way}-{declared}".lower()
        text = problem_text(name, path, declared=declared, read=WAYS[way])
        record = run_one(tmp_path, write_plugin(tmp_path, name.replace("-", "_"), text), "random", name)
        assert record.status == ("ok" if declared else "failed"), record.error
        if not declared:
            assert f"has read {path}, which it does not declare" in record.error
            assert "data_files" in record.error


def test_a_file_read_at_import_counts(tmp_path, toy):
    path = tmp_path / "table.csv"
    table(path, 0)
    text = problem_text(
        "reads-early", path, declared=False, read="TABLE", at_import="TABLE = np.loadtxt(FILE)"
    )
    record = run_one(tmp_path, write_plugin(tmp_path, "reads_early", text), "random", "reads-early")
    assert f"has read {path}, which it does not declare" in record.error


def test_a_file_that_the_problem_itself_has_written_need_not_be_declared(tmp_path, toy):
    path = tmp_path / "scratch.csv"
    table(tmp_path / "table.csv", 0)
    read = "(np.savetxt(FILE, rng_for('scratch', seed=seed).standard_normal((60, 7))), np.loadtxt(FILE))[1]"
    text = problem_text("reads-own", path, declared=False, read=read)
    record = run_one(tmp_path, write_plugin(tmp_path, "reads_own", text), "random", "reads-own")
    assert record.status == "ok", record.error


def test_a_changed_file_gives_a_new_result(tmp_path, toy):
    path = tmp_path / "table.csv"
    text = problem_text("reads-twice", path, declared=True, read="np.loadtxt(FILE)")
    records = []
    for seed in (0, 1, 0):
        table(path, seed)
        records.append(
            run_one(tmp_path, write_plugin(tmp_path, "reads_twice", text), "random", "reads-twice")
        )
    assert records[0].key == records[2].key != records[1].key
    assert records[0].normalized_regret == records[2].normalized_regret != records[1].normalized_regret
