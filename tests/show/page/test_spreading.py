"""No name lies on another one, on a point or on a line, and none leaves the figure."""

from hypothesis import given
from hypothesis import strategies as st

from dfl_bench.results.boards import boards
from dfl_bench.show.page.figures import cost_quality
from dfl_bench.show.page.figures.axes import Style
from dfl_bench.show.page.figures.labels import MOST_LETTERS, cut, short_labels
from dfl_bench.show.page.figures.palette import CSS, looks
from dfl_bench.show.page.figures.spreading import Box, Spot, spread, steps
from tests.support.made import run_record

INSIDE = Box(0, 0, 250, 210)
NAMES = st.sampled_from(["", "pfl", "lcgln-plus K=32 start=false"])
SPOTS = st.builds(Spot, st.floats(0, 250), st.floats(0, 210), NAMES)


@given(st.lists(SPOTS, max_size=30), st.lists(SPOTS, min_size=1, max_size=3))
def test_names_are_apart_from_each_other_from_points_and_from_lines(spots, corners):
    line = steps(sorted(corners), 250.0)
    found = list(spread(spots, INSIDE, line))
    boxes = [name.box for name in found]
    for i, box in enumerate(boxes):
        assert INSIDE.holds(box)
        assert not any(box.meets(other) for other in (*boxes[:i], *line, *(spot.box for spot in spots)))
    assert all(name.text for name in found)


def test_a_name_stands_beside_its_point_and_where_there_is_no_room_there_is_none():
    (name,) = spread([Spot(100, 100, "pfl")], INSIDE)
    assert name.y == 100 and name.align == "left" and 100 < name.x < 110
    (name,) = spread([Spot(245, 100, "pfl")], INSIDE)
    assert name.align == "right"
    assert list(spread([Spot(5, 5, "x" * 60)], INSIDE)) == []


def test_every_method_of_a_small_figure_is_named_and_the_front_is_what_nothing_beats():
    levels = {"pfl": (0.3, 1.0), "dfl": (0.2, 4.0), "lcgln": (0.4, 9.0), "lancer": (0.25, 2.0)}
    made = boards(
        run_record(problem, method, seed, level=level, seconds={"train": seconds})
        for problem in ("inventory", "portfolio-synthetic")
        for method, (level, seconds) in levels.items()
        for seed in range(6)
    )
    (figure,) = cost_quality.draw(made, Style(CSS, looks(levels)))
    tables = figure.spec["datasets"]
    named = {value["label"] for align in ("left", "right", "center") for value in tables[align]}
    assert named == figure.methods == set(levels)
    points = {value["method"]: (value["time"], value["rank"]) for value in tables["ours"]}
    front = [value["method"] for value in tables["front"][:-1]]
    beaten = {
        a
        for a in points
        for b in points
        if a != b and points[b] <= points[a] and points[b][1] <= points[a][1]
    }
    assert set(front) == set(points) - beaten
    assert all(value["tip"].startswith(f"{value['method']}: mean rank") for value in tables["ours"])


def test_one_problem_has_no_figure_over_problems():
    made = boards(run_record(method=m, seed=s) for m in ("pfl", "dfl") for s in range(2))
    assert list(cost_quality.draw(made, Style(CSS, looks(["pfl", "dfl"])))) == []


def test_labels_leave_out_what_all_rows_share():
    shared = {"steps": 300, "batch": 32}
    (board,) = boards(
        run_record(method=m, method_config={**shared, **own}, method_changes=(*shared, *own))
        for m, own in (("pfl", {}), ("dfl", {"start": False}))
    )
    assert {short_labels(board.rows)[id(row)] for row in board.rows} == {"pfl", "dfl start=false"}
    assert cut("x" * 99) == "x" * (MOST_LETTERS - 1) + "…"
