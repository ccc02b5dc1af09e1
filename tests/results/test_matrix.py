"""The matrix: which rows make a line, how lines are named, ordered and summed up."""

import csv
import io

import numpy as np
import pytest

from dfl_bench.results.boards import boards
from dfl_bench.results.headline import headline
from dfl_bench.results.matrix import matrices
from dfl_bench.results.notes import matrix_notes
from dfl_bench.results.spreadsheet import board_csv, matrix_csv, write_matrices
from tests.support.made import failure, record


def many(method, score, problem="p", seeds=8, **changes):
    noise = np.random.default_rng(len(method + problem)).normal(0, 0.001, seeds)
    changes = {"problem": problem, **changes}
    return [record(method, s, score=score + noise[s], **changes) for s in range(seeds)]


def matrix_of(*groups, failures=()):
    (made,) = matrices(boards([r for group in groups for r in group], failures))
    return made


def lines(made):
    return [line.label for line in made.lines]


def test_a_line_sums_up_its_rows():
    absent = [record("c", 0, problem="q", status="n/a", regret=None, worst_regret=None, error="needs a line")]
    made = matrix_of(
        many("a", 0.1, seconds={"train": 4.0}),
        many("b", 0.2),
        many("c", 0.3),
        many("a", 0.5, "q", seconds={"train": 4.0}),
        many("b", 0.2, "q"),
        absent,
        many("constant", 0.4, reference=True),
        failures=[failure("d", 0, problem="q")],
    )
    assert [board.problem for board in made.boards] == ["p", "q"]
    assert lines(made) == ["a", "b", "c", "d"]  # the first two have a mean rank of 1.5 and one first place
    a = next(line for line in made.lines if line.method == "a")
    assert [row.rank for row in a.cells] == [1, 2]
    assert (a.rank.mean, a.rank.interval, a.first, a.ranked, a.scored) == (1.5, (1.0, 2.0), 1, 2, 2)
    # The median method of p takes 1.5 s; of q the two take 4 and 1.5, whose median is 2.75.
    assert a.time_factor == pytest.approx(np.sqrt(4 / 1.5 * 4 / 2.75))
    c, d = made.lines[2:]
    assert c.cells[1].reason == "needs a line" and c.cells[1].mean is None and c.rank.mean == 3.0
    assert d.cells[0] is None and d.cells[1].failures == 1 and d.rank is None
    assert [line.method for line in made.references] == ["constant"]
    assert made.references[0].cells[1] is None and made.references[0].rank is None


def test_a_tie_in_rank_goes_to_more_first_places():
    scores = {"a": (0.2, 0.2), "b": (0.1, 0.3), "c": (0.3, 0.1)}
    made = matrix_of(*(many(m, s, p) for m in "abc" for p, s in zip("pq", scores[m], strict=True)))
    assert [line.rank.mean for line in made.lines] == [2.0, 2.0, 2.0]
    assert lines(made) == ["b", "c", "a"]


def test_methods_with_few_scores_stand_below():
    groups = [many(m, s, p) for p in "pqr" for m, s in (("a", 0.2), ("b", 0.3))]
    made = matrix_of(*groups, many("few", 0.1))
    assert lines(made) == ["a", "b", "few"]
    assert made.lines[2].is_partial and made.lines[2].rank.mean == 1.0
    assert any("less than half" in note for note in matrix_notes(made))


def test_each_protocol_and_device_has_its_own():
    made = matrices(
        boards([*many("a", 0.1, protocol="tuned"), *many("a", 0.1), *many("a", 0.1, device="cuda")])
    )
    assert [(m.protocol, m.device) for m in made] == [("paper", "cpu"), ("paper", "cuda"), ("tuned", "cpu")]


def test_the_largest_k_stands_for_a_method_whatever_it_is_on_each_problem():
    sized = [
        many("a", 0.3 - 0.01 * k, p, method_config={"samples": k}) for p, k in (("p", 2), ("p", 8), ("q", 4))
    ]
    made = matrix_of(*sized)
    assert lines(made) == ["a"]
    assert [row.config["samples"] for row in made.lines[0].cells] == [8, 4]
    assert any("largest K" in note for note in matrix_notes(made))


def test_what_was_changed_makes_a_line_and_what_a_protocol_chose_does_not():
    rates = {"p": 0.1, "q": 0.01}  # a search found another rate on each problem
    usual = [many("a", 0.1, p, method_config={"rate": r, "start": True}) for p, r in rates.items()]
    changed = [
        many("a", 0.2, p, method_config={"rate": r, "start": False}, method_changes=("start",))
        for p, r in rates.items()
    ]
    assert lines(matrix_of(*usual)) == ["a"]
    assert lines(matrix_of(*usual, *changed)) == ["a", "a start=false"]
    # A value that nobody is known to have changed tells rows apart where most rows have another one.
    odd = [many("a", 0.3, p, method_config={"rate": r, "start": True, "weight": 0}) for p, r in rates.items()]
    more = [
        many("a", 0.4, p, method_config={"rate": r, "start": True, "weight": r}) for p, r in rates.items()
    ]
    also = [
        many("a", 0.5, p, method_config={"rate": r, "start": False, "weight": r}, method_changes=("start",))
        for p, r in rates.items()
    ]
    assert set(lines(matrix_of(*odd, *more, *also))) == {"a", "a weight=0", "a start=false"}


def test_what_all_have_changed_is_said_once():
    short = {"method_config": {"steps": 300}, "method_changes": ("steps",)}
    exact = many("exact", 0.3)  # has no steps
    made = matrix_of(many("a", 0.1, **short), many("b", 0.2, **short), exact)
    assert lines(made) == ["a", "b", "exact"] and made.shared == "steps=300"
    assert any("steps=300" in note for note in matrix_notes(made))
    alone = matrix_of(many("a", 0.1, **short), exact)
    assert lines(alone) == ["a steps=300", "exact"] and alone.shared == ""
    mixed = matrix_of(many("a", 0.1, **short), many("b", 0.2, method_config={"steps": 2000}))
    assert lines(mixed) == ["a steps=300", "b"] and mixed.shared == ""


def test_two_codes_of_one_name_are_two_lines():
    made = matrix_of(many("a", 0.1, method_code="1" * 16), many("a", 0.2, method_code="2" * 16))
    assert lines(made) == ["a code=11111111", "a code=22222222"]


def test_headings_tell_boards_apart_and_common_settings_are_said_once():
    def on(degree, side, default=()):
        config = {"degree": degree, "side": side, "size": 3}
        return {
            "problem_config": config,
            "problem_settings": {k: config[k] for k in config if k not in default},
        }

    groups = [many("a", 0.1, **on(d, 5)) for d in (2, 4)]
    other = many("a", 0.1, "other", **on(1, 9, default=("degree", "size")))
    made = matrix_of(*groups, other)
    assert made.headings == ("side=9", "degree=2", "degree=4")
    assert made.common == {"p": "side=5 size=3"}


def test_older_rows_and_reference_policies_are_not_ranked():
    made = matrix_of(many("a", 0.2), many("b", 0.1, older="of a batch"), many("truth", 0.0, reference=True))
    assert lines(made) == ["a"] and made.lines[0].rank.mean == 1.0


FEW = "with fewer than 6 seeds no difference can be tested."
LOWEST = "has the lowest normalized regret, 0.100"
ABSENT = {"status": "n/a", "regret": None, "worst_regret": None, "error": "no"}


def both(one, other, problems="p", **changes):
    return [many(m, s, p, **changes) for p in problems for m, s in ((one, 0.1), (other, 0.2))]


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([many("a", 0.1)], f"On p, a {LOWEST}; with one method alone no difference can be tested."),
        (both("a", "b", seeds=3), f"On p, a {LOWEST}; {FEW}"),
        (both("a", "b"), f"On p, a {LOWEST}; the other one is worse by a paired test."),
        ([many("a", 0.1), many("bb", 0.1), many("c", 0.5)], "of 3 methods no paired test finds a worse."),
        (
            both("a", "pfl", "pq"),
            "Of 2 methods on 2 problems, a has the best mean rank, 1.0 (95 % interval 1.0 to 1.0), in the "
            "first group on 2 of 2; pfl, prediction alone, has 2.0 (95 % interval 2.0 to 2.0), in the first "
            "group on 0 of 2.",
        ),
        (both("a", "b", "pq", seeds=2), f"a has the best mean rank, 1.0, but {FEW}"),
        (
            [*both("a", "b"), *both("b", "a", "q")],
            "in the first group on 1 of 2 (b has the same rank).",
        ),
        ([[record("a", 0, **ABSENT)]], "No method has a score yet."),
    ],
)
def test_the_sentence_says_no_more_than_the_numbers(groups, said):
    assert said in headline(matrix_of(*groups))


def test_the_sentence_counts_settings_of_one_problem():
    groups = [many(m, s, problem_config={"degree": d}) for d in (1, 2) for m, s in (("a", 0.1), ("b", 0.2))]
    assert "2 settings of p" in headline(matrix_of(*groups))


def test_groups_that_do_not_follow_the_means_are_said():
    """b is a little worse than a on every seed; c is worse than b on average and varies too much to tell."""
    a = np.linspace(0.1, 0.2, 10)
    by_method = {"a": a, "b": a + 0.01, "c": a + 0.05 * np.array([3, -2] * 5)}
    made = matrix_of([record(m, s, score=v) for m, values in by_method.items() for s, v in enumerate(values)])
    row = {line.method: line.cells[0] for line in made.lines}
    assert (row["a"].rank, row["b"].rank, row["c"].rank) == (1, 2, 1)
    assert row["b"].passed == ("c",) and row["c"].passed == row["a"].passed == ()
    assert any(note.startswith("‡") for note in matrix_notes(made))


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_matrix_as_csv(tmp_path):
    absent = [
        record("=b", 0, problem="q", status="n/a", regret=None, worst_regret=None, error="@needs a line")
    ]
    made = matrix_of(many("a", 0.1), many("a", 0.2, "q"), absent)
    a, b = read(matrix_csv(made))
    assert float(a["p regret"]) == pytest.approx(made.lines[0].cells[0].mean, rel=1e-7)
    assert (a["p seeds"], a["first"], a["ranked"], a["p seconds"], a["p solves"]) == (
        "8",
        "2",
        "2",
        "1.5",
        "7.0",
    )
    assert (b["method"], b["p reason"], b["q reason"], b["q regret"]) == (
        "'=b",
        "not run",
        "'@needs a line",
        "",
    )
    assert [path.name for path in write_matrices([made], tmp_path / "m.csv")] == ["m.csv"]
    two = matrices(boards([*many("a", 0.1, protocol="tuned"), *many("a", 0.1)]))
    assert [path.name for path in write_matrices(two, tmp_path / "m.csv")] == [
        "m-paper-cpu.csv",
        "m-tuned-cpu.csv",
    ]


def test_a_board_as_csv():
    (board,) = boards(many("a", 0.1), [failure("b", 0)])
    a, b = read(board_csv(board))
    assert float(a["regret"]) == pytest.approx(board.rows[0].mean, rel=1e-7)
    assert float(a["regret sem"]) == pytest.approx(board.rows[0].sem, rel=1e-7)
    assert (a["seeds"], a["group"], b["regret"], b["failed"], b["reason"]) == (
        "8",
        "1",
        "",
        "1",
        "Boom: it broke",
    )
