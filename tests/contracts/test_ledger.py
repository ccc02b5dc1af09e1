import time

import pytest

from dfl_bench.contracts.ledger import Ledger


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves when it is told to."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


def test_a_phase_inside_another_pauses_the_outer_one(clock):
    ledger = Ledger()
    with ledger.phase("train"):
        clock(1.0)
        with ledger.phase("label"):
            clock(10.0)
        clock(2.0)
    clock(50.0)  # outside every phase
    with ledger.phase("infer"):
        clock(0.5)
    assert dict(ledger.seconds) == {"train": 3.0, "label": 10.0, "infer": 0.5}
    assert ledger.total_seconds == 13.5


def test_a_phase_that_is_entered_again_counts_no_second_twice(clock):
    """A clock that is read from the start of a pass, after every batch, would say 528. See errata."""
    ledger = Ledger()
    for _ in range(32):
        with ledger.phase("train"):
            clock(1.0)
    assert dict(ledger.seconds) == {"train": 32.0}


def test_a_phase_that_raises_is_charged_and_left(clock):
    ledger = Ledger()
    with pytest.raises(RuntimeError), ledger.phase("train"):
        clock(1.0)
        raise RuntimeError
    clock(5.0)
    assert ledger.seconds["train"] == 1.0


def test_solves_go_to_the_phase_that_runs(clock):
    ledger = Ledger()
    with ledger.phase("train"):
        ledger.count(3)
        with ledger.phase("label"):
            ledger.count(5)
        ledger.count(4)
    ledger.charge("label", 0.25, 7)
    assert dict(ledger.solves) == {"train": 7, "label": 12}
    assert ledger.seconds["label"] == 0.25


def test_the_curve_has_the_seconds_charged_so_far(clock):
    ledger = Ledger()
    ledger.charge("label", 2.0, 1)
    with ledger.phase("train"):
        clock(1.0)
        ledger.observe([0.5])
        clock(1.0)
        ledger.observe([0.25])
    assert ledger.curve == [(3.0, [0.5]), (4.0, [0.25])]


def test_a_share_of_a_batch_is_an_equal_part_and_its_own_curve(clock):
    ledger = Ledger()
    with ledger.phase("train"):
        clock(4.0)
        ledger.count(10)
        ledger.observe([0.5, 0.25])
    share = ledger.share(1, 2)
    assert (share.seconds, share.solves, share.curve) == ({"train": 2.0}, {"train": 5}, [(2.0, [0.25])])


def test_an_unknown_phase_is_refused():
    with (
        pytest.raises(ValueError, match="expected a phase among label, surrogate, train, infer"),
        Ledger().phase("fit"),
    ):
        pass
