"""The README's examples run as they stand, and its pictures and words are those of the committed results."""

import math
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from dfl_bench.cli.new import write_start
from dfl_bench.results.read import read_results
from dfl_bench.show.format import score
from tools.readme_picture import knapsack
from tools.readme_picture.__main__ import FOLDER, present_store
from tools.readme_picture.overview import caption, squares

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TUTORIAL = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.DOTALL
)


def block(mark):
    (found,) = [code for code in BLOCKS if mark in code]
    return found


def test_the_method_is_what_the_command_writes(tmp_path):
    assert block("@methods.register") == write_start("method", "my-method", tmp_path).read_text(
        encoding="utf-8"
    )


def test_the_kernels_answer(capsys):
    exec(block("from kernels import"), {})
    first, packed, last = capsys.readouterr().out.splitlines()
    assert first in block("from kernels import") and last in block("from kernels import")
    assert 1 < float(packed) < 16


@pytest.mark.slow
def test_two_methods_are_scored(capsys):
    exec(block("dfl_bench.evaluate"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["pfl", "lcgln"]
    assert all(0.0 < float(line.split()[1]) < 1.0 for line in lines)


def test_the_code_of_the_tutorial_runs(capsys):
    (code,) = TUTORIAL
    exec(code, {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["pfl", "spo-plus"]


@pytest.mark.slow
def test_lcgln_learns_the_readers_own_problem(capsys):
    exec(block("import lcgln"), {})
    before, after = map(float, re.findall(r"tensor\(([\d.]+)", capsys.readouterr().out))
    assert after < 0.7 * before


def test_it_begins_with_the_two_commands():
    assert "\nmake bench " in README and "\nmake test " in README


def test_equal_errors_and_unequal_decisions():
    """What the first picture says: two points of one circle, one on each side."""
    assert knapsack.squared_error(knapsack.KEEPS) == knapsack.squared_error(knapsack.FLIPS) == 100.0
    assert (knapsack.regret(knapsack.KEEPS), knapsack.regret(knapsack.FLIPS)) == (0.0, 10.0)
    kept = (FOLDER / "knapsack.svg").read_text(encoding="utf-8")
    assert texts(kept) == texts(knapsack.draw_knapsack()) and 'fill="white"' in kept


def test_the_overview_is_that_of_the_results():
    """Every number of the picture is a score, and every score is in it; so with the words below."""
    advice = "run `python -m tools.readme_picture`"
    store = present_store()
    drawn = texts((FOLDER / "overview.svg").read_text(encoding="utf-8"))
    made = squares(store)
    numbers = [text for text in drawn if re.fullmatch(r"\d\.\d{3}", text)]
    assert sorted(numbers) == sorted(score(s.mean, None) for s in made), advice
    assert {s.method for s in made} | {s.problem for s in made} <= set(drawn), advice
    assert caption(store) in README, advice
    assert all(math.isclose(s.ratio, 1.0) for s in made if s.method == "pfl")


def test_the_table_is_that_of_the_results():
    results = read_results(ROOT / "results" / "paper.sqlite", problem="inventory")
    (board,) = (b for b in results.boards if b.protocol == "paper")
    largest = {row.method: row for row in board.rows if row.config.get("samples") in (None, 32)}
    quoted = re.findall(r"^\| `([\w-]+)`(?: K = 32)? \| (\S+ ± \S+) \| (\d) \|$", README, re.MULTILINE)
    assert quoted == [(r.method, score(r.mean, r.sem), str(r.rank)) for r in largest.values()]
    lines = {row.method: score(row.mean, None) for row in board.references}
    assert f"| {lines['floor']}, {lines['constant']}, {lines['random']} |" in README


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)", svg) + re.findall(r"<tspan[^>]*>([^<]*)", svg)


def test_one_version_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = re.search(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert citation["version"] == version == changes[1]
    assert f"version = {{{version}}}" in README
    (paper,) = citation["references"]
    assert paper["title"] in README and all(author["family-names"] in README for author in paper["authors"])
