import subprocess
import sys
import time

import pytest

from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.idle import Usage
from dfl_bench.store.store import Store


def work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize(
    ("usage", "alone"),
    [
        (Usage(wall=10.0, machine=10.0, own=10.0), True),
        (Usage(wall=10.0, machine=20.0, own=20.0), True),  # two threads of its own
        (Usage(wall=10.0, machine=10.9, own=10.0), True),  # the display and the system's housekeeping
        (Usage(wall=10.0, machine=12.0, own=10.0), False),
        (Usage(wall=10.0, machine=10.0, own=5.0), False),  # half of one core went to another process
        (Usage(wall=0.02, machine=0.05, own=0.02), True),  # shorter than the counters can tell
    ],
)
def test_what_others_may_use(usage, alone):
    assert usage.is_alone is alone


def test_own_work_is_seen_by_both_clocks():
    before = Usage.now()
    work(0.5)
    used = Usage.now().since(before)
    assert 0.45 <= used.own <= used.machine + 0.05
    assert used.wall >= 0.45


def test_a_cell_beside_another_process_is_not_alone(tmp_path, toy):
    cells = plan([Entry(problem="toy", methods=("toy-noisy",), seeds=2, method_settings={"seconds": 1.0})])
    with (
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy,
        Store(tmp_path / "r.sqlite") as store,
    ):
        try:
            run(cells, store, jobs=1, plugins=[toy])
        finally:
            busy.kill()
        assert [r.alone for r in store.records()] == [False, False]
