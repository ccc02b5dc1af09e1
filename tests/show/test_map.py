import dataclasses
import re
from pathlib import Path

import altair as alt
import pytest
from rich.console import Console

from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.choice import CHOSEN
from dfl_bench.results.claims import judge, parse_claims
from dfl_bench.results.map import panels, panels_worth_showing
from dfl_bench.results.read import read_results
from dfl_bench.show import claims
from dfl_bench.show.gain_text import share
from dfl_bench.show.map import markdown, show_map
from dfl_bench.show.map_overview import overview
from dfl_bench.show.page import write_report
from dfl_bench.show.page.figures.axes import Style
from dfl_bench.show.page.figures.gain_map import gain_figures
from dfl_bench.show.page.figures.palette import CSS
from dfl_bench.show.page.gain_section import draw_map, pictures
from tests.results.test_claims import TEXT
from tests.support.made import run_record, write
from tests.support.maps import LEVELS, SUITE, made_map, records_at


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "small-map.toml"
    path.write_text(SUITE)
    return panels(list(made_map(str(path))), suite=str(path))


@pytest.fixture(scope="module")
def tuned_line():
    """Records of all three settings of the suite `map-tuned`."""
    levels = {name: LEVELS[name] for name in ("pfl", "spo-plus", "floor")}
    return [r for entry in load_suite("map-tuned") for r in records_at(entry, levels, range(6))]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.384, "+38"),
        (-0.5, "−50"),
        (0.001, "0"),
        (-12.2, "−12×"),
        (None, "floor"),
        (1.0, "+100"),
        (-9.99, "−999"),
    ],
)
def test_a_gain_is_written_in_percent(value, text):
    assert share(value) == text


def test_the_document_has_what_was_run_and_names_the_rest(found):
    text = markdown(found, pictures(found, "when"))
    assert "### shortest-path: degree × rows" in text
    name = "Gain over prediction, shortest-path: degree × rows"
    file = "gain-shortest-path-degree-rows-chosen-paper.png"
    assert f"![{name}](when/{file})" in text
    regrets, gain = r"(0\.\d{3} \| ){3}", r"\+\d\d\* \| \+\d\d to \+\d\d"
    assert re.search(rf"\| 8 \| 200 \| {regrets}{gain} \| spo-plus \| ×100 \| ×1 \|", text)
    assert re.search(r"\| 1 \| 1,000 \| +\| +\| +\| – \|", text)
    assert "1 of 6 settings have not been run." in text
    assert text.count("Not run yet: budget: fake_targets (2 settings).") == 1
    assert "Gain:" not in markdown(panels([], suite="map-tuned"))


def test_the_terminal_shows_the_same(found):
    console = Console(width=140, record=True, file=open("/dev/null", "w"))
    show_map(console, found)
    text = console.export_text()
    assert "spo-plus" in text and "−12×" in text and "2 of 2 settings have not been run." in text


def test_all_panels_together_count_every_setting_once(found):
    grid, line = found
    assert overview([grid, line]) is None  # one of them has been run
    # Twice the same settings: the second panel adds none.
    table = overview([grid, dataclasses.replace(grid, axes={"degree": (1, 8)})])
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["spo-plus"] == ["5", "3", "2", "3"]  # better at degree 8, where it is the lowest
    assert rows["lancer"][1:3] == ["0", "4"] and rows["pfl"][1:] == ["0", "0", "2"]
    assert rows[CHOSEN][3] == ""
    assert [row[0] for row in table.rows][-1] == "lancer"
    assert "The whole map" in markdown([grid, grid]) and "The whole map" not in markdown([grid, line])


def test_a_heat_map_marks_what_is_found_and_what_is_not_run(found, tmp_path):
    grid, line = found
    chosen, *others = gain_figures(grid, Style(CSS, {}))
    assert [figure.variant for figure in (chosen, *others)] == list(grid.methods)
    cells = {(c["row"], c["column"]): c for c in chosen.spec["datasets"]["cells"]}
    assert cells["8", "200"]["text"].endswith("*") and cells["8", "200"]["colour"] == "var(--accent)"
    assert cells["1", "50"]["text"].startswith("−") and cells["1", "50"]["colour"] == "var(--warning)"
    assert cells["1", "1,000"]["text"] == "–" and cells["1", "1,000"]["colour"] == "var(--muted)"
    alt.Chart.from_dict(chosen.spec, validate=True)
    svg = chosen.lean_svg()
    assert "fill-opacity" in svg and "chosen, degree 8, rows 200: 0.2" in svg
    (one,) = gain_figures(line, Style(CSS, {}))
    assert {c["row"] for c in one.spec["datasets"]["cells"]} == {"chosen", "dfl"}
    draw_map([grid], tmp_path, "svg")
    assert len(list(tmp_path.glob("gain-shortest-path-degree-rows-*.svg"))) == len(grid.methods)
    draw_map([grid], tmp_path / "document", "svg", most=1)  # what a document shows, and no more
    ((_, _, address),) = pictures([grid], "document")
    assert [path.stem for path in (tmp_path / "document").iterdir()] == [Path(address).stem]


def test_a_store_with_a_map_has_a_section_instead_of_figures_for_each_board(tuned_line, tmp_path):
    store = write(tmp_path / "map.sqlite", *tuned_line)
    results = read_results(store)
    document = write_report(results, tmp_path).read_text()
    assert (
        "## When decision-focused training pays" in document
        and "figures/gain-shortest-path-degree-tuned.png" in document
    )
    assert document.count("\n## ") == 2  # and the machines: no board
    page = (tmp_path / "results.html").read_text()
    assert '<section id="map">' in page and 'href="#map"' in page
    assert page.count("<figure") == 1 and page.count('class="board"') == 3
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["gain-shortest-path-degree-tuned.png"]


def test_other_stores_have_no_such_section(tuned_line):
    assert panels_worth_showing(tuned_line)
    assert panels_worth_showing([r for r in tuned_line if r.cell.problem_settings["degree"] in (1, 2)]) == []
    assert panels_worth_showing(run_record(seed=seed) for seed in range(2)) == []


def test_claims_say_their_numbers(found):
    (claim,) = parse_claims(TEXT)
    judged = [
        (judge(claim, claim.cells, found), judge(claim, [{"problem": "shortest-path", "degree": 1}], found))
    ]
    text = claims.markdown(judged)
    said = r"holds: \+\d\d \(\+\d\d to \+\d\d\) %, 2 settings"
    pattern = rf"\| a line is wrong \| save \d\d % \| gain ≥ 20 % \| {said} \| not run, 2 of 3 settings \|"
    assert re.search(pattern, text), text
    assert "0 were written before the map was run and 1 after it" in text
    console = Console(width=140, record=True, file=open("/dev/null", "w"))
    claims.show_claims(console, judged)
    assert "holds" in console.export_text()
