"""The figures hold what the boards and the paper say, and nothing else."""

import re
from itertools import pairwise
from types import SimpleNamespace

import altair as alt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dfl_bench.contracts.fingerprint import plain
from dfl_bench.problems import make_problem
from dfl_bench.results.boards import boards
from dfl_bench.results.published import published
from dfl_bench.results.read import read_results
from dfl_bench.results.worked_example import compute, example, stored_regret
from dfl_bench.run.evaluate import evaluate
from dfl_bench.show.page import write_figures
from dfl_bench.show.page.figures.against_time import pareto_front
from dfl_bench.show.page.figures.axes import HEIGHT, LABEL_PIXELS, WIDTH, Span, Style, _labels, references
from dfl_bench.show.page.figures.gallery import KINDS, figures
from dfl_bench.show.page.figures.palette import CSS, DARK, LIGHT, PLACES, places
from dfl_bench.show.page.figures.placing import LETTER_PIXELS, placed
from tests.support.stores import paper_like, record, write


@pytest.fixture(scope="module")
def made():
    found = boards(paper_like(3))
    return found, figures(found, Style(CSS, places(row.method for board in found for row in board.rows)))


def test_every_kind_is_drawn_and_follows_the_schema(made):
    _, drawn = made
    assert {figure.kind for figure in drawn} == set(KINDS)
    for figure in drawn:
        alt.Chart.from_dict(figure.spec, validate=True)


def test_pictures_share_no_names_with_each_other_and_no_fixed_colours(made):
    """An id would clash between inline pictures, a fixed colour would not follow the scheme."""
    for figure in made[1]:
        svg = figure.svg()
        assert " id=" not in svg
        assert set(re.findall(r'(?:fill|stroke)="(#[^"]*|black|white|rgb[^"]*)"', svg)) == set()


def test_the_paper_stands_behind_our_points(made):
    found, drawn = made
    theirs = [p for p in published() if p.problem == "inventory" and p.samples == 8]
    figure = next(f for f in drawn if f.kind == "samples" and f.problem == "inventory")
    behind = {v["method"]: v["regret"] for v in figure.spec["datasets"]["paper"] if v["x"] == 3.0}
    assert behind == {p.method: p.mean for p in theirs} and len(behind) == 7
    (board,) = [b for b in found if b.problem == "inventory"]
    ours = {(v["method"], v["regret"]) for v in figure.spec["datasets"]["ours"]}
    assert ours == {(row.method, row.mean) for row in board.rows}
    (fakes,) = [f for f in drawn if f.kind == "fakes"]
    assert len(fakes.spec["datasets"]["paper"]) == 28
    assert "K = 16" in fakes.note


def drawn_of(problem, *settings, sizes=(8,)):
    found = boards(
        record(problem, "lcgln", seed, config=plain(make_problem(problem, **s).config), samples=k)
        for s in settings
        for seed in range(2)
        for k in sizes
    )
    return {
        f.kind: f for f in figures(found, Style(CSS, places(["lcgln"]))) if f.kind in ("samples", "fakes")
    }


def test_nothing_is_drawn_against_what_does_not_vary():
    assert drawn_of("inventory", {}) == {}
    assert drawn_of("budget", {"fake_targets": 5}) == {}
    assert set(drawn_of("budget", {"fake_targets": 5}, {"fake_targets": 50})) == {"fakes"}


def test_the_paper_stands_behind_its_own_settings_alone():
    assert drawn_of("inventory", {}, sizes=(2, 8))["samples"].spec["datasets"]["paper"]
    other = drawn_of("inventory", {"n_train": 100}, sizes=(2, 8))["samples"]
    assert (other.spec["datasets"]["paper"], other.note) == ([], "Not in the paper.")


def test_boards_that_differ_in_more_than_fake_targets_share_no_figure():
    settings = [{"fake_targets": n, "popularity": p} for n in (0, 5) for p in (0.0, 1.0)]
    assert drawn_of("budget", settings[0], settings[3]) == {}
    found = drawn_of("budget", *settings)["fakes"]  # the last of two
    assert found.settings == "popularity=1"
    assert len(found.spec["datasets"]["ours"]) == 2
    assert found.spec["datasets"]["paper"] == []


def test_every_figure_has_the_reference_policies(made):
    found, drawn = made
    for figure in drawn:
        tables = figure.spec["datasets"]
        texts = " ".join(row["text"] for row in tables["labels"])
        assert all(name in texts for name in ("constant", "floor", "truth", "random"))
        board = next(
            b for b in found if (b.problem, b.settings) == (figure.problem, figure.settings or b.settings)
        )
        assert references(board)["constant"] in [line["regret"] for line in tables["lines"]]


POINTS = st.tuples(st.floats(1, 99), st.floats(0, 1), st.sampled_from(["pfl", "lcgln-plus K=32 start=false"]))


@given(st.lists(POINTS, min_size=1, max_size=8))
def test_labels_of_points_never_overlap(points):
    values = [{"seconds": s, "regret": r, "label": name} for s, r, name in points]
    boxes = []
    for found in placed(values, (0.7, 160.0), Span(0.0, 1.0)):
        x = WIDTH * np.log(found["seconds"] / 0.7) / np.log(160.0 / 0.7)
        width = LETTER_PIXELS * len(found["label"])
        left = x if found["side"] == "left" else x - width
        boxes.append((left, left + width, found["place"] * HEIGHT))
    for i, (left, right, height) in enumerate(boxes):
        for other_left, other_right, other in boxes[:i]:
            assert right < other_left or other_right < left or abs(height - other) > LABEL_PIXELS - 1e-3


def test_a_label_stands_below_its_point_and_above_one_at_the_bottom():
    low, high = ({"seconds": 2.0, "regret": r, "label": "pfl"} for r in (0.01, 0.5))
    assert next(placed([high], (1.0, 10.0), Span(0.0, 1.0)))["place"] < 0.5
    assert next(placed([low], (1.0, 10.0), Span(0.0, 1.0)))["place"] > 0.01


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(-2, 2), max_size=6), st.floats(0.01, 1))
def test_labels_of_lines_never_overlap(lines, high):
    span = Span(0.0, high)
    places_ = [row["place"] for row in _labels(lines, span)]
    assert all(b - a >= LABEL_PIXELS * high / HEIGHT * (1 - 1e-9) for a, b in pairwise(places_))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_the_front_is_what_nothing_beats(points):
    rows = [SimpleNamespace(total_seconds=s, mean=m) for s, m in points]
    front = {(row.total_seconds, row.mean) for row in pareto_front(rows)}
    beaten = {p for p in points if any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)}
    assert front == set(points) - beaten


def test_only_cells_timed_on_their_own_have_a_time():
    shared = [record("inventory", "pfl", seed) for seed in range(1, 4)]
    drawn = figures(boards(shared), Style(CSS, places(["pfl"])))
    assert {figure.kind for figure in drawn}.isdisjoint({"time", "curves"})


def test_a_method_keeps_its_colour_when_others_join():
    few, many = places(["pfl", "mine"]), places(["pfl", "mine", "yours", *PLACES])
    assert few["pfl"] == many["pfl"] and few["mine"] == many["mine"]
    assert len(LIGHT.methods) == len(DARK.methods) == len(CSS.methods) == len(set(LIGHT.methods))


def test_the_example_is_the_first_instance_of_the_reference_policy():
    result = evaluate("constant", make_problem("inventory"), seed=0)
    found = compute("inventory", {})
    assert found.regret == pytest.approx(result.regret[0], rel=1e-12)
    assert found.worst_regret == pytest.approx(result.worst_regret[0], rel=1e-12)
    np.testing.assert_allclose(found.decision, result.decisions[0])


def test_without_data_the_stored_record_speaks():
    stored = record("portfolio", "constant", 0, config={"data": "/nowhere.pkl"})
    (board,) = boards([stored])
    computed, reason = example(board)
    assert computed is None and "nowhere" in reason
    assert stored_regret(board) == (stored.regret[0], stored.worst_regret[0])


def test_figures_are_written_as_png(tmp_path):
    store = write(tmp_path / "s.sqlite", *(record(m, "a/b <c>", s) for m in ("x/y", "z") for s in range(2)))
    paths = write_figures(read_results(store), tmp_path / "new" / "folder")
    assert len(paths) == len(set(paths)) == 4  # time and curves of two problems
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
