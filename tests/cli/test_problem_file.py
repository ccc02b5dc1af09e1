"""`--problem-file`: a problem in a user's file, run by the real command line."""

import os
import re
import subprocess
import sys

import pytest

import dfl_bench
from dfl_bench.problems.from_file import load_problem, split_name
from tests.conftest import ROOT

FILE = '''
"""A shop."""
import numpy as np
import dfl_bench

table = np.loadtxt("rows.csv", delimiter=",")


def shop(price: float = 4.0):
    return dfl_bench.problem(
        table[:, :2], table[:, 2], decide=lambda d: d, cost=lambda z, d: price * abs(d - z), name="shop"
    )


fixed = shop(2.0)
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    rows = [f"{i % 7},{i % 5},{(i * 37) % 11 + i / 100}" for i in range(30)]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    return tmp_path


def dfl(folder, *arguments, code=0):
    given = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "dfl_bench", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=given)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_file_is_run_kept_and_verified(folder, monkeypatch):
    run = [
        "run",
        "--problem-file",
        "mine.py:shop",
        "--method",
        "constant",
        "--seeds",
        "1",
        "--store",
        "a.sqlite",
    ]
    assert "1 new, 0 reused, 0 failed" in dfl(folder, *run)
    monkeypatch.chdir(folder)
    assert load_problem("mine.py", "shop") == "shop"
    here = dfl_bench.evaluate("constant", "shop", seed=0).normalized_regret
    assert dfl_bench.load_results("a.sqlite").normalized_regret.tolist() == [here]
    printed = dfl(folder, *run, "--problem-set", "price=4.0", "--problem-set", "price=3")
    assert "1 new, 1 reused, 0 failed" in printed and "price=3" in printed
    assert "2 of 2 agree" in dfl(
        folder, "verify", "a.sqlite", "--problem-file", "mine.py:shop", "--cells", "2"
    )
    (folder / "rows.csv").write_text((folder / "rows.csv").read_text().replace("0,0,", "0,1,", 1))
    assert "1 new, 0 reused, 0 failed" in dfl(folder, *run)  # other rows are another key
    (folder / "mine.py").write_text(FILE.replace("abs(d - z)", "abs(d - z) * 2"))
    assert "1 new, 0 reused, 0 failed" in dfl(folder, *run)


@pytest.mark.slow
def test_a_name_that_is_not_there_is_named(folder):
    printed = dfl(folder, "run", "--problem-file", "mine.py:shpo", "--method", "pfl", code=2)
    assert re.search(r"mine\.py has no 'shpo'\. Did you mean 'shop'\? It has shop, fixed", printed)


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("mine.py:shop", ("mine.py", "shop")),
        ("mine.py", ("mine.py", "problem")),
        ("a:b/c.py:d", ("a:b/c.py", "d")),
    ],
)
def test_the_name_is_split_off(spec, parts):
    assert split_name(spec) == parts
