"""A score never goes stale unseen: what it stands on is in the key."""

import os
import sys
import time

import pytest

from dfl_bench import make_problem
from dfl_bench.contracts.registry import load_plugin
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.job import Plugin
from dfl_bench.run.verify import rerun, verify
from dfl_bench.store.store import Store
from tests.support.made import record

METHOD = """
import numpy as np
from dfl_bench import Method, methods

@methods.register("stale-method", version=1)
class Stale(Method):
    def fit(self, task, rng):
        return lambda x: np.broadcast_to(task.train.y.mean(0) * {factor}, (len(x), *task.train.y.shape[1:]))
"""
PROBLEM = """
import numpy as np
from dfl_bench import Network, Problem, Split, Splits, problems, rng_for

@problems.register("stale-problem", version=1)
class Stale(Problem):
    from dataclasses import make_dataclass
    Config = make_dataclass("Config", [("n", int, 30)], frozen=True)
    provenance = "synthetic: made up"
    network = Network(outputs=3, activation="linear")

    def data(self, seed):
        rng = rng_for("stale", "data", seed=seed)
        return Splits(*(Split(rng.random((30, 2)), rng.random((30, 3))) for _ in range(3)))

    def decide(self, y_hat, context):
        return y_hat.argmax(-1)

    def cost(self, z, y, context):
        return -((y * (z[..., None] == np.arange(3))).sum(-1) ** {power})

    def worst(self, y, context):
        return y.argmin(-1)
"""


def score(path, text, store, **where):
    path.write_text(text)
    load_plugin(path)
    with Store(store) as opened:
        summary = run(plan([Entry(seeds=1, **where)]), opened, plugins=[Plugin.read(path)])
        assert summary.failed == 0, summary.errors
        return summary, opened.records()[-1].normalized_regret


def test_a_method_that_was_changed_is_run_again(tmp_path):
    where = {"problem": "inventory", "methods": ("stale-method",), "settings": {"n_test": 30}}
    file, store = tmp_path / "mine.py", tmp_path / "r.sqlite"
    first, one = score(file, METHOD.format(factor="1"), store, **where)
    same, again = score(file, METHOD.format(factor="1"), store, **where)
    other, two = score(file, METHOD.format(factor="np.arange(5)"), store, **where)
    assert (first.new, same.new, other.new) == (1, 0, 1)
    assert same.reused == 1 and one == again != two


def test_a_file_of_the_same_size_and_second_is_read_again(tmp_path, monkeypatch):
    """Python's own import would run the compiled code of the first text."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, found = tmp_path / "quick_edit.py", []
    for text in ("value = 1", "value = 2"):
        file.write_text(text)
        os.utime(file, (1_700_000_000, 1_700_000_000))
        found.append(load_plugin(file).value)
    assert found == [1, 2]


def test_a_problem_that_was_changed_is_run_again(tmp_path):
    where = {"problem": "stale-problem", "methods": ("constant",)}
    file, store = tmp_path / "mine.py", tmp_path / "r.sqlite"
    _, one = score(file, PROBLEM.format(power="1"), store, **where)
    summary, two = score(file, PROBLEM.format(power="2"), store, **where)
    assert (summary.new, summary.reused) == (1, 0) and one != two


def test_an_older_record_cannot_be_repeated():
    older = record("pfl", 0, older="trained in one batch with other seeds")
    with pytest.raises(DflBenchError, match="cannot be repeated: trained in one batch"):
        rerun(older)
    assert list(verify([older], 3)) == []


def test_the_content_of_a_users_file_is_in_the_key(tmp_path):
    file = tmp_path / "rates.pkl"
    keys = set()
    for content in (b"one", b"two", b"two"):
        file.write_bytes(content)
        time.sleep(0.01)
        keys.add(make_problem("budget", data=str(file)).source_digest)
    assert len(keys) == 2
    assert make_problem("budget", data=str(tmp_path / "none")).source_digest == "missing"


@pytest.mark.parametrize(
    ("name", "settings", "hint"),
    [("budget", {"fake_target": 5}, "fake_targets"), ("inventory", {"n_tests": 5}, "n_test")],
)
def test_a_setting_that_does_not_exist_is_answered_with_the_nearest(name, settings, hint):
    with pytest.raises(ValueError, match=f"Did you mean '{hint}'"):
        make_problem(name, **settings)
