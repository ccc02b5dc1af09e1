"""What a reader is told: help with examples, the version, names in full, completion."""

import os
import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from dfl_bench import __version__
from dfl_bench.cli import app, main
from dfl_bench.cli.examples import EXAMPLES
from tests.conftest import ROOT, TOY

RUNNER = CliRunner()


def leaves(group, path=()):
    """Yield each command of the tree with its words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(leaves(typer.main.get_command(app)))


def says(*arguments, code=0):
    done = RUNNER.invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output
    return done.output


def refused(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["dfl-bench", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def test_every_command_has_examples_and_every_example_a_command():
    assert {"", *COMMANDS} == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_help_shows_examples_that_parse(name):
    text = says(*name.split(), "--help")
    for example in EXAMPLES[name]:
        assert f"  {example}\n" in text
        words = shlex.split(example)[1:]
        found = next(
            n for n in sorted(COMMANDS, key=len, reverse=True) if words[: len(n.split())] == n.split()
        )
        COMMANDS[found].make_context(found, words[len(found.split()) :]).close()


def test_the_version():
    assert says("--version") == f"dfl-bench {__version__}\n"


def test_a_method_in_full():
    text = says("list", "cave")
    for part in (
        "cave · method · family geometry · version 1",
        "--set name=value",
        "learning_rate",
        "0.0001 … 0.1",
    ):
        assert part in text
    assert "n/a: " in text and "knapsack" in text.partition("Serves")[2]


def test_a_problem_in_full():
    text = says("list", "knapsack")
    for part in ("problem · version 1", "degree", "varied by experiments", "Methods", "spo-plus"):
        assert part in text
    assert "n/a: dfl, dfl-reg, taskmet: knapsack has no differentiable decision" in text


def test_suites_families_and_plugins_in_full():
    assert "fake_targets=5" in says("list", "quick")
    assert "pfl-forest" in says("list", "prediction") and "lcgln" not in says("list", "prediction")
    assert "toy-noisy · method" in says("list", "toy-noisy", "--plugin", TOY)


def test_a_wrong_name_has_a_hint(monkeypatch, capsys):
    assert "Did you mean 'lcgln'?" in refused(monkeypatch, capsys, "list", "lcgn")


@pytest.mark.parametrize("words", ["run --problem inv", "run --suite pap", "list inv", "compare lcg"])
def test_the_shell_completes_names(words):
    """Through the variables that bash sets; the answer is one name in a line."""
    environment = {
        "_DFL_BENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": f"dfl-bench {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    done = RUNNER.invoke(app, [], env=environment, prog_name="dfl-bench")
    expected = {"inv": "inventory", "pap": "paper", "lcg": "lcgln"}[words.split()[-1]]
    assert expected in done.output.splitlines(), done.output


@pytest.mark.slow
def test_completion_is_written_for_a_shell():
    done = subprocess.run(
        [sys.executable, "-m", "dfl_bench", "--show-completion", "bash"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert "complete" in done.stdout and "COMP_WORDS" in done.stdout


def test_a_paper_on_one_problem(monkeypatch, capsys):
    store = ROOT / "results" / "websites.sqlite"
    text = says("paper", "--store", store, "--problem", "inventory")
    assert "inventory" in text and "portfolio" not in text.partition("The paper's")[2]
    message = refused(monkeypatch, capsys, "paper", "--store", store, "--problem", "inventroy")
    assert "no numbers for 'inventroy'. Did you mean 'inventory'?" in message


def test_a_name_of_the_suite_is_not_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    message = refused(monkeypatch, capsys, "new", "method", "pfl")
    assert "there is a method pfl already (dfl_bench.methods.pfl); choose another name" in message
    assert not list(tmp_path.iterdir())
