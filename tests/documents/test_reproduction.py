"""docs/reproduction.md has the numbers of the results files, and says nothing else in numbers."""

import re

import numpy as np
import pytest

from dfl_bench.problems import make_problem
from dfl_bench.results.papers import load_paper
from dfl_bench.store.store import Store
from tests.documents.test_documents import ROOT, SCORE
from tools.reproduction import PAGE, tables

PLACE = re.compile(r"^<!-- (?!end)(.*?) -->\n(.*?)^<!-- end -->$", re.DOTALL | re.MULTILINE)
TEXT = PAGE.read_text(encoding="utf-8")
PROSE = " ".join(PLACE.sub("", TEXT).split())


def test_the_tables_are_those_of_the_stores():
    """After a run: `python -m tools.reproduction`."""
    assert dict(PLACE.findall(TEXT)) == tables()


def test_scores_in_the_text_stand_in_a_table():
    quoted = set(SCORE.findall(PROSE))
    assert quoted <= {found for _, table in PLACE.findall(TEXT) for found in SCORE.findall(table)}


def test_a_store_that_is_not_there_has_not_been_run(tmp_path):
    empty = tables([tmp_path / "none.sqlite"])
    assert empty.keys() == dict(PLACE.findall(TEXT)).keys()
    assert all("not run" in table for table in empty.values())
    paper = load_paper()
    for p in paper.numbers:  # the paper's own rows need no run
        if p.table != "sample_size" or p.method not in paper.without_samples:
            assert f"{p.mean:.3f} ± {p.sem:.3f}" in "".join(empty.values()), p


@pytest.mark.parametrize(("n_rows", "quoted"), [(400, "below 0.373"), (2000, "below 0.364")])
def test_no_single_order_scores_lower_on_the_published_rows(n_rows, quoted):
    problem = make_problem("inventory", draws="published", n_rows=n_rows)
    test = problem.data(0).test
    worst = problem.worst_regret(test.y, test.context).sum()
    best = problem.optimal_cost(test.y, test.context).sum()
    costs = [problem.cost(np.full(len(test), z), test.y, test.context).sum() for z in np.arange(0, 20, 0.02)]
    assert quoted in PROSE and quoted == f"below {(min(costs) - best) / worst:.3f}"


def test_every_record_is_of_one_seed_and_of_this_code():
    with Store(ROOT / "results" / "paper.sqlite", readonly=True) as store:
        assert not [r for r in (*store.records(), *store.failures()) if r.cell.older]
