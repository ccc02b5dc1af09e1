"""The race: who is slower by how much, what is missing, and what the table says of it."""

import csv
import io
import time

from rich.console import Console

from dfl_bench.speed.race import Contestant, Effort, Line, made_late, race
from dfl_bench.speed.report import show, write


def spin(seconds):
    """Use the processor for so long: a sleeping process takes no CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return 0.25


def entry(name, seconds, **settings):
    return Contestant(name=name, run=lambda: spin(seconds), units=1, **settings)


def raced(*entries):
    return race("spinning", "turn", "none", list(entries), 3)


def test_a_ratio_is_the_time_of_the_reference_over_ours():
    ours, reference = raced(entry("ours", 0.002), entry("plain", 0.02, at_least=5))
    assert ours.ratio is None and ours.reached is None
    assert 5 < reference.ratio < 20
    assert reference.target == "≥ 5×" and reference.reached is True


def test_a_limit_turns_the_ratio_round():
    _, copy = raced(entry("ours", 0.02), entry("copy", 0.002, at_most=2))
    assert copy.ratio > 5
    assert copy.target == "≤ 2×" and copy.reached is False


def test_a_time_is_given_for_one_unit():
    ours, many = raced(entry("ours", 0.01), Contestant(name="many", run=lambda: spin(0.01), units=100))
    assert many.seconds < ours.seconds / 20


def test_the_error_is_that_of_the_answer():
    ours, reference = raced(entry("ours", 0.001, error=lambda answer: 2 * answer), entry("plain", 0.001))
    assert ours.error == 0.5 and reference.error is None


def test_a_reference_that_is_not_installed_is_named_and_not_run():
    def never():
        raise AssertionError("run without its package")

    absent = Contestant(name="peer", run=never, units=1, needs=("json", "no_such_package"))
    _, skipped = raced(entry("ours", 0.001), absent)
    assert skipped.seconds is None and skipped.ratio is None
    assert skipped.note == "skipped: no_such_package is not installed"


def test_what_is_made_late_is_made_once():
    made = []
    run = made_late(lambda: made.append(1) or made, len)
    assert run() == run() == 1


def test_an_effort_keeps_a_few_rows():
    assert Effort(repeats=1, share=0.01).rows(10_000) == 100
    assert Effort(repeats=1, share=0.0001).rows(10_000) == 8
    assert Effort(repeats=1).fewer == 1


LINES = [
    Line(contest="c", solver="ours", seconds=2e-8, unit="row", error=1e-16, error_means="of the answer"),
    Line(contest="c", solver="plain", seconds=5e-3, unit="row", ratio=2.5e5, target="≥ 9×", reached=True),
    Line(contest="c", solver="slow", seconds=5e-8, unit="row", ratio=2.5, target="≥ 9×", reached=False),
    Line(contest="c", solver="peer", seconds=None, unit="row", note="skipped: peer is not installed"),
]


def test_the_table_shows_times_ratios_verdicts_and_who_is_absent():
    console = Console(file=io.StringIO(), width=120)
    show(console, LINES)
    shown = " ".join(console.file.getvalue().split())  # a long name is wrapped
    for text in ("20 ns/row", "1e-16", "250,000×", "≥ 9× ✓", "2.5×", "≥ 9× ✗", "error: of the answer"):
        assert text in shown
    assert "peer, skipped: peer is not installed" in shown


def test_the_csv_has_a_row_for_each_line(tmp_path):
    write(tmp_path / "speed.csv", LINES)
    with (tmp_path / "speed.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["solver"] for row in rows] == [line.solver for line in LINES]
    assert float(rows[1]["ratio"]) == 2.5e5
