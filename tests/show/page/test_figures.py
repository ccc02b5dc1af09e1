"""The figures hold what the boards and the paper say, and nothing else."""

import importlib
import re
import sys
from itertools import pairwise
from types import SimpleNamespace

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dfl_bench import problems
from dfl_bench.contracts.fingerprint import plain
from dfl_bench.problems import make_problem
from dfl_bench.results.boards import boards
from dfl_bench.results.papers import load_paper
from dfl_bench.results.read import read_results
from dfl_bench.show.page import write_figures, write_page
from dfl_bench.show.page.figures.against_time import pareto_front
from dfl_bench.show.page.figures.axes import HEIGHT, LABEL_PIXELS, Span, Style, _labels, references
from dfl_bench.show.page.figures.gallery import figures, kinds
from dfl_bench.show.page.figures.palette import CSS, looks
from tests.support.made import paper_like, run_record, unscored, write

STYLE = Style(CSS, looks(["pfl"]))


@pytest.fixture(scope="module")
def made():
    found = boards(paper_like(3))
    return found, figures(found, Style(CSS, looks(row.method for board in found for row in board.rows)))


def test_every_kind_is_drawn_and_follows_the_schema(made):
    _, drawn = made
    # A ladder needs the cells of its own suite: see tests/results/test_ladder.py.
    assert {figure.kind for figure in drawn} == {kind.KIND for kind in kinds()} - {"ladder"}
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
    theirs = [p for p in load_paper().numbers if p.problem == "inventory" and p.samples == 8]
    figure = next(f for f in drawn if f.kind == "samples" and f.problem == "inventory")
    behind = {v["method"]: v["regret"] for v in figure.spec["datasets"]["paper"] if v["x"] == 3.0}
    assert behind == {p.method: p.mean for p in theirs} and len(behind) == 7
    (board,) = [b for b in found if b.problem == "inventory"]
    ours = {(v["method"], v["regret"]) for v in figure.spec["datasets"]["ours"]}
    assert ours == {(row.method, row.mean) for row in board.rows}
    (sweep,) = [f for f in drawn if f.kind == "sweep"]
    assert len(sweep.spec["datasets"]["paper"]) == 28
    assert "K = 16" in sweep.note


def drawn_of(problem, *settings, sizes=(8,)):
    found = boards(
        run_record(problem, "lcgln", seed, problem_config=plain(make_problem(problem, **s).config), samples=k)
        for s in settings
        for seed in range(2)
        for k in sizes
    )
    return {f.kind: f for f in figures(found, Style(CSS, looks(["lcgln"]))) if f.kind in ("samples", "sweep")}


def test_nothing_is_drawn_against_what_does_not_vary():
    assert drawn_of("inventory", {}) == {}
    assert drawn_of("budget", {"fake_targets": 5}) == {}
    assert set(drawn_of("budget", {"fake_targets": 5}, {"fake_targets": 50})) == {"sweep"}


def test_the_paper_stands_behind_its_own_settings_alone():
    assert drawn_of("inventory", {}, sizes=(2, 8))["samples"].spec["datasets"]["paper"]
    other = drawn_of("inventory", {"n_train": 100}, sizes=(2, 8))["samples"]
    assert (other.spec["datasets"]["paper"], other.note) == ([], "Not in the paper.")


def test_boards_that_differ_in_more_than_the_swept_setting_share_no_figure():
    settings = [{"data": "clicks", "fake_targets": n, "popularity": p} for n in (0, 5) for p in (0.0, 1.0)]
    assert drawn_of("budget", settings[0], settings[3]) == {}
    found = drawn_of("budget", *settings)["sweep"]  # the last of two
    assert found.settings == "data=clicks popularity=1"
    assert len(found.spec["datasets"]["ours"]) == 2
    assert found.spec["datasets"]["paper"] == []


def test_every_declared_sweep_has_its_figure_titles_and_axis(monkeypatch):
    monkeypatch.setattr(problems.get("budget"), "sweeps", ("fake_targets", "feature_noise"))
    settings = [{"fake_targets": n, "feature_noise": x} for n in (5, 50) for x in (0.1, 0.5)]
    records = [
        run_record("budget", "lcgln", seed, problem_config=s, samples=8)
        for s in settings
        for seed in range(2)
    ]
    found = boards(records)
    assert found[0].settings == "fake_targets=5 feature_noise=0.1"
    drawn = [f for f in figures(found, Style(CSS, looks(["lcgln"]))) if f.kind == "sweep"]
    assert [(f.title, f.settings, f.variant) for f in drawn] == [
        ("Regret by fake targets", "feature_noise=0.1", "fake_targets"),
        ("Regret by fake targets", "feature_noise=0.5", "fake_targets"),
        ("Regret by feature noise", "fake_targets=5", "feature_noise"),
        ("Regret by feature noise", "fake_targets=50", "feature_noise"),
    ]
    axes = [str(f.spec["layer"]) for f in drawn]
    assert ["'title': 'fake targets'" in axis for axis in axes] == [True, True, False, False]
    assert [{v["group"] for v in f.spec["datasets"]["ours"]} for f in drawn] == [
        {"5", "50"}, {"5", "50"}, {"0.1", "0.5"}, {"0.1", "0.5"},
    ]  # fmt: skip


def test_a_value_without_a_score_is_left_out_of_a_sweep():
    config = [{"fake_targets": n} for n in (0, 5, 50)]
    scored = [run_record("budget", "pfl", problem_config=c) for c in config[:2]]
    absent = unscored("n/a", "no", problem="budget", problem_config=config[2])
    (drawn,) = [f for f in figures(boards([*scored, absent]), STYLE) if f.kind == "sweep"]
    assert {value["group"] for value in drawn.spec["datasets"]["ours"]} == {"0", "5"}


NEW_KIND = """
from dfl_bench.show.page.figures.figure import Figure

KIND, ORDER, TITLE, CAPTION = "new", 0, "A new figure", "What it shows."


def draw(boards, style):
    spec = {"mark": "point", "data": {"values": [{"x": 1}]}, "encoding": {"x": {"field": "x"}}}
    yield Figure.of(boards[0], spec, kind=KIND, title=TITLE)
"""


def test_a_figure_is_one_module(tmp_path, monkeypatch):
    """A file in the package is a figure on the page: no list names it."""
    (tmp_path / "against_nothing.py").write_text(NEW_KIND, encoding="utf-8")
    package = importlib.import_module("dfl_bench.show.page.figures")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    kinds.cache_clear()
    try:
        write_page(read_results(write(tmp_path / "s.sqlite", run_record())), tmp_path / "page.html")
    finally:
        kinds.cache_clear()
        sys.modules.pop(f"{package.__name__}.against_nothing", None)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h3>A new figure</h3>" in page and "What it shows." in page
    assert page.index("A new figure") < page.index("Regret against time")


def test_every_figure_has_the_reference_policies(made):
    found, drawn = made
    for figure in drawn:
        if not figure.problem:
            continue  # ranks, not regrets
        tables = figure.spec["datasets"]
        texts = " ".join(row["text"] for row in tables["labels"])
        assert all(name in texts for name in ("constant", "floor", "truth", "random"))
        board = next(
            b for b in found if (b.problem, b.settings) == (figure.problem, figure.settings or b.settings)
        )
        assert references(board)["constant"] in [line["regret"] for line in tables["lines"]]


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
    shared = [run_record("inventory", "pfl", seed, older="of a batch") for seed in range(1, 4)]
    drawn = figures(boards(shared), STYLE)
    assert {figure.kind for figure in drawn}.isdisjoint({"time", "curves"})


@pytest.mark.parametrize(("format", "begin"), [("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("svg", b"<svg ")])
def test_figures_are_written_in_the_format_of_choice(tmp_path, format, begin):
    store = write(
        tmp_path / "s.sqlite", *(run_record(m, "a/b <c>", s) for m in ("x/y", "z") for s in range(2))
    )
    paths = write_figures(read_results(store), tmp_path / "new" / "folder", format)
    assert len(paths) == len(set(paths)) == 4  # time and curves of two problems
    assert {path.suffix for path in paths} == {f".{format}"}
    assert all(path.read_bytes().startswith(begin) for path in paths)
    if format == "svg":
        assert all('fill="#ffffff"/>' in path.read_text(encoding="utf-8")[:400] for path in paths), "white"


def test_the_legend_of_a_figure_that_stands_alone_names_every_method(tmp_path):
    names = [f"method-{i}" for i in range(40)]
    store = write(tmp_path / "s.sqlite", *(run_record(method=name) for name in names))
    paths = write_figures(read_results(store), tmp_path / "figures", "svg")
    (time,) = [path for path in paths if path.name.startswith("time-")]
    drawn = time.read_text(encoding="utf-8")
    assert all(f">{name}</text>" in drawn for name in names) and "entries" not in drawn
