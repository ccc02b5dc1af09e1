"""docs/extending.md: every block of code is run as it stands, and every part of a contract is named."""

import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from dfl_bench import Method, Network, Problem, Task, methods, training
from dfl_bench.contracts.task import Task as TaskFields
from dfl_bench.experiment.suite import parse_suite
from tests.documents.test_documents import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
FILE = re.compile(r'^"""(\w+\.py): ')


def blocks(kind):
    return [text for language, text in BLOCKS if language == kind]


def test_every_block_is_of_a_kind_that_is_run():
    assert {kind for kind, _ in BLOCKS} == {"python", "bash", "toml", "text"}
    assert len(blocks("text")) == 1  # the picture of shapes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A user's folder with the files of the page."""
    made = tmp_path_factory.mktemp("extending")
    for text in blocks("python"):
        if named := FILE.match(text):
            (made / named[1]).write_text(text, encoding="utf-8")
    rows = np.random.default_rng(0).uniform(0.0, 10.0, (80, 7))
    np.savetxt(made / "prices.csv", rows, delimiter=",")
    return made


def run(folder, *command):
    given = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, env=given)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.slow
def test_the_files_and_the_script_run(folder):
    (script,) = (text for text in blocks("python") if not FILE.match(text))
    regret, seconds, *shape = run(folder, "-c", script).split()
    assert 0.0 < float(regret) < 1.0 and float(seconds) > 0.0
    assert " ".join(shape) == "(100, 2)"


@pytest.mark.slow
def test_the_commands_run(folder):
    printed = ""
    for line in (line for text in blocks("bash") for line in text.splitlines()):
        name, *arguments = shlex.split(line, comments=True)
        assert name == "dfl-bench"
        printed += run(folder, "-m", "dfl_bench", *arguments)
    assert "my-items" in printed and "protocol tuned" in printed
    assert " 0 failed" in printed and not re.search(r" [1-9]\d* failed", printed)


@pytest.mark.slow
def test_the_other_problems_run_and_a_changed_file_is_another_key(folder):
    command = ["-m", "dfl_bench", "run", "--plugin", "errands.py", "--plugin", "suppliers.py", "--seeds", "1"]
    command += ["--problem", "errands", "--problem", "suppliers", "--method", "pfl", "--set", "steps=20"]
    command += ["--store", "other.sqlite"]
    assert "2 new, 0 reused, 0 failed" in run(folder, *command)
    assert "0 new, 2 reused, 0 failed" in run(folder, *command)
    prices = folder / "prices.csv"
    prices.write_text(prices.read_text().replace("1", "2"))
    assert "1 new, 1 reused, 0 failed" in run(folder, *command)


def test_the_suite_is_read_as_the_page_says():
    (text,) = (text for text in blocks("toml") if "[[entry]]" in text)
    first, plain, changed, *grid = parse_suite(text, "bread.toml")
    assert first.problem == "inventory" and first.samples == (8, 32) and first.seeds == 3
    assert {"constant", "pfl", "lcgln"} <= set(first.methods)
    assert dict(plain.settings) == {"fake_targets": 5}
    assert dict(changed.method_settings) == {"steps": 100, "learning_rate": 0.01}
    assert [entry.at for entry in grid] == [{"degree": 1, "rows": 50}, {"degree": 8, "rows": 50}]
    assert grid[0].settings == {"degree": 1, "n_train": 50, "n_val": 12} and grid[0].seed_range == range(
        10, 13
    )


def test_the_entry_points_are_of_the_groups_that_are_read():
    (text,) = (text for text in blocks("toml") if "entry-points" in text)
    groups = tomllib.loads(text)["project"]["entry-points"]
    assert set(groups) == {"dfl_bench.methods", "dfl_bench.problems"}
    plugins = "".join(blocks("python"))
    for group, names in groups.items():
        for name, value in names.items():
            kind, cls = group.partition(".")[2], value.partition(":")[2]
            assert re.search(rf'@{kind}\.register\("{name}", .*\)\nclass {cls}\(', plugins), value


def test_every_part_of_a_problem_is_named():
    table = PAGE.partition("What a problem may declare")[2].partition("### A linear cost")[0]
    declared = {*inspect.get_annotations(Problem), *vars(Problem)} - {"name", "version"}
    public = {name for name in declared if not name.startswith("_")} | {"_regret"}
    listed = set(
        re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines() if "|" in line))
    )
    assert listed == public


def test_every_part_of_a_method_and_a_task_is_named():
    section = PAGE.partition("\n## A method")[2].partition("### The kit")[0]
    declared = {*inspect.get_annotations(Method), *vars(Method)} - {"name", "version", "family"}
    for name in declared:
        assert name.startswith("_") or f"`{name}" in section, name
    for name in (*inspect.get_annotations(TaskFields), *vars(Task)):
        assert name.startswith("_") or name == "cache" or f"`task.{name}" in section, name


def test_the_kit_is_named_whole():
    section = PAGE.partition("### The kit")[2].partition("A score is always")[0]
    for name in training.__all__:
        assert f"`{name}" in section, name


def test_the_families_and_activations_are_those_of_the_code():
    quoted = PAGE.partition("The families of the built-in methods are")[2].partition(".\n")[0]
    assert set(re.findall(r"`([\w ]+)`", quoted)) == {
        entry.family for entry in methods.entries().values() if entry.source.startswith("dfl_bench.")
    }
    from dfl_bench.training.predictor import ACTIVATIONS

    assert Network(outputs=1, activation="linear").activation in ACTIVATIONS
    assert all(f'"{name}"' in PAGE for name in ACTIVATIONS)
