"""The table of what each part of `lcgln-plus` brings is that of its store."""

import re

import numpy as np

from dfl_bench.store.store import Store
from tools.parts import DOCUMENT, MARK, STORE, table


def records():
    with Store(STORE, readonly=True) as store:
        return store.records()


def test_the_table_is_recomputed():
    text = DOCUMENT.read_text(encoding="utf-8")
    written = re.search(rf"^<!-- {MARK} -->\n(.*?)^<!-- end -->$", text, re.DOTALL | re.MULTILINE).group(1)
    assert written == table(records()) and "not run" not in written


def test_a_difference_is_that_of_the_same_seeds():
    found = [r for r in records() if r.cell.problem == "knapsack" and r.cell.method == "lcgln-plus"]
    whole = {r.cell.seed: r.normalized_regret for r in found if not r.cell.method_changes}
    other = {r.cell.seed: r.normalized_regret for r in found if list(r.cell.method_changes) == ["fitted"]}
    mean = 1000 * np.mean([other[seed] - whole[seed] for seed in whole])
    (line,) = [line for line in table(records()).splitlines() if line.startswith("| `fitted=False`")]
    assert line.split("|")[3].strip().startswith(f"{mean:+.1f} ±".replace("-", "−"))
