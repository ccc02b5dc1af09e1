import numpy as np
import pytest
from rich.console import Console

from dfl_bench.contracts.fingerprint import plain
from dfl_bench.problems import make_problem
from dfl_bench.results.boards import boards, scores_of
from dfl_bench.run.evaluate import evaluate
from dfl_bench.show.terminal import show_boards
from tests.support.made import failure, record


def many(method, score, seeds=range(8), **changes):
    noise = np.random.default_rng(len(method)).normal(0, 0.001, 100)
    return [record(method, s, score=score + noise[s], **changes) for s in seeds]


def shown(made, width=100) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))
    show_boards(console, made)
    return console.export_text()


def test_rows_are_ordered_ranked_and_marked():
    records = [
        *many("good", 0.1),
        *many("bad", 0.5),
        *many("constant", 0.3, reference=True),
        record("refuses", 0, status="n/a", regret=None, worst_regret=None, error="needs a line"),
    ]
    (board,) = boards(records, [failure("bad", 9), failure("bad", 10)])
    assert [(r.method, r.rank, r.failures, r.beats_constant) for r in board.rows] == [
        ("good", 1, 0, True),
        ("bad", 2, 2, False),
        ("refuses", None, 0, None),
    ]
    assert [r.method for r in board.references] == ["constant"]
    assert board.rows[0].mean == pytest.approx(0.1, abs=0.001)
    assert board.rows[0].seconds["train"] == 1.5
    text = shown([board])
    for part in ("bad †", "n/a", "needs a line", "data: made", "abacus", "Boom: it broke"):
        assert part in text, part


def test_seconds_come_from_single_seeds_of_one_machine_alone_if_possible():
    records = [
        record("a", 0, seconds={"train": 2.0}),
        record("a", 1, seconds={"train": 4.0}, alone=True),
        record("a", 4, seconds={"train": 9.0}, alone=True, environment={"cpu": "other"}),
    ]
    (row,) = boards(records)[0].rows
    assert (row.seconds["train"], row.timed, row.alone) == (4.0, 1, True)
    assert len(row.scores) == 3


def test_few_seeds_are_not_ranked():
    (board,) = boards([*many("a", 0.1, range(5)), *many("b", 0.5, range(5))])
    assert not board.ranked and [r.rank for r in board.rows] == [None, None]
    assert "too few seeds" in shown([board])


def test_configurations_versions_and_protocols_do_not_mix():
    records = [
        record("a", 0, method_config={"samples": 8, "steps": 300}),
        record("a", 0, method_config={"samples": 8, "steps": 2000}),
        record("b", 0, method_version=1),
        record("b", 0, method_version=2, score=0.5),
        record("a", 0, method_config={"samples": 8, "steps": 300}, protocol="tuned"),
        record("a", 0, method_config={"samples": 8, "steps": 300}, problem_config={"fake_targets": 5}),
    ]
    made = boards(records)
    assert sorted((b.settings, b.protocol) for b in made) == [
        ("", "paper"),
        ("", "tuned"),
        ("fake_targets=5", "paper"),
    ]
    first = next(b for b in made if (b.settings, b.protocol) == ("", "paper"))
    assert sorted(r.label for r in first.rows) == ["a K=8 steps=2000", "a K=8 steps=300", "b"]
    assert next(r for r in first.rows if r.method == "b").mean == pytest.approx(0.5)


def test_names_are_not_markup():
    (board,) = boards([record("[red]x[/red]", 0, provenance="[bold]y")])
    text = shown([board])
    assert "[red]x[/red]" in text and "[bold]y" in text


def test_long_names_leave_the_numbers_whole_in_eighty_characters():
    whole = {"samples": 32, "prediction_weight": 11.0, "exploration_share": 0.5}
    variants = [whole, whole | {"prediction_weight": 0.0}, whole | {"exploration_share": 0.0}]
    made = boards(record("lcgln-plus", 0, score=0.25, method_config=config) for config in variants)
    text = shown(made, width=80)
    assert "…" not in text
    assert text.count("0.250") == 3
    assert "prediction_weight" in text and "exploration_share" in text


def test_scores_for_the_statistics():
    made = scores_of([record("a", 0, score=0.25), failure("a", 1)])
    assert made.normalized() == {0: pytest.approx(0.25)}


def test_older_records_stand_apart_and_are_not_ranked():
    older = [record("a", s, score=0.01, older="trained in one batch") for s in range(6, 12)]
    (board,) = boards([*many("a", 0.5, range(6)), *many("b", 0.6, range(6)), *older])
    by_label = {row.label: row for row in board.rows}
    assert by_label.keys() == {"a", "b", "a (older)"}
    assert by_label["a (older)"].rank is None and not by_label["a (older)"].seconds
    assert by_label["a"].rank == 1 and len(by_label["a"].scores) == 6
    assert "not compared with the others: trained in one batch" in " ".join(shown([board]).split())


def test_what_is_not_the_protocols_or_the_default_is_in_the_name():
    changed = {"method_config": {"samples": 8, "steps": 100}, "method_changes": ("steps",)}
    small = {"problem_config": {"n_test": 50, "n_train": 9}, "problem_settings": {"n_test": 50}}
    (board,) = boards([record("a", 0, **changed, **small), record("b", 0, **small)])
    assert board.title == "p n_test=50 · protocol paper · cpu"
    assert {row.label for row in board.rows} == {"a K=8 steps=100", "b"}


def test_two_codes_of_one_name_and_version_are_two_rows():
    (board,) = boards([record("a", 0, method_code="1" * 16), record("a", 1, method_code="2" * 16)])
    assert {row.label for row in board.rows} == {"a code=11111111", "a code=22222222"}


def test_the_share_of_instances_without_anything_to_decide_is_below_every_board():
    """It is computed from the records: one instance of five here, over two seeds with one and with none."""
    worst = {0: np.array([0.0, 1.0, 2.0, 0.0, 1.0]), 1: np.array([1.0, 1.0, 2.0, 3.0, 1.0])}
    records = [
        record(method, seed, worst_regret=worst[seed], regret=worst[seed] / 2)
        for method in ("a", "b")
        for seed in worst
    ]
    (board,) = boards(records)
    text = " ".join(shown([board]).split())
    assert "20% of the test instances have a reference regret of 0, as where an outcome is all zero" in text
    assert "test instances" not in shown(boards([record("a", 0)]))
    # Sums of neighbours do not tell.
    grouped = [record("a", 0, worst_regret=worst[0], regret=worst[0], group_size=5)]
    assert "test instances" not in shown(boards(grouped))


def test_the_share_is_that_of_outcomes_of_zeros_on_budget():
    problem = make_problem("budget", fake_targets=0, n_train=5, n_val=5, n_test=200)
    result = evaluate("constant", problem, seed=1000)
    made = record("constant", 0, regret=result.regret, worst_regret=result.worst_regret)
    zeros = (~problem.data(1000).test.y.any((1, 2))).mean()
    assert 0.1 < zeros < 0.4 and f"{zeros:.0%} of the test instances" in shown(boards([made]))


def test_records_older_than_a_sweep_have_its_default():
    """The rows of inventory became a setting later: what was run before stands beside what is swept now."""
    older = {"n_train": 320, "n_val": 80, "n_test": 400}
    config = plain(make_problem("inventory", n_rows=2000).config)
    before = record("a", problem="inventory", problem_config=older, problem_settings={})
    now = record("a", problem="inventory", problem_config=config)
    made = sorted(boards([before, now]), key=lambda board: board.swept["n_rows"])
    assert [board.swept for board in made] == [{"n_rows": 400}, {"n_rows": 2000}]
    assert [board.settings for board in made] == ["n_rows=400", "n_rows=2000"]
    assert [board.settings for board in boards([before])] == [""]  # a report of that time stays as it is
