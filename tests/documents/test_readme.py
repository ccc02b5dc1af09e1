"""The README's examples run as they stand."""

import re
from pathlib import Path

import numpy as np
import pytest

from dfl_bench.cli.new import write_start

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def block(mark):
    (found,) = [code for code in BLOCKS if mark in code]
    return found


def test_the_method_is_what_the_command_writes(tmp_path):
    assert block("@methods.register") == write_start("method", "my-method", tmp_path).read_text(
        encoding="utf-8"
    )


def test_the_kernels_answer():
    rng = np.random.default_rng(0)
    given = {
        "p": rng.dirichlet(np.ones(5), 3),
        "p_hat": rng.dirichlet(np.ones(5), (4, 3)),
        "ctr": rng.random((3, 5, 10)),
        "sigma": np.eye(6),
    }
    # One outcome for the inventory, returns for the portfolio: the README shows both as y.
    first, last = block("inventory.order_quantity").rsplit("portfolio.solve", 1)
    exec(first, {**given, "y": np.eye(5)[[0, 1, 2]]} | (names := {}))
    exec(
        "from kernels import portfolio\nportfolio.solve" + last,
        {**given, "y": rng.standard_normal((2, 6))} | names,
    )


@pytest.mark.slow
def test_one_evaluation_runs():
    exec(block("dfl_bench.evaluate"), names := {})
    assert 0.0 < names["result"].normalized_regret < 1.0
    assert names["result"].seconds > 0.0


@pytest.mark.slow
def test_lcgln_learns_the_readers_own_problem(capsys):
    exec(block("import lcgln"), {})
    before, after = map(float, re.findall(r"tensor\(([\d.]+)", capsys.readouterr().out))
    assert after < 0.7 * before
