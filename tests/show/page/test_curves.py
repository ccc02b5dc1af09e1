"""Curves are means over seeds with bands, and no more than can be told apart."""

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.results.boards import boards
from dfl_bench.show.page.figures.axes import Style
from dfl_bench.show.page.figures.curves import MOST_CURVES, MOST_POINTS, draw
from dfl_bench.show.page.figures.palette import CSS, looks
from tests.support.made import run_record


def drawn(records):
    made = boards(records)
    (figure,) = draw(made, Style(CSS, looks(row.method for board in made for row in board.rows)))
    return figure


def curve(figure, method="pfl"):
    return [value for value in figure.spec["datasets"]["curves"] if value["method"] == method]


def test_a_curve_is_the_mean_over_seeds_at_each_validation():
    curves = [((1.0, 4.0), (2.0, 2.0), (3.0, 1.0)), ((1.2, 6.0), (2.4, 3.0))]
    records = [
        run_record(seed=s, curve=c, worst_regret=np.full(40, 2.0), regret=np.full(40, 1.0))
        for s, c in enumerate(curves)
    ]
    found = curve(drawn(records))
    # In units of the mean worst regret, 2; the second seed has stopped and keeps its last value.
    assert [value["regret"] for value in found] == pytest.approx([2.5, 1.25, 1.0])
    assert [value["high"] - value["low"] for value in found] == pytest.approx([1.0, 0.5, 1.0])
    assert [value["seconds"] for value in found] == pytest.approx([1.1, 2.2, 3.0])
    assert [value["last"] for value in found] == [False, False, True]


def test_time_goes_on_when_a_slow_seed_stops():
    records = [run_record(seed=0, curve=((1.0, 1.0), (2.0, 1.0))), run_record(seed=1, curve=((9.0, 1.0),))]
    assert [value["seconds"] for value in curve(drawn(records))] == [5.0, 5.0]


def test_one_seed_has_no_band_and_a_long_curve_few_points():
    long = tuple((0.1 * (i + 1), 1.0 / (i + 1)) for i in range(200))
    found = curve(drawn([run_record(curve=long)]))
    assert len(found) == MOST_POINTS and found[-1]["last"]
    assert all(value["low"] == value["regret"] == value["high"] for value in found)
    assert "±" not in found[0]["tip"]


def test_of_many_methods_the_best_of_each_family_is_drawn():
    entries = {name: entry for name, entry in methods.entries().items() if entry.family != "reference"}
    records = [run_record(method=name, level=0.1 + 0.01 * i) for i, name in enumerate(entries)]
    figure = drawn(records)
    assert len(figure.methods) == MOST_CURVES
    assert figure.note.startswith(f"{MOST_CURVES} of {len(entries)} methods")
    families = {entries[name].family for name in figure.methods}
    assert len(families) == min(MOST_CURVES, len({entry.family for entry in entries.values()}))
    few = [record for record in records if record.cell.method in ("pfl", "dfl", "lcgln")]
    assert drawn(few).methods == {"pfl", "dfl", "lcgln"} and drawn(few).note == ""
