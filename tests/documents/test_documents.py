"""Numbers that documents quote are those of the results files."""

import re
from pathlib import Path

import pytest

from dfl_bench.results.read import read_results
from dfl_bench.show.format import score
from dfl_bench.show.page import write_report

ROOT = Path(__file__).parents[2]
REPORTS = {
    "docs": "results/paper.sqlite",
    "docs/ablation": "results/ablation.sqlite",
    "docs/websites": "results/websites.sqlite",
    "docs/spo": "results/spo.sqlite",
    "docs/published": "results/published.sqlite",
    "docs/field": "results/field.sqlite",
    "docs/field-tuned": "results/field-tuned.sqlite",
}
SCORE = re.compile(r"\d\.\d{3} ± \d\.\d{3}")


@pytest.mark.slow
@pytest.mark.parametrize("folder", REPORTS)
def test_the_report_of_the_repository_is_that_of_its_store(folder, tmp_path):
    written = write_report(read_results(ROOT / REPORTS[folder]), tmp_path, _methods_page(folder))
    for made in (written, tmp_path / "results.html"):
        kept = ROOT / folder / made.name
        assert kept.read_text(encoding="utf-8") == made.read_text(encoding="utf-8"), made.name
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {path.name for path in (ROOT / folder / "figures").iterdir()}


@pytest.mark.parametrize("folder", REPORTS)
def test_the_page_leads_from_a_method_to_its_section(folder):
    linked = set(re.findall(rf'href="{_methods_page(folder)}#([^"]+)"', _read(f"{folder}/results.html")))
    document = _read("docs/methods.md")
    sections = re.findall(r"^## (\S+)$", document, re.MULTILINE) + re.findall(r'<a id="([^"]+)">', document)
    assert linked and linked <= set(sections)
    assert len(sections) == len(set(sections))


# Of reproduction.md: its own test.
@pytest.mark.parametrize("document", ["README.md", "docs/field.md", "docs/methods.md"])
def test_scores_quoted_in_prose_stand_in_a_report(document):
    reported = {s for folder in REPORTS for s in SCORE.findall(_read(f"{folder}/results.md"))}
    sample_output = re.compile(r"^```\n.*?^```$", re.DOTALL | re.MULTILINE)  # of a run of the reader's own
    # A table that a study prints, after the paragraph with its command: of tuning seeds, in no report.
    studied = re.compile(r"`python -m dfl_bench\.studies(?:.+\n)+\n(?:\|.*\n)+")
    text = _read(document)
    for left_out in (sample_output, studied):
        text = left_out.sub("", text)
    quoted = set(SCORE.findall(text))
    assert quoted
    assert quoted <= reported


def test_the_table_of_searched_settings_is_that_of_the_store():
    places = {("inventory", None): 0, ("budget", 500): 1, ("portfolio", None): 2}
    tuned = [{}, {}, {}]
    for board in read_results(ROOT / REPORTS["docs"]).boards:
        place = places.get((board.problem, board.config.get("fake_targets")))
        if board.protocol == "tuned" and place is not None:
            tuned[place] = {row.method: score(row.mean, row.sem) for row in board.rows}
    section = _read("docs/methods.md").partition("### What the searched settings score")[2]
    number = r"([\d.]+ ± [\d.]+)"
    lines = rf"^\| (\S+) \| {number} \| {number} \| {number} \|$"
    quoted = re.findall(lines, section.partition("\n## ")[0], re.MULTILINE)
    assert {name: numbers for name, *numbers in quoted} == {
        name: [column[name] for column in tuned] for name in tuned[0]
    }


def _methods_page(folder):
    return "../" * folder.count("/") + "methods.md"


def _read(path):
    return (ROOT / path).read_text(encoding="utf-8")
