import pytest

from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.claims import judge, judge_all, load_claims, parse_claims, select
from dfl_bench.results.map import panels
from tests.support.maps import SUITE, made_map

TEXT = """
[[claim]]
when = "a line is wrong"
then = "save {gain}"
holds = "gain >= 0.2"
stated = "after"
cells = [{ problem = "shortest-path", degree = 8, rows = [50, 200] }]
checked = []
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "small-map.toml"
    path.write_text(SUITE)
    return panels(list(made_map(str(path))), suite=str(path))


def claim(**changes):
    (found,) = parse_claims(TEXT)
    return type(found)(**{f: changes.get(f, getattr(found, f)) for f in found.__dataclass_fields__})


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "holds"),
        ({"holds": "gain >= 0.9"}, "does not hold"),
        ({"holds": "gain <= 0.9"}, "holds"),
        ({"holds": "gain <= 0.2"}, "does not hold"),
        ({"holds": "gain >= 0.5"}, "open"),  # as large as it was made: the interval has both
        ({"method": "lancer", "holds": "gain <= -0.5"}, "holds"),
        ({"method": "lancer", "against": "spo-plus", "holds": "gain <= -1"}, "holds"),
        ({"holds": "solves >= 10", "method": "spo-plus"}, "holds"),
        ({"holds": "solves <= 10", "method": "spo-plus"}, "does not hold"),
        ({"cells": ({"problem": "budget", "fake_targets": 0},)}, "not run"),
        ({"cells": ({"problem": "shortest-path", "degree": 1},)}, "not run"),  # one of three is missing
    ],
)
def test_a_claim_is_judged_by_its_interval(made, changes, status):
    asked = claim(**changes)
    verdict = judge(asked, asked.cells, made)
    assert verdict.status == status
    assert (verdict.gain is None) == (status == "not run")


def test_a_half_run_claim_says_how_much_is_there(made):
    verdict = judge(claim(), [{"problem": "shortest-path", "degree": 1}], made)
    assert (verdict.run, verdict.settings) == (2, 3)


def test_places_are_found_once_and_must_exist(made):
    twice = [{"problem": "shortest-path", "degree": 8}, {"problem": "shortest-path", "rows": [50, 200]}]
    assert len(select(twice, made)) == 5
    with pytest.raises(ValueError, match="no setting of shortest-path with degree = 7"):
        select([{"problem": "shortest-path", "degree": [8, 7]}], made)
    with pytest.raises(ValueError, match="no setting of energy"):
        select([{"problem": "energy"}], made)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('holds = "gain > 0.2"', "claim 1: expected an inequality as 'gain >= 0.2', got 'gain > 0.2'"),
        ('stated = "later"', "'before' or 'after'"),
        ('method_ = "pfl"', "unknown key 'method_'. Did you mean 'method'"),
    ],
)
def test_mistakes_are_named(line, message):
    name = line.partition(" ")[0]
    lines = [old for old in TEXT.splitlines() if not old.startswith(f"{name} =")]
    with pytest.raises(ValueError, match=message):
        parse_claims("\n".join([*lines, line]))


def test_every_claim_of_the_package_has_settings_in_both_suites():
    judged = judge_all([], [])
    assert len(judged) == len(load_claims()) > 10
    assert all(here.status == there.status == "not run" for here, there in judged)
    assert all(here.settings and there.settings for here, there in judged)
    trained = {name for entry in load_suite("map") for name in entry.methods} | {"chosen"}
    assert {name for c in load_claims() for name in (c.method, c.against)} <= trained
