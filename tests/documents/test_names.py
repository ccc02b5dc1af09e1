"""Every command, path, module and test that a document names exists."""

import importlib.util
import re
import shlex
from urllib.parse import unquote

import pytest
import typer

from dfl_bench.cli import app
from tests.documents.test_documents import ROOT

DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
}
FOLDERS = "tests|dfl_bench|kernels|lcgln|docs|tools|benchmarks|results"
MADE = {"results/quick.sqlite", "results/quick.html"} | {  # by the commands that name them
    f"results/{name}.sqlite" for name in ("map", "map-check", "map-tuned")
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_have_only_options_that_exist(document):
    group = typer.main.get_command(app)
    for words in commands(DOCUMENTS[document]):
        with group.make_context("dfl-bench", [words[0]], resilient_parsing=True) as context:
            command = group.get_command(context, words[0])
            assert command is not None, words
            command.make_context(words[0], words[1:], parent=context).close()


def commands(text):
    """Yield the words of each whole command of a block; a quoted `dfl-bench tune` may leave options out."""
    for block in re.findall(r"^```(?:bash)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("dfl-bench "):
                yield shlex.split(line, comments=True)[1:]


def test_commands_are_found():
    assert sum(len(list(commands(text))) for text in DOCUMENTS.values()) > 15


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_exist(document):
    for path in re.findall(rf"(?<![\w./-])(?:{FOLDERS})/[\w./-]*\w", DOCUMENTS[document]):
        places = (ROOT, ROOT / "dfl_bench") if document == "docs/architecture.md" else (ROOT,)
        assert path in MADE or any((place / path).exists() for place in places), path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", DOCUMENTS[document]):
        if not link.startswith("http"):
            assert ((ROOT / document).parent / unquote(link)).exists(), link


@pytest.mark.parametrize("document", DOCUMENTS)
def test_modules_and_tests_exist(document):
    text = DOCUMENTS[document]
    for module in re.findall(r"python -m ([\w.]*\w)", text):
        assert module.endswith(".NAME") or importlib.util.find_spec(module), module
    for path, name in re.findall(r"(tests/[\w/]+\.py)::(\w+)", text):
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name
    for name in re.findall(r"`(test_\w+)`", text):
        assert any(
            f"def {name}(" in path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")
        )
