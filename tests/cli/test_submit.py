"""The way of a result to others: run, bundle, verify, merge."""

import platform
import re
import sys

import pytest

from dfl_bench.cli import main
from tests.cli.test_cli import BASE, call
from tests.conftest import TOY


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submit")
    more = ("--method", "toy-noisy", "--method", "toy-constant", "--seeds", "1", "--jobs", "1")
    text = call("run", *BASE, *more, "--store", "mine.sqlite", cwd=folder)
    return folder, text


def test_a_run_says_what_it_will_run_before_it_does(ran):
    first = ran[1].splitlines()[0]
    assert first == (
        "2 cells: toy-noisy, toy-constant on toy(0); 1 seed, protocol paper. 0 have a result, 2 to run."
    )


def here(capsys, *arguments, code=0):
    """Run a command that loads no plugin in this process, which is fast; return all it says."""
    with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["dfl-bench", *map(str, arguments)])
        main()
    assert (ended.value.code or 0) == code
    said = capsys.readouterr()
    return " ".join((said.out + said.err).split())


def test_the_way_of_a_bundle(ran, monkeypatch, capsys):
    monkeypatch.chdir(folder := ran[0])
    assert "give the file that made them, unchanged" in here(capsys, "bundle", "mine.sqlite", code=2)
    text = here(capsys, "bundle", "mine.sqlite", "--plugin", TOY)
    assert "wrote 2 results to mine.zip; others check them with `dfl-bench verify mine.zip --trust`." in text
    text = here(capsys, "verify", "mine.zip", code=2)
    assert "holds code that would run with your rights: toy.py" in text and "--trust" in text
    text = call("verify", "mine.zip", "--trust", cwd=folder)
    assert "stored: " in text and f"Python {platform.python_version()}" in text
    assert "2 of 2 agree" in text and "`dfl-bench merge results.sqlite mine.zip`" in text
    merged = here(capsys, "merge", "results.sqlite", "mine.zip")
    assert "2 new results from mine.zip in results.sqlite" in merged
    shown = here(capsys, "leaderboard", "--store", "results.sqlite")
    assert "toy-noisy" in shown and re.search(r"toy-constant .*\d\.\d{3}", shown)
    whole = (folder / "mine.zip").read_bytes()
    (folder / "cut.zip").write_bytes(whole[: len(whole) // 2])
    for command in (("verify", "cut.zip"), ("merge", "results.sqlite", "cut.zip")):
        assert "error: cut.zip is damaged or no bundle" in here(capsys, *command, code=2)


def test_verify_asks_for_the_plugin(ran):
    folder, _ = ran
    text = call("verify", "mine.sqlite", cwd=folder, code=2)
    assert "mine.sqlite: the records of toy, toy-constant, toy-noisy" in text and "--plugin FILE.py" in text
    (folder / "toy.py").write_text(TOY.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    text = call("verify", "mine.sqlite", "--plugin", "toy.py", cwd=folder, code=2)
    assert "a --plugin file was changed since" in text
