"""What `dfl-bench paper` says of the cells that do not agree, on the committed stores."""

import re

import pytest

from dfl_bench.results.agreement import agreement
from dfl_bench.results.papers import load_paper
from dfl_bench.results.published import pairs
from dfl_bench.show.published import markdown
from tests.documents.test_documents import SCORE
from tests.documents.test_reproduction import TEXT
from tests.support.reproduction import records

PAPER = load_paper()


@pytest.mark.parametrize(("track", "store"), [("published", "published"), ("corrected", "paper")])
def test_of_every_cell_that_does_not_agree_it_is_said_what_was_tried(track, store):
    """Where our data are said to be other data, that is the reason for all cells."""
    track, made = PAPER.tracks[track], records(store)
    found = agreement(pairs(made, PAPER, track=track), PAPER)
    assert found.total[1] == 154
    outside = [pair.published for pair in found.outside if pair.published.problem not in track.other_data]
    assert outside and all(track.attempts(p) for p in outside)
    lines = re.findall(r"^Outside: .*$", markdown(made, PAPER), re.MULTILINE)
    assert len(lines) == len(outside) and all(" Tried: " in line for line in lines)


def test_scores_of_the_ladder_among_what_was_tried_are_those_of_its_table():
    """They are on the scoring seeds; other attempts, on seeds that no score uses, are not in a table."""
    tried = [t["what"] for track in PAPER.tracks.values() for t in track.tried]
    quoted = {s for what in tried if "ladder" in what or "rows it has" in what for s in SCORE.findall(what)}
    assert len(quoted) >= 6 and quoted <= set(SCORE.findall(TEXT))
