"""The study of the number of rows, and the lines of its table that need no training."""

import re
import sys

from dfl_bench.problems import make_problem
from dfl_bench.studies import rows_of_inventory
from tests.documents.test_documents import ROOT

PAGE = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")


def test_the_lines_without_training_are_those_of_the_page(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rows_of_inventory", "--method", "floor", "constant"])
    rows_of_inventory.main()
    printed = capsys.readouterr().out
    assert printed in PAGE
    table = PAGE[PAGE.index(printed) :].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| ([a-z]\S+) \|", table, re.MULTILINE)) == rows_of_inventory.METHODS


def test_a_method_that_draws_samples_has_one_rate_for_all_sizes():
    """A search found one for 400 rows and K = 32; it is not used."""
    made = [
        rows_of_inventory.configured("lcgln", make_problem("inventory", n_rows=n)).config
        for n in rows_of_inventory.ROWS
    ]
    assert [(config.samples, config.sampling_rate) for config in made] == [(32, 0.1)] * 3
    assert made[0] == made[1] == made[2] and rows_of_inventory.ROWS == (400, 1000, 2000)
