import io
import itertools
import os
import pty
import re
import subprocess
import sys

import pytest
from rich.console import Console

from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.show.format import duration
from dfl_bench.show.live import Counts, Lines, LiveTable, choose, leaders
from dfl_bench.show.pace import Pace, share
from dfl_bench.show.plan import announce
from tests.conftest import ROOT, TOY
from tests.support.made import failure, record


def test_durations_as_a_person_would_write_them():
    assert [duration(s) for s in (0.4, 59, 61, 7500)] == ["0 s", "59 s", "1 min 1 s", "2 h 5 min"]


def test_lines_for_a_log(toy):
    cells = plan([Entry(problem="toy", methods=("toy-noisy",), seeds=3)])
    stream = io.StringIO()
    lines = Lines(stream)
    lines.begin(3, 0, cells)
    for cell, made in zip(cells, (record(score=0.5), record(score=0.25), failure()), strict=True):
        lines.started(cell)
        lines.finished(cell, made)
    first, _, third = stream.getvalue().splitlines()
    assert (
        re.match(r"\[1/3 cells, [\d.e+]+ cells/min, about ", first)
        and "seed 0: normalized regret 0.5000" in first
    )
    assert "[3/3 cells, 1 failed, " in third and "failed: Boom: it broke" in third


def test_a_problem_with_several_sweeps_is_one_word():
    cells = plan([Entry(problem="shortest-path", methods=("constant",), settings={"degree": 8}, seeds=1)])
    assert "constant on shortest-path(8,0.5,1000,5); 1 seed" in announce(cells, 0)
    counts = Counts()
    counts.begin(1, 0, cells)
    counts.started(cells[0])
    counts.finished(cells[0], record(score=0.5))
    assert counts.scores == {"shortest-path(8,0.5,1000,5)": {"constant": [0.5]}}


def test_what_is_chosen():
    terminal, log = Console(force_terminal=True, file=io.StringIO()), Console(file=io.StringIO())
    assert type(choose(terminal, quiet=False)) is LiveTable
    assert type(choose(log, quiet=False)) is Lines
    assert type(choose(terminal, quiet=True)) is Counts


def test_leaders_are_methods_first_then_references():
    scores = {"floor": [0.1], "pfl": [0.3, 0.5], "lcgln": [0.2]}
    assert leaders(scores, ["floor"]) == "lcgln 0.200 (1), pfl 0.400 (2); references: floor 0.100 (1)"
    assert leaders({"floor": [0.1]}, ["floor"]) == "floor 0.100 (1)"


def test_the_bar_moves_within_a_cell_and_never_backwards():
    shares = [share(i / 100) for i in range(500)]
    assert shares[0] == 0.0 and share(0.5) == 0.5
    assert all(a < b < 1.0 for a, b in itertools.pairwise(shares))


def test_rate_and_time_left(toy):
    now = [100.0]
    cells = plan([Entry(problem="toy", methods=("toy-noisy",), seeds=4)])
    pace = Pace({}, clock=lambda: now[0])
    pace.begin(cells)
    assert pace.seconds_left is None and pace.cells_a_minute is None
    for cell in cells[:2]:
        pace.started(cell)
    now[0] += 5.0
    assert pace.begun == 1.0  # two cells at half of ten seconds, which is assumed while nothing is known
    now[0] += 15.0
    pace.finished(cells[0])
    assert pace.cells_a_minute == 3.0  # one in twenty seconds
    assert pace.seconds_left == 40.0  # the one that runs is due, two wait
    pace.started(cells[2])
    now[0] += 10.0
    assert pace.seconds_left == (0.0 + 10.0 + 20.0) / 2
    pace.skipped(cells[3])
    assert pace.seconds_left == (0.0 + 10.0) / 2


def test_earlier_runs_tell_the_time_before_the_first_cell_ends(toy):
    cells = plan([Entry(problem="toy", methods=("toy-noisy",), seeds=3)])
    pace = Pace({("toy", "toy-noisy"): 7.0}, clock=lambda: 0.0)
    pace.begin(cells)
    assert pace.seconds_left == 21.0


@pytest.mark.slow
def test_a_terminal_sees_what_runs_and_who_leads(tmp_path):
    outer, inner = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "dfl_bench",
        "run",
        "--plugin",
        str(TOY),
        "--problem",
        "toy",
        "--jobs",
        "1",
    ]
    command += ["--method", "toy-noisy", "--set", "seconds=0.4", "--samples", "3", "--samples", "4"]
    driver = subprocess.Popen(
        [*command, "--seeds", "1", "--store", str(tmp_path / "r.sqlite")],
        stdout=inner,
        stderr=inner,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
    )
    os.close(inner)
    seen = b""
    while chunk := _read(outer):
        seen += chunk
    assert driver.wait(timeout=60) == 0
    text = seen.decode(errors="replace")
    for part in (
        "0/2 cells",
        " %",
        " cells/min",
        "toy(0) toy-noisy K=4 seed 0 (",
        "leaders so far",
        "2 new, 0 reused",
    ):
        assert part in text, part


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError:  # the other end is closed
        return b""
