from dataclasses import replace

import pytest

from dfl_bench import methods
from dfl_bench.contracts.fingerprint import plain
from dfl_bench.errors import UnknownNameError
from dfl_bench.experiment.plan import configurations, plan
from dfl_bench.experiment.selection import Selection, parse_settings
from dfl_bench.experiment.suite import Entry, built_in, load_suite, named_methods, parse_suite
from dfl_bench.results.papers import load_paper, papers

GOOD = '[[entry]]\nproblem = "toy"\nmethods = ["toy-noisy"]\n'


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD + "samples = [4, 8]\nseeds = 3\nmethod_settings = { seconds = 0.5 }\n")
    (entry,) = load_suite(str(path))
    assert entry == Entry(
        problem="toy", methods=("toy-noisy",), samples=(4, 8), seeds=3, method_settings={"seconds": 0.5}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "sample = [4]", "entry 1 has an unknown key 'sample'. Did you mean 'samples'?"),
        ("entri = 1", "unknown key 'entri'. Did you mean 'entry'?"),
        ("", r"no \[\[entry\]\]"),
        ("[[entry]]\nproblem = 'toy'", "entry 1 has no 'methods'"),
        (GOOD + "seeds = '3'", "expected seeds to be a int, got '3'"),
        (GOOD + "seeds = 0", "at least 1 seed"),
        (GOOD + "samples = [1]", "at least 2 samples"),
        (GOOD + "samples = ['8']", "expected samples to hold int values, got '8'"),
        (
            GOOD + "leave_out = ['toy-noise']",
            "leave_out to name methods of the entry.*Did you mean 'toy-noisy'",
        ),
        (GOOD + "leave_out = ['toy-noisy']", "at least one method"),
        (
            GOOD + "own_settings = { toy-noise = {} }",
            "own_settings to name methods.*Did you mean 'toy-noisy'",
        ),
        (GOOD + "own_settings = { toy-noisy = 3 }", "own_settings to hold settings by method, got a value"),
        ("[[entry", "is not TOML"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        parse_suite(text, "mine.toml")


def test_unknown_suites_are_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'quick'"):
        load_suite("quik")
    with pytest.raises(FileNotFoundError, match="no suite file"):
        load_suite("none.toml")


def test_every_seed_is_a_cell_of_its_own_and_large_samples_come_first(toy):
    entry = Entry(problem="toy", methods=("toy-noisy", "toy-constant"), samples=(4, 8), seeds=2)
    assert [(c.method, c.samples, c.seed) for c in plan([entry])] == [
        ("toy-noisy", 8, 0),
        ("toy-noisy", 8, 1),
        ("toy-noisy", 4, 0),
        ("toy-noisy", 4, 1),
        ("toy-constant", None, 0),
        ("toy-constant", None, 1),
    ]


def test_a_cell_is_planned_once(toy):
    entry = Entry(problem="toy", methods=("toy-noisy",), seeds=3)
    assert len(plan([entry, entry])) == 3


def test_settings_go_to_the_methods_that_have_them(toy):
    entry = Entry(
        problem="toy", methods=("toy-noisy", "toy-constant"), seeds=1, method_settings={"seconds": 0.25}
    )
    assert [cell.method_config for cell in plan([entry])] == [{"samples": 2, "seconds": 0.25}, {}]
    with pytest.raises(ValueError, match=r"no setting 'second'\. Did you mean 'seconds'"):
        plan([Entry(problem="toy", methods=("toy-noisy",), method_settings={"second": 1})])
    with pytest.raises(ValueError, match=r"toy has no setting 'row'\. Did you mean 'rows'"):
        plan([Entry(problem="toy", methods=("toy-noisy",), settings={"row": 1})])


def test_own_settings_are_those_of_one_method_and_come_last(toy):
    entry = Entry(
        problem="toy",
        methods=("toy-noisy", "toy-constant"),
        seeds=1,
        method_settings={"seconds": 0.25},
        own_settings={"toy-noisy": {"seconds": 0.5}},
    )
    assert [cell.method_config for cell in plan([entry])] == [{"samples": 2, "seconds": 0.5}, {}]


def test_a_step_of_the_ladder_that_does_not_concern_a_method_is_not_run_again():
    """Some steps concern the loss of LCGLN alone."""
    of_lcgln = {"inventory": 4, "budget": 5, "portfolio": 5}
    for problem, own in of_lcgln.items():
        entries = [replace(e, seeds=1) for e in load_suite("ladder") if e.problem == problem]
        assert all(e.step and e.methods == ("pfl", "dfl", "lancer", "lcgln") for e in entries)
        keys = [[cell.key for cell in plan([entry])] for entry in entries]
        assert len({found[3] for found in keys}) == len(entries)  # each step changes something for LCGLN
        for method in range(3):
            assert len({found[method] for found in keys}) == len(entries) - own


def test_the_built_in_suites_are_what_they_say():
    assert {"quick", "paper"} <= built_in().keys()
    cells = plan(load_suite("quick"))
    assert {c.problem for c in cells} == {"inventory", "budget", "portfolio-synthetic"}
    assert {c.seed for c in cells} == {0, 1}
    assert {c.samples for c in cells} == {None, 8}
    assert {c.method_config["steps"] for c in cells if "steps" in c.method_config} == {300}


@pytest.mark.parametrize(("name", "track"), [(n, t) for n in papers() for t in load_paper(n).tracks])
def test_the_suite_of_a_paper_holds_every_published_cell_once(name, track):
    entries = load_suite(load_paper(name).tracks[track].suite)
    planned = [
        (problem.name, plain(problem.config), method.name, plain(method.config))
        for entry in entries
        for problem, method in configurations(entry, "paper")
    ]
    for p in load_paper(name).numbers:
        found = [cell for cell in planned if p.is_about(*cell[:2]) and p.is_by(*cell[2:])]
        assert len(found) == 1, p
    assert {entry.seeds for entry in entries} == {10}


def test_a_suite_is_narrowed():
    entries = Selection(
        suite="paper",
        problems=["budget"],
        methods=["pfl", "lcgln"],
        samples=[16],
        problem_settings={"fake_targets": [5, 500]},
        seeds=3,
    ).entries()
    assert [(e.settings["fake_targets"], e.methods, e.samples, e.seeds) for e in entries] == [
        (500, ("pfl", "lcgln"), (16,), 3),
        (5, ("pfl", "lcgln"), (16,), 3),
    ]


def test_nothing_named_is_the_suite_quick():
    assert Selection().entries() == load_suite("quick")


def test_named_problems_and_methods_are_crossed(toy):
    entries = Selection(
        problems=["toy"], methods=["toy-noisy"], problem_settings={"fake_targets": [0, 5]}, samples=[4]
    ).entries()
    assert [(e.settings, e.samples, e.seeds) for e in entries] == [
        ({"fake_targets": 0}, (4,), 10),
        ({"fake_targets": 5}, (4,), 10),
    ]


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(suite="quick", problems=["portfolio"]), "--problem portfolio: the suite quick has"),
        (Selection(suite="quick", samples=[64]), "--samples 64: the suite quick has 8"),
        (
            Selection(suite="paper", problem_settings={"fake_targets": [7]}),
            "--problem-set fake_targets 7: the suite paper has 0, 5, 50, 500",
        ),
        (
            Selection(problems=["inventory"], methods=["pfl"], problem_settings={"fake_targets": [5]}),
            "inventory has no such setting. It is a setting of budget",
        ),
        (
            Selection(problems=["inventory"], methods=["pfl", "dfl"], samples=[8]),
            "none of pfl, dfl draws samples",
        ),
    ],
)
def test_contradictions_are_errors(selection, message):
    with pytest.raises(ValueError, match=message):
        selection.entries()


def test_settings_are_parsed_as_toml():
    assert parse_settings(["steps=300", "rate=1e-3", "name=adam", "on=true"]) == {
        "steps": 300,
        "rate": 1e-3,
        "name": "adam",
        "on": True,
    }
    with pytest.raises(ValueError, match="expected --set name=value, got 'steps'"):
        parse_settings(["steps"])


def test_an_entry_has_a_protocol_that_the_caller_may_change():
    (entry,) = parse_suite('[[entry]]\nproblem="inventory"\nmethods=["constant"]\nprotocol="tuned"', "mine")
    protocols = lambda **asked: {cell.protocol for cell in plan([entry], **asked)}  # noqa: E731
    assert protocols() == {"tuned"}
    assert protocols(protocol="paper") == {"paper"}
    assert {e.protocol for e in load_suite("tuned")} == {"tuned"}


def test_families_and_all_stand_for_methods():
    text = '[defaults]\nmethods = ["reference", "pfl"]\n[[entry]]\nproblem = "inventory"\n'
    (entry,) = parse_suite(text, "mine")
    assert set(entry.methods) == {"constant", "random", "truth", "floor", "pfl"}
    (entry,) = parse_suite('[[entry]]\nproblem = "inventory"\nmethods = "all"\n', "mine")
    assert set(entry.methods) == set(methods.names())
    assert "lcgln" in named_methods("learned loss") and "pfl" not in named_methods("learned loss")
    assert Selection(suite="quick", methods=["reference"]).entries()[0].methods == (
        "constant", "random", "truth", "floor"
    )  # fmt: skip


def test_methods_can_be_left_out():
    text = '[[entry]]\nproblem = "toy"\nmethods = ["reference", "pfl"]\nleave_out = ["floor"]\n'
    (entry,) = parse_suite(text, "mine.toml")
    assert entry.methods == tuple(n for n in named_methods(["reference", "pfl"]) if n != "floor")


def test_every_method_has_a_family_and_no_family_the_name_of_a_method():
    families = {entry.family for entry in methods.entries().values() if entry.source.startswith("dfl_bench.")}
    assert "" not in families
    assert not families & set(methods.names())


def test_variants_are_entries_of_their_own():
    text = '[[entry]]\nproblem="toy"\nmethods=["toy-noisy"]\nmethod_settings={seconds=1.0}\n'
    made = parse_suite(text + "variants=[{}, {samples=3}]", "mine")
    assert [e.method_settings for e in made] == [{"seconds": 1.0}, {"seconds": 1.0, "samples": 3}]


def test_a_setting_the_suite_does_not_vary_is_changed():
    entries = Selection(suite="quick", problems=["budget"], problem_settings={"n_test": [50, 60]}).entries()
    assert [e.settings for e in entries] == [
        {"fake_targets": 5, "n_test": 50},
        {"fake_targets": 5, "n_test": 60},
    ]
    with pytest.raises(ValueError, match=r"no such setting\. Did you mean 'n_test'"):
        Selection(problems=["budget"], problem_settings={"n_tests": [50]}).entries()


def test_settings_of_the_wrong_kind_are_refused():
    with pytest.raises(ValueError, match="budget: n_test: expected a whole number, got 'abc'"):
        plan(Selection(problems=["budget"], methods=["pfl"], problem_settings={"n_test": ["abc"]}).entries())
    with pytest.raises(ValueError, match="pfl: steps: expected a whole number"):
        plan(Selection(problems=["budget"], methods=["pfl"], settings={"steps": 1.5}).entries())


def test_equal_settings_have_equal_keys_however_they_are_written():
    keys = [
        plan(Selection(problems=["budget"], methods=["pfl"], settings={"learning_rate": rate}).entries())
        for rate in (1, 1.0)
    ]
    assert keys[0] == keys[1]
