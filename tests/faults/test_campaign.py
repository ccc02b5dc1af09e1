"""A small part of the campaign; ``python -m tests.faults.campaign`` runs all of it."""

import random

import pytest

from tests.faults.bad_plugins import control_score, try_plugin
from tests.faults.campaign import table
from tests.faults.kills import calm_scores, kill_once
from tests.faults.misbehaviours import misbehaviours

pytestmark = pytest.mark.slow

SOME = ("fit-raises-odd-text", "fit-segfaults", "fit-forks-daemon", "gives-texts", "import-system-exit")


def test_kills_change_no_score_and_leave_no_process(tmp_path):
    calm, moments = calm_scores(tmp_path), random.Random(1)
    for target in ("driver", "worker", "child", "fit", "grandchild"):
        result = kill_once(tmp_path, target, calm, moments)
        assert (result.same, result.clean) == (True, True), result


def test_bad_plugins_leave_the_control_as_it_is(tmp_path):
    wanted, all_of_them = control_score(tmp_path), {bad.name: bad for bad in misbehaviours()}
    assert wanted is not None
    for name in SOME:
        outcome = try_plugin(tmp_path, all_of_them[name])
        assert (outcome.status, outcome.control, outcome.clean) == (
            all_of_them[name].becomes,
            wanted,
            True,
        ), name


def test_the_list_is_long_enough_and_each_name_is_once():
    names = [bad.name for bad in misbehaviours()]
    assert len(names) >= 60 and len(set(names)) == len(names)


def test_the_table_counts_what_was_tried_and_survived():
    assert table([("a", 3, 2), ("b", 1, 1)]).splitlines()[-1] == "| all | 4 | 3 |"
