"""What docs/problems.md says about the law of the bids, as far as nothing is trained for it."""

import re

from dfl_bench.data.bids import HIGHEST_RATE, LAW, OTHER_END
from dfl_bench.results.papers import load_paper
from dfl_bench.show.format import score
from dfl_bench.studies.bids_law import (
    BEST,
    RANDOM,
    density,
    overlap_ratio,
    random_choice,
    scores,
    statistics,
)
from tests.documents.test_documents import ROOT

PAGE = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
ENDS = (LAW, OTHER_END)


def row(name):
    (found,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", PAGE, re.MULTILINE)
    return [cell.strip() for cell in found.split("|")]


def test_the_table_has_the_numbers_of_both_laws():
    assert row("density")[1:] == [f"{density(law):.2%}" for law in ENDS]
    zero = [f"{density(law) * HIGHEST_RATE**2 / 3:.2e}" for law in ENDS]
    assert row("error of predicting zero")[1:] == zero
    for k, published in RANDOM.items():
        ours = [f"{random_choice(law, k):.2f}" for law in ENDS]
        assert row(f"users reached by {k} random websites") == [str(published), *ours]
    assert row("users that two websites share, 1 is independence")[1:] == [
        f"{overlap_ratio(law):.2f}" for law in ENDS
    ]
    for law in ENDS:
        assert f"{law.websites:g}, {law.users:g}, −{-law.level:g} |" in PAGE


def test_the_published_columns_are_those_of_the_study():
    for k, published in BEST.items():
        assert row(f"by the {k} best (greedy)")[0] == f"at least {published}"
    printed = [p for p in load_paper().numbers if (p.table, p.method) == ("fake_targets", "pfl")]
    assert row("PFL in the LCGLN paper") == [score(p.mean, p.sem) for p in printed]


def test_the_drawn_lines_of_the_table_are_those_of_the_study():
    """Greedy choices, sums of websites, and what is all zero: by seeded draws."""
    for (name, published, default), (_, _, other) in zip(*map(statistics, ENDS), strict=True):
        assert row(name) == [published, default, other], name


def test_the_line_of_the_constant_is_that_of_the_study():
    law = (LAW.websites, LAW.users, LAW.level)
    assert row("constant, default, users, scaled") == scores("constant", 6, law=law)
