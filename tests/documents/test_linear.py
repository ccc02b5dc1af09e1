"""The tables of docs/linear.md are those that its commands write from the results files."""

import re
import shutil
from pathlib import Path

import pytest

from dfl_bench.results.papers import load_paper
from dfl_bench.show.marked import write_between_marks
from dfl_bench.show.published import markdown
from dfl_bench.store.store import Store
from tests.documents.test_documents import ROOT

PAGE = ROOT / "docs" / "linear.md"
COMMAND = r"^dfl-bench paper --of (\w+) --store (\S+) --markdown docs/linear\.md$"
COMMANDS = re.findall(COMMAND, PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_there_is_a_command_for_every_place():
    places = re.findall(r"^<!-- paper (\w+) -->$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in COMMANDS] == places and places


@pytest.mark.parametrize(("name", "store"), COMMANDS)
def test_the_tables_are_those_of_the_store(name, store, tmp_path):
    written = Path(shutil.copy(PAGE, tmp_path))
    write_between_marks(written, f"paper {name}", markdown(stored(store), load_paper(name)))
    assert written.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def stored(store):
    """The records of a results file; none before it has been made."""
    if not (ROOT / store).is_file():
        return []
    with Store(ROOT / store, readonly=True) as opened:
        return opened.records()
