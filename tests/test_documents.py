"""Numbers that documents quote are those of the results file."""

import re
from pathlib import Path

import pytest

from dfl_bench.leaderboard import boards
from dfl_bench.render import score
from dfl_bench.store import Store

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tuned():
    with Store(ROOT / "results" / "paper.sqlite", readonly=True) as store:
        made = boards(store.records(), store.failures())
    places = {("inventory", None): 0, ("budget", 500): 1}
    found = {}
    for board in made:
        place = places.get((board.problem, board.config.get("fake_targets")))
        if board.protocol == "tuned" and place is not None:
            found[place] = {row.method: score(row.mean, row.sem) for row in board.rows}
    return found


def test_the_table_of_searched_settings_is_that_of_the_store(tuned):
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    section = text.partition("### What the searched settings score")[2].partition("\n## ")[0]
    quoted = re.findall(r"^\| (\S+) \| ([\d.]+ ± [\d.]+) \| ([\d.]+ ± [\d.]+) \|$", section, re.MULTILINE)
    assert {name: numbers for name, *numbers in quoted} == {
        name: [tuned[0][name], tuned[1][name]] for name in tuned[0]
    }
