"""What docs/when.md says is what the stores of the map say; a store that is not there says nothing yet."""

import re
from collections import Counter
from functools import cache

import pytest

from dfl_bench.results.claims import judge_all
from dfl_bench.results.map import panels
from dfl_bench.results.read import read_results
from dfl_bench.show import claims, map
from dfl_bench.show.map_overview import overview
from dfl_bench.show.page.gain_section import pictures
from dfl_bench.store.store import Store
from tests.documents.test_documents import ROOT

DOCUMENT = ROOT / "docs" / "when.md"


@cache  # a store of ten thousand records takes seconds to read
def records(suite):
    path = ROOT / "results" / f"{suite}.sqlite"
    if not path.exists():
        return []
    with Store(path, readonly=True) as opened:
        return opened.records()


def written(name):
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.search(rf"^<!-- {name} -->\n(.*?)^<!-- end -->$", text, re.DOTALL | re.MULTILINE).group(1)


@pytest.mark.parametrize("suite", ["map", "map-tuned"])
def test_the_map_of_the_document_is_that_of_its_store(suite):
    found = panels(records(suite), suite=suite)
    shown = pictures(found, DOCUMENT.stem)
    assert written(f"map {suite}") == map.markdown(found, shown)
    assert all((DOCUMENT.parent / address).is_file() for _, _, address in shown)


def test_every_line_of_the_decision_table_is_recomputed():
    judged = judge_all(records("map"), records("map-check"))
    assert written("claims") == claims.markdown(judged)
    # Who writes a line after seeing the map has to write what it shows; guesses made before may be wrong.
    assert [v.claim.when for v, _ in judged if v.claim.stated == "after" and v.status != "holds"] == []


def test_a_document_without_results_says_so():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert ("The map has not been run yet" in text) == (not records("map"))


def test_the_readme_counts_as_the_map_does():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    rows = {row[0]: row[1:] for row in overview(panels(records("map"))).rows}
    settings, better, worse, _ = rows["chosen"]
    assert f"better than plain prediction in {better} of {settings} and worse in {worse}." in readme
    settings, better, worse, _ = rows["lcgln-plus"]
    assert f"is better in {better} and worse in {worse}." in readme and settings == rows["chosen"][0]


@pytest.mark.slow
def test_first_groups_are_counted_as_the_document_says():
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    boards = read_results(ROOT / "results" / "map.sqlite").boards
    groups = [[row.method for row in board.rows if row.rank == 1] for board in boards if board.ranked]
    first = Counter(method for group in groups for method in group)
    ours, alone = first.pop("lcgln-plus"), groups.count(["lcgln-plus"])
    assert f"in {ours} of {len(groups)} settings, alone in {alone} of them." in text
    (second, most), (third, fewer) = first.most_common(2)
    assert f"Next are `{second}` with {most} and `{third}` with {fewer}; `pfl` has {first['pfl']}." in text
    missing = [group for group in groups if "lcgln-plus" not in group]
    forests = sum("pfl-forest" in group for group in missing)
    assert f"In {forests} settings a random forest is in the first group" in text
    others = sorted(sorted(group) for group in missing if "pfl-forest" not in group)
    assert others == [
        ["lancer"],
        ["map-c", "qptl-spo"],
        ["map-c", "spo-plus"],
    ]
