"""One decision worked through; the page opens no file that a store names."""

import sys

import numpy as np
import pytest

from dfl_bench.problems import make_problem
from dfl_bench.results.boards import boards
from dfl_bench.results.read import read_results
from dfl_bench.results.worked_example import compute, example, stored_regret
from dfl_bench.run.evaluate import evaluate
from dfl_bench.show.page import write_page
from tests.support.made import run_record, write

watching: list[str] | None = None


@pytest.fixture
def opened():
    """The files that are opened during a test. An audit hook cannot be removed, so it is switched off."""
    global watching
    watching = []
    sys.addaudithook(_note)
    yield watching
    watching = None


def _note(event, args):
    if watching is not None and event == "open":
        watching.append(str(args[0]))


def test_the_example_is_the_first_instance_of_the_reference_policy():
    result = evaluate("constant", make_problem("inventory"), seed=0)
    found = compute(make_problem("inventory"))
    assert found.regret == pytest.approx(result.regret[0], rel=1e-12)
    assert found.worst_regret == pytest.approx(result.worst_regret[0], rel=1e-12)
    np.testing.assert_allclose(found.decision, result.decisions[0])


@pytest.mark.parametrize(("problem", "config"), [("inventory", {}), ("budget", {"fake_targets": 5})])
def test_generated_data_is_worked_through(problem, config):
    (board,) = boards([run_record(problem, problem_config=config)])
    computed, reason = example(board)
    expected = compute(make_problem(problem, **config))
    assert reason == "" and computed.regret == expected.regret
    np.testing.assert_array_equal(computed.decision, expected.decision)


def test_another_version_of_a_problem_is_not_worked_through():
    (board,) = boards([run_record("budget", problem_version=1, problem_config={"data": "generated"})])
    assert example(board) == (None, "the scores are of version 1 of the problem, this code has 2.")


@pytest.mark.parametrize("problem", ["budget", "portfolio"])
def test_a_page_does_not_open_the_file_that_a_store_names(problem, tmp_path, opened):
    file = tmp_path / "theirs.pkl"
    file.write_bytes(b"not a pickle")
    opened.clear()
    stored = run_record(problem, "constant", problem_config={"data": str(file)})
    results = read_results(write(tmp_path / "r.sqlite", stored))
    write_page(results, tmp_path / "page.html")
    assert str(tmp_path / "page.html") in opened, "the hook sees files"
    assert str(file) not in opened
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the setting data is not the default" in page
    assert "From the stored record of" in page


def test_prices_on_this_machine_change_no_page(opened):
    stored = run_record("portfolio", "constant")
    (board,) = boards([stored])
    computed, reason = example(board)
    assert computed is None and "a page opens no data file" in reason
    assert stored_regret(board) == (stored.regret[0], stored.worst_regret[0])
    assert not any("sp500" in name and name.endswith(".npz") for name in opened)


def test_text_inside_a_list_may_name_a_file_too():
    (board,) = boards([run_record("inventory", problem_config={"demand": ["/etc/passwd"]})])
    assert "demand" in example(board)[1]
