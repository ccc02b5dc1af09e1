import re

import altair as alt
import pytest
from typer.testing import CliRunner

from dfl_bench.cli import app
from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.boards import boards
from dfl_bench.results.ladder import ladders
from dfl_bench.show.ladder import markdown
from dfl_bench.show.page.figures.axes import Style
from dfl_bench.show.page.figures.ladder import draw, figure_of
from dfl_bench.show.page.figures.palette import CSS, PAPER, looks
from dfl_bench.store.store import Store
from tests.support.papers import records_of

SUITE = """
[defaults]
problem = "inventory"
methods = ["pfl", "lcgln"]
seeds = 6

[[entry]]
step = "published"
method_settings = { patience = 100 }

[[entry]]
step = "patient"

[[entry]]
step = "one more sample"
samples = [33]
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "steps.toml"
    path.write_text(SUITE)
    return str(path)


def made(suite):
    first, second, third = load_suite(suite)
    yield from records_of(first, {"pfl": (0.3,) * 6, "lcgln": (0.5, 0.4, 0.5, 0.4, 0.5, 0.4)})
    yield from records_of(second, {"pfl": (0.2,) * 6, "lcgln": (0.4, 0.5) * 3})
    yield from records_of(third, {"lcgln": (0.1,)})


def test_each_step_is_compared_with_the_one_before_on_the_same_seeds(suite):
    (ladder,) = ladders(made(suite), suite=suite)
    assert (ladder.problem, ladder.steps) == ("inventory", ("published", "patient", "one more sample"))
    first, second, third = ladder.rungs["pfl"]
    assert (first.mean, first.change) == (pytest.approx(0.3), None)
    assert second.change == pytest.approx(-0.1) and second.p_value == pytest.approx(2 / 2**6)
    assert third.change == 0.0 and third.p_value is None  # the step does not concern it: the same cells
    first, second, third = ladder.rungs["lcgln"]
    assert second.change == pytest.approx(0.0, abs=1e-12) and second.p_value == pytest.approx(1.0)
    assert third.change == pytest.approx(-0.3) and third.p_value is None and third.sem is None  # one seed


def test_the_table_marks_what_a_test_finds_and_what_is_missing(suite):
    text = markdown(ladders(made(suite), suite=suite))
    assert "| inventory, step | pfl | lcgln |" in text
    assert "| patient | 0.200 ± 0.000 (−0.100*) |" in text
    assert "| one more sample | 0.200 ± 0.000 | 0.100 (−0.300) |" in text
    assert "not run" in markdown(ladders([], suite=suite))


def test_the_figure_has_a_line_for_each_method_and_rings_where_a_test_finds_a_change(suite):
    (ladder,) = ladders(made(suite), suite=suite)
    figure = figure_of(ladder, Style(PAPER, looks(ladder.rungs), alone=True))
    drawn = figure.spec["datasets"]
    assert (figure.problem, figure.kind, figure.methods) == ("inventory", "ladder", {"pfl", "lcgln"})
    assert [(value["method"], round(value["x"])) for value in drawn["ours"]] == [
        (method, step) for method in looks(ladder.rungs) for step in range(3)
    ]
    assert [(value["method"], round(value["x"])) for value in drawn["found"]] == [("pfl", 1)]
    unmarked = [value for value in drawn["ours"] if value not in drawn["marked"]]
    assert [(value["method"], round(value["x"])) for value in unmarked] == [("pfl", 2)]
    assert drawn["found"][0]["tip"] == "pfl, patient: 0.200 ± 0.000, 6 seeds, −0.100 by this step (p = 0.031)"
    labels = figure.spec["layer"][0]["encoding"]["x"]["axis"]["labelExpr"]
    assert '["published", "patient", "one more sample"]' in labels
    alt.LayerChart.from_dict(figure.spec, validate=True)


def test_a_step_that_was_not_run_breaks_the_line(suite):
    first, _, third = load_suite(suite)
    records = [*records_of(first, {"lcgln": (0.5,)}), *records_of(third, {"lcgln": (0.4,)})]
    (ladder,) = ladders(records, suite=suite)
    drawn = figure_of(ladder, Style(PAPER, looks(ladder.rungs))).spec["datasets"]["ours"]
    assert [value["piece"] for value in drawn] == ["lcgln 0", "lcgln 1"]


def test_the_page_draws_a_ladder_that_has_been_climbed(tmp_path):
    entries = [e for e in load_suite("ladder") if e.problem == "inventory"]
    records = {r.cell.key: r for e in entries for r in records_of(e, {"lcgln": (0.3, 0.4)})}
    found = boards(list(records.values()))
    style = Style(CSS, looks(["lcgln"]))
    (figure,) = draw(found, style)
    assert not re.findall(
        r'(?:fill|stroke)="(#[^"]*|black|white|rgb[^"]*)"', figure.svg()
    )  # follows the scheme
    assert figure.is_wide and len(figure.spec["datasets"]["ours"]) == len(entries)
    assert not list(draw(boards(list(records.values())[2:]), style))  # the first step is missing
    assert not list(draw(found[:1], style))


def test_the_command_writes_the_figures(tmp_path, suite):
    store = tmp_path / "s.sqlite"
    with Store(store) as opened:
        opened.add(*made(suite))
    options = {"--store": store, "--suite": suite, "--figures": tmp_path, "--format": "svg"}
    arguments = ["ladder", *(str(part) for option in options.items() for part in option)]
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "120"})
    assert done.exit_code == 0 and "ladder-inventory-paper-cpu.svg" in done.output.replace("\n", "")
    assert "one more sample" in (tmp_path / "ladder-inventory-paper-cpu.svg").read_text(encoding="utf-8")
