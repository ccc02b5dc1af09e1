"""The report says what the records say."""

import re

import pytest

from dfl_bench.results.boards import boards
from dfl_bench.results.papers import load_paper
from dfl_bench.results.read import read_results
from dfl_bench.show.format import score
from dfl_bench.show.page import write_report
from dfl_bench.show.published import markdown
from dfl_bench.store.store import Store
from tests.support.made import paper_like, write
from tests.support.papers import spo_records


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    path = write(folder / "made.sqlite", *paper_like(6, ("paper", "tuned")))
    with Store(path, readonly=True) as store:
        made = boards(store.records(), store.failures())
    return made, write_report(read_results(path), folder)


def test_every_row_of_every_board_stands_in_it_with_its_score(report):
    made, document = report
    _, *sections = re.split(r"^## ", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    by_title = {section.partition("\n")[0]: section for section in sections}
    for board in made:
        rows = dict(
            re.findall(r"^\| (.+?)(?: †)?(?: \\\*)?(?: ‡)? \| (.+?) \|", by_title[board.title], re.MULTILINE)
        )
        for row in (*board.rows, *board.references):
            if row.mean is not None:
                bold = "**" if row.rank == 1 else ""
                assert rows[row.label] == f"{bold}{score(row.mean, row.sem)}{bold}"


def test_other_papers_stand_in_it_where_their_cells_were_run(tmp_path, report):
    path = write(tmp_path / "made.sqlite", *spo_records())
    text = write_report(read_results(path), tmp_path).read_text(encoding="utf-8")
    assert "## Beside: Smart “Predict, then Optimize”" in text
    assert markdown(spo_records(), load_paper("spo")) in text
    assert "CaVE" not in text and "## Beside the paper" not in text
    assert "Smart" not in report[1].read_text(encoding="utf-8")


def test_its_figures_and_its_page_are_there(report):
    _, document = report
    named = re.findall(r"!\[.+?\]\((.+?)\)", document.read_text(encoding="utf-8"))
    assert named
    for name in named:
        assert (document.parent / name.replace("%3D", "=")).stat().st_size > 1000
    assert (document.parent / "results.html").is_file()
