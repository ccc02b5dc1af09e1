"""Nothing became slow: ours against a plain reference of the same run, beside the ratio saved before.

Ratios of CPU time on one thread hardly move with the load of a machine, so half the one saved for its
processor is a change of the code. After a wanted change, or on a new processor, save its ratios with
`python -m tests.benchmarks.saved`.
"""

import pytest
import torch

from benchmarks.cases import CASES, ratio
from tests.benchmarks.saved import saved

SAVED = saved()


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_ratio_to_the_reference_has_not_halved(name, benchmark):
    ours, reference = CASES[name]()
    found = ratio(ours, reference)
    benchmark.extra_info.update(ratio=found, saved=SAVED[name])
    benchmark.pedantic(ours.run, rounds=3, warmup_rounds=1)
    assert found >= SAVED[name] / 2, (
        f"{name} is {found:.1f} times faster than its reference, {SAVED[name]:.1f} when saved."
    )


def test_every_case_has_a_saved_ratio():
    assert SAVED.keys() == CASES.keys()
    assert all(value > 1.0 for value in SAVED.values())
