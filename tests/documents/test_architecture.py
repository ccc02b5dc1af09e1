"""docs/architecture.md and its picture are those of the code."""

import re
import tomllib

import pytest

from tests.documents.test_documents import ROOT
from tools.architecture.__main__ import PICTURE
from tools.architecture.draw import draw
from tools.architecture.imports import LIBRARIES, SUITE, count, modules, rooms
from tools.architecture.plan import WAY

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_imports():
    advice = "an import between rooms has changed: run `python -m tools.architecture` and look at the picture"
    assert PICTURE.read_text(encoding="utf-8") == draw(count()), advice


def test_the_picture_names_every_room_and_step():
    drawn = PICTURE.read_text(encoding="utf-8")
    for name in (*rooms(), *LIBRARIES, *(word for word, _ in WAY)):
        assert f">{name}<" in drawn, name


def test_a_room_without_a_place_is_an_error():
    with pytest.raises(ValueError, match=r"no place in the picture for cellar; give it one in .*plan\.py"):
        draw({("cli", "cellar"): 1})


def test_another_import_is_another_picture():
    real = count()
    assert draw({**real, ("data", "kernels"): 1}) != draw(real)
    assert draw({pair: n for pair, n in real.items() if pair != ("run", "store")}) != draw(real)


def test_the_steps_are_modules():
    assert {f"{SUITE}.{module}" for _, module in WAY} <= modules()


def test_the_page_has_every_room_in_its_table():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Who may import")[0], re.MULTILINE)
    assert sorted(listed) == rooms()


def test_every_file_of_the_tables_exists():
    table = PAGE.partition("## The rooms")[2].partition("Five files")[0]
    for room, files in re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", table, re.MULTILINE):
        for file in re.findall(r"`([\w/]+\.py)`", files):
            assert (ROOT / SUITE / room / file).is_file(), f"{room}/{file}"
    steps = PAGE.partition("## The way of one cell")[2].partition("With `--scheduler`")[0]
    rows = re.findall(r"^\| (\d+) ([\w ]+) \| ([^|]*) \|", steps, re.MULTILINE)
    assert [(int(i), word) for i, word, _ in rows] == list(enumerate((w for w, _ in WAY), 1))
    for _, _, files in rows:
        room = ""
        for file in re.findall(r"`([\w/]+\.py)`", files):
            room = file.rpartition("/")[0] or room
            assert (ROOT / SUITE / room / file.rpartition("/")[2]).is_file(), file


def test_the_order_of_rooms_is_the_one_that_lint_checks():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    order = " > ".join(name.removeprefix(f"{SUITE}.") for name in layers["layers"])
    assert f"\n{order}\n" in PAGE
