import dataclasses

from typer.testing import CliRunner

from dfl_bench.cli import app
from dfl_bench.store.conflicts import find_conflicts
from dfl_bench.store.store import Store
from tests.support.made import record


def test_two_scores_under_one_key_are_a_conflict():
    ours = [record("a", 0, score=0.5), record("a", 1, score=0.5), record("b", 0, score=0.5)]
    theirs = [
        record("a", 0, score=0.5 + 1e-12),  # another processor
        record("a", 1, score=0.6),
        record("b", 0, status="n/a", regret=None, worst_regret=None),
        record("c", 0),  # only there
    ]
    found = find_conflicts(ours, theirs)
    assert [(c.ours, c.theirs) for c in found] == [(ours[1], theirs[1]), (ours[2], theirs[2])]
    assert find_conflicts(theirs, theirs) == []


def test_other_settings_or_versions_are_no_conflict():
    ours = [record("a", 0, score=0.5)]
    changed = [record("a", 0, score=0.6, method_version=2), record("a", 0, score=0.6, method_config={"x": 1})]
    assert find_conflicts(ours, changed) == []


def test_a_score_that_is_not_a_number_differs_from_one_that_is():
    good = record("a", 0, score=0.5)
    broken = dataclasses.replace(good, regret=good.regret * float("nan"))
    assert len(find_conflicts([good], [broken])) == 1
    assert find_conflicts([broken], [broken]) == []


def test_merge_names_both_scores_and_commits_and_keeps_what_is_there(tmp_path):
    with Store(tmp_path / "mine.sqlite") as mine, Store(tmp_path / "other.sqlite") as other:
        mine.add(record("a", 0, score=0.25, environment={"commit": "aaa111"}))
        other.add(record("a", 0, score=0.75, environment={"commit": "bbb222"}), record("a", 1))
    merged = CliRunner().invoke(app, ["merge", str(tmp_path / "mine.sqlite"), str(tmp_path / "other.sqlite")])
    text = merged.output
    assert merged.exit_code == 0
    assert "1 new results" in text and "1 cells have one key and two scores" in text
    assert "a (version 1) on p (version 1), seed 0: 0.25 at commit aaa111, 0.75 at commit bbb222" in text
    with Store(tmp_path / "mine.sqlite", readonly=True) as store:
        assert store.records()[0].normalized_regret == 0.25
