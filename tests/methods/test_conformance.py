"""Every comparison of the conformance page holds; a new module of `studies/conformance` joins by itself."""

import re

import pytest

from dfl_bench import methods
from dfl_bench.studies.conformance.__main__ import HEAD
from dfl_bench.studies.conformance.check import checks, families
from tests.documents.test_documents import ROOT

PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("family", families())
def test_losses_are_what_they_claim_to_be(family):
    made = list(checks(family))
    assert made and {check.method for check in made} <= set(methods.names())
    assert [check for check in made if not check.absent and not check.passed] == []
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+?) \|", _section(family), re.MULTILINE)
    there = [(check.method, check.case, check.against) for check in made if not check.absent]
    assert set(there) <= set(rows), "make docs/conformance.md again, by the command that it names"
    assert len(rows) == len(made)
    if absent := {check.absent for check in made if check.absent}:
        pytest.skip(f"not compared, because it is not installed: {', '.join(sorted(absent))}")


def _section(family):
    """What the page says of a family."""
    return PAGE.partition(f"## {family.replace('_', ' ')}\n")[2].partition("\n## ")[0]


def test_the_page_says_that_all_of_them_hold():
    assert PAGE.startswith(HEAD)
    rows = re.findall(r"^\| `.*\| holds \|$", PAGE, re.MULTILINE)
    assert f"{len(rows)} of {len(rows)} comparisons hold" in PAGE and "does not hold" not in PAGE
