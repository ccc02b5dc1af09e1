"""A column is one row of a table; the terminal, the page and the report have it without a change."""

import re

import pytest
from rich.console import Console

from dfl_bench.results import columns
from dfl_bench.results.boards import boards
from dfl_bench.results.columns import Column, columns_of
from dfl_bench.results.read import read_results
from dfl_bench.show.format import cell_text, quantity, seconds
from dfl_bench.show.page import write_page, write_report
from dfl_bench.show.terminal import show_boards
from tests.support.made import failure, record, run_record, write


def terminal(results, width=80):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))
    show_boards(console, results.boards)
    return console.export_text()


@pytest.fixture
def results(tmp_path):
    return read_results(write(tmp_path / "r.sqlite", *(run_record(seed=seed) for seed in range(7))))


def test_a_new_column_stands_in_all_three(results, tmp_path, monkeypatch):
    worst = Column(
        name="worst seed", unit="u", format="score", value=lambda row: 40 + max(row.scores.values())
    )
    monkeypatch.setattr(columns, "COLUMNS", (*columns.COLUMNS, worst))
    document = write_report(results, tmp_path)
    expected = cell_text(worst, results.boards[0].rows[0])
    assert re.fullmatch(r"40\.\d{3}", expected)
    text = terminal(results)
    assert "worst seed" in text and expected in text
    assert max(map(len, text.splitlines())) <= 80
    report = document.read_text(encoding="utf-8")
    assert "| worst seed u |" in report and f"| {expected} |" in report
    page = (tmp_path / "results.html").read_text(encoding="utf-8")
    assert '<button type="button">worst seed<span class="unit"> u</span></button>' in page
    assert f">{expected}</td>" in page


@pytest.mark.parametrize("place", ["terminal", "page", "report"])
def test_a_column_stands_only_where_it_says(results, tmp_path, monkeypatch, place):
    only = Column(name="only here", format="whole", value=lambda row: 1, where=frozenset((place,)))
    monkeypatch.setattr(columns, "COLUMNS", (*columns.COLUMNS, only))
    write_report(results, tmp_path)
    shown = {
        "terminal": terminal(results),
        "page": (tmp_path / "results.html").read_text(encoding="utf-8"),
        "report": (tmp_path / "results.md").read_text(encoding="utf-8"),
    }
    assert {name for name, text in shown.items() if "only here" in text} == {place}


def test_names_are_unique_and_the_order_is_that_of_a_column():
    names = [column.name for column in columns.COLUMNS]
    assert len(names) == len(set(names)) and columns.SORTED_BY in names


def test_the_cells_of_a_row():
    made = [record("a", seed, score=0.25, solves={"train": 1234}) for seed in range(2)]
    (board,) = boards(made, [failure("b", 0)])
    shown = {
        row.method: {column.name: cell_text(column, row) for column in columns_of(board, "page")}
        for row in board.rows
    }
    assert shown["a"] | {"label": "0"} == {
        "method": "a *", "regret": "0.250 ± 0.000", "regret as a dot": "", "seeds": "2", "group": "–",
        "label": "0", "surrogate": "0", "train": "1.50", "infer": "0", "total": "1.50", "solves": "1.23k",
        "failed": "",
    }  # fmt: skip
    assert (shown["b"]["regret"], shown["b"]["failed"], shown["b"]["total"]) == ("failed", "1", "")
    (well,) = boards(made)
    assert "failed" not in [column.name for column in columns_of(well, "page")]


def test_the_page_says_what_a_sign_means(tmp_path):
    store = write(tmp_path / "r.sqlite", *(record("a", seed, score=0.25) for seed in range(2)))
    write_page(read_results(store), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<span class="mark" title="measured while the machine had other work' in page


def test_times_have_five_characters_at_most():
    given = (0, 0.004, 0.005, 9.999, 99.99, 99.996, 1234.4, 9999.4, 9999.6, 999_900, 1.5e6)
    written = [seconds(value) for value in given]
    assert written == [
        "0", "<0.01", "0.01", "10.00", "99.99", "100", "1,234", "9,999", "10k", "1M", "1.5M",
    ]  # fmt: skip
    assert max(map(len, written)) <= 5


def test_quantities_change_their_letter_where_rounding_does():
    given = (0, 7, 999.4, 999.6, 1234, 999_400, 999_600, 2.5e6, -1234, -0.5)
    assert [quantity(value) for value in given] == [
        "0", "7", "999", "1k", "1.23k", "999k", "1M", "2.5M", "−1.23k", "−0.5",
    ]  # fmt: skip


def test_both_divisors_stand_on_boards_of_linear_problems(tmp_path):
    made = [
        run_record("shortest-path", seed=seed, problem_config={"degree": 4}, optimal_sum=50.0)
        for seed in range(7)
    ]
    board = read_results(write(tmp_path / "r.sqlite", *made)).boards[0]
    (column,) = [column for column in columns_of(board, "terminal") if column.name == "of optimum"]
    row = board.rows[0]
    expected = sum(r.regret.sum() / 50.0 for r in row.records) / 7
    assert cell_text(column, row) == f"{100 * expected:.2f}"
    plain = read_results(write(tmp_path / "i.sqlite", *(run_record(seed=seed) for seed in range(7)))).boards[
        0
    ]
    assert "of optimum" not in [column.name for column in columns_of(plain, "terminal")]
