"""Every contest runs in a tiny size, agrees with its references, and names the peers that are absent."""

import sys
from pathlib import Path

import pytest

from dfl_bench.errors import DflBenchError
from dfl_bench.speed import contests, race
from dfl_bench.speed.process import measure

TINY = race.Effort(repeats=1, share=0.002)
# The largest error of ours. A trained predictor is not exact: its error is a regret.
EXACT, TRAINED = 1e-11, 0.5


def test_a_contest_is_a_file_of_the_folder():
    files = {path.stem for path in Path(contests.__file__).parent.glob("*.py")} - {"__init__"}
    assert set(contests.names()) == files


@pytest.mark.slow
@pytest.mark.parametrize("name", contests.names())
def test_a_contest_runs_and_ours_is_right(name):
    lines = measure(name, TINY)
    ours = [line for line in lines if line.solver.startswith("ours")]
    assert ours and all(line.seconds > 0 for line in ours)
    for line in ours:
        assert line.error_means
        if "same steps" not in line.solver:  # the relaxation of budget is not exact
            assert -EXACT <= line.error < (TRAINED if name == "spo_epoch" else EXACT)


@pytest.mark.parametrize("name, peers", [("shortest_path", "pyepo, ortools")])
def test_absent_peers_are_named(name, peers, monkeypatch):
    monkeypatch.setattr(race, "find_spec", lambda name: None)
    before = set(sys.modules)
    lines = contests.lines(name, TINY)
    skipped = [line for line in lines if line.seconds is None]
    assert [line.note for line in skipped] == [f"skipped: {peers} is not installed"]
    assert not {"pyepo", "ortools"} & (set(sys.modules) - before)


def test_a_contest_that_fails_says_why():
    with pytest.raises(DflBenchError, match=r"(?s)'no_such_contest' ended with 1.*ModuleNotFoundError"):
        measure("no_such_contest", TINY)
