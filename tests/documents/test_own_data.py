"""docs/own-data.md: every block of code is run as it stands."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.documents.test_documents import ROOT

PAGE = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
FILE = re.compile(r'^"""(\w+\.py): ')


def run(folder, *command):
    given = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, env=given)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def test_every_block_is_of_a_kind_that_is_run():
    assert {kind for kind, _ in BLOCKS} == {"python", "bash"}


@pytest.mark.slow
def test_the_blocks_run_one_after_the_other(tmp_path):
    script = "\n".join(text for kind, text in BLOCKS if kind == "python" and not FILE.match(text))
    printed = run(tmp_path, "-c", script)
    assert printed.count("<result of") >= 6 and (tmp_path / "bread.npz").is_file()


@pytest.mark.slow
def test_the_commands_run(tmp_path):
    for kind, text in BLOCKS:
        if kind == "python" and (named := FILE.match(text)):
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
    printed = ""
    for line in (line for kind, text in BLOCKS if kind == "bash" for line in text.splitlines()):
        name, *arguments = shlex.split(line, comments=True)
        assert name == "dfl-bench"
        printed += run(tmp_path, "-m", "dfl_bench", *arguments)
    assert "8 new, 0 reused, 0 failed" in printed and "1 of 1 agree" in printed
