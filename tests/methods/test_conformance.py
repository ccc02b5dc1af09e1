"""Every comparison of the conformance page holds; a new module of `studies/conformance` joins by itself."""

import pytest

from dfl_bench import methods
from dfl_bench.studies.conformance.check import checks, families


@pytest.mark.parametrize("family", families())
def test_losses_are_what_they_claim_to_be(family):
    made = list(checks(family))
    assert made and {check.method for check in made} <= set(methods.names())
    assert [check for check in made if not check.absent and not check.passed] == []
    if absent := {check.absent for check in made if check.absent}:
        pytest.skip(f"not compared, because it is not installed: {', '.join(sorted(absent))}")
