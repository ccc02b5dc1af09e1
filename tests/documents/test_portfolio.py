"""The lines of no skill that docs/problems.md has for the portfolio are computed again."""

import re

import pytest

from dfl_bench.problems import make_problem
from dfl_bench.studies.reference_lines import POLICIES, normalized_regrets
from tests.documents.test_documents import ROOT
from tests.support.real_data import require_source

PUBLISHED = {"covariance": "published", "days": "first", "risk": "published"}
TEXT = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8").partition("## portfolio-synthetic")[0]


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize(("column", "settings"), [(0, PUBLISHED), (4, {})])
def test_the_lines_of_no_skill(column, settings):
    require_source("sp500")
    problem = make_problem("portfolio", **settings).in_training
    policies = {name: POLICIES["portfolio"][name] for name in ("zero", "training mean of each stock")}
    for name, scores in zip(policies, normalized_regrets(problem, policies, range(1000, 1006)), strict=True):
        (row,) = re.findall(rf"^\| {name} \|(.*\(.*)\|$", TEXT, re.MULTILINE)
        assert row.split("|")[column].strip() == f"{scores.mean():.3f} ({scores.std(ddof=1):.3f})"
