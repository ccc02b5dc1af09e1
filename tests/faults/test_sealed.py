"""A method gets a problem without data: test rows are out of its reach, all else works."""

import pickle

import numpy as np
import pytest

from dfl_bench import evaluate, make_problem, methods
from dfl_bench.contracts.problem import Problem
from dfl_bench.errors import DflBenchError
from dfl_bench.run.sealed import sealed
from tests.faults.support import method_text, run_one, write_plugin
from tests.support.small import OFFLINE, small_problem

PEEKS = {
    "asks": "test = task.problem.data(task.seed).test",
    "asks-twin": "test = task.problem.in_training.data(task.seed).test",
    "builds-anew": (
        "from dfl_bench import make_problem\ntest = make_problem('toy', rows=40).data(task.seed).test"
    ),
}


@pytest.mark.parametrize("name", PEEKS)
def test_a_method_that_asks_for_data_fails(tmp_path, name):
    plugin = write_plugin(
        tmp_path, f"peek_{name.replace('-', '_')}", method_text(f"peek-{name}", PEEKS[name])
    )
    record = run_one(tmp_path, plugin, f"peek-{name}")
    assert record.status == "failed"
    assert "a method may not ask for data of toy" in record.error


def test_evaluate_seals_its_problem_and_leaves_the_users_open(tmp_path, toy):
    write_plugin(tmp_path, "peek_python", method_text("peek-python", PEEKS["asks"]))
    problem = make_problem("toy")
    with pytest.raises(DflBenchError, match="a method may not ask for data of toy"):
        evaluate("peek-python", problem)
    assert len(problem.data(0).test) == 40


def test_what_a_method_does_to_libraries_moves_no_score(tmp_path, toy):
    body = "setattr(type(task.problem).__mro__[1], 'cost', lambda *a: 0.0)"
    honest = run_one(tmp_path, write_plugin(tmp_path, "honest", method_text("honest", "pass")), "honest")
    cheat = run_one(tmp_path, write_plugin(tmp_path, "cheats", method_text("cheats", body)), "cheats")
    assert cheat.status == honest.status == "ok"
    assert np.array_equal(cheat.regret, honest.regret)
    assert honest.regret.sum() > 0


@pytest.mark.parametrize("name", OFFLINE)
def test_a_sealed_problem_is_the_same_but_for_data(name):
    problem = small_problem(name)
    given, rows = sealed(problem), problem.data(0).train
    assert isinstance(given, type(problem)) and type(given).__name__ == type(problem).__name__
    assert type(given).decision_layer is type(problem).decision_layer
    assert type(given).floor is type(problem).floor
    assert given.config == problem.config and given.source_digest == problem.source_digest
    for one, other in ((given, problem), (given.in_training, problem.in_training)):
        assert np.array_equal(
            one.regret(rows.y, rows.y, rows.context), other.regret(rows.y, rows.y, rows.context)
        )
        with pytest.raises(DflBenchError, match="may not ask for data"):
            one.data(0)
    again = pickle.loads(pickle.dumps(given))
    with pytest.raises(DflBenchError, match="may not ask for data"):
        again.data(0)
    assert isinstance(sealed(given), Problem)


@pytest.mark.parametrize("method", ["dfl", "floor"])
def test_methods_find_capabilities_of_a_sealed_problem(method):
    for name in OFFLINE:
        problem = small_problem(name)
        asked = methods.get(method).not_applicable
        assert asked(sealed(problem)) == asked(problem)
