import pytest

from dfl_bench import methods
from dfl_bench.experiment.axes import combinations
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import load_suite, parse_suite
from dfl_bench.problems import make_problem

HEAD = '[[entry]]\nproblem = "shortest-path"\nmethods = ["pfl"]\n'
MAPS = ("map", "map-tuned", "map-check")


def test_an_entry_for_each_combination():
    text = HEAD + (
        "seeds = 2\nfirst_seed = 10\nsettings = { noise = 0.0 }\n"
        "axes = { degree = [1, 8], rows = [{ at = 50, n_train = 50, n_val = 12 }, { at = 1000 }] }"
    )
    entries = parse_suite(text, "mine")
    assert [(e.at, e.settings) for e in entries] == [
        ({"degree": 1, "rows": 50}, {"noise": 0.0, "degree": 1, "n_train": 50, "n_val": 12}),
        ({"degree": 1, "rows": 1000}, {"noise": 0.0, "degree": 1}),
        ({"degree": 8, "rows": 50}, {"noise": 0.0, "degree": 8, "n_train": 50, "n_val": 12}),
        ({"degree": 8, "rows": 1000}, {"noise": 0.0, "degree": 8}),
    ]
    assert {cell.seed for cell in plan(entries)} == {10, 11}
    assert list(combinations({})) == [({}, {})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("axes = { degree = 1 }", "entry 1: expected the axis degree to be a list of values, got 1"),
        ("axes = { degree = [] }", "list of values"),
        ("axes = { degree = [1, 1] }", "each value once"),
        ("axes = { rows = [{ n_train = 50 }] }", "expected 'at' in the table"),
        ("axes = [1]", "expected axes to be a dict"),
        ("at = { degree = 1 }", "unknown key 'at'"),
        ("first_seed = -1", "first_seed to be 0 or more"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        parse_suite(HEAD + text, "mine.toml")


@pytest.mark.parametrize("name", MAPS)
def test_a_map_compares_with_pfl_and_asks_for_nothing_that_cannot_be_run(name):
    for entry in load_suite(name):
        problem = make_problem(entry.problem, **entry.settings)
        assert {"pfl"} < set(entry.methods) and entry.at and entry.seeds == 10
        assert [m for m in entry.methods if methods.get(m).refuses(problem)] == []
        assert ("floor" in entry.methods) == problem.offers("floor"), entry


def test_what_is_held_back_was_not_used():
    """No setting of one problem together with a seed of it is in both suites."""
    used = {
        (e.problem, str(make_problem(e.problem, **e.settings)), s)
        for e in load_suite("map")
        for s in e.seed_range
    }
    held = {
        (e.problem, str(make_problem(e.problem, **e.settings)), s)
        for e in load_suite("map-check")
        for s in e.seed_range
    }
    assert not used & held
    assert not {seed for *_, seed in used} & {seed for *_, seed in held}
