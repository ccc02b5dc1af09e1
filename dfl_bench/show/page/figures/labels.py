"""What a figure writes beside a point, and what a point says to whoever points at it."""

from collections.abc import Sequence

from ....results.boards import Row
from ....results.paper import Published
from ....results.variants import shared_changes
from ...format import quantity, score, seconds

MOST_LETTERS = 28  # of a label: a longer one is cut, and said whole by its point


def short_labels(rows: Sequence[Row]) -> dict[int, str]:
    """Return the label of each row by id, without the changed settings that all rows share."""
    shared = shared_changes(rows)

    def label(row: Row) -> str:
        words = [word for word in row.settings.split() if word.partition("=")[0] not in shared]
        return cut(" ".join([row.method, *words]))

    return {id(row): label(row) for row in rows}


def cut(text: str) -> str:
    """Return a text of no more letters than a label may have."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1].rstrip()}…"


def tip(row: Row) -> str:
    """Return what a point of a row says: "lcgln K=8: 0.204 ± 0.018, 10 seeds, group 2, 4.80 s"."""
    assert row.mean is not None, "only scores are drawn"
    said = [score(row.mean, row.sem), f"{len(row.scores)} seed{'s' if len(row.scores) != 1 else ''}"]
    said += [f"group {row.rank}"] if row.rank else []
    said += [f"{seconds(row.total_seconds)} s"] if row.total_seconds else []
    said += [f"{quantity(row.total_solves)} solves"] if row.total_solves else []
    return f"{row.label}: {', '.join(said)}"


def tip_of_paper(published: Published) -> str:
    """Return what a point of a published number says."""
    samples = f" K={published.samples}" if published.samples else ""
    return f"{published.label}{samples}: {score(published.mean, published.sem)}, the paper’s"
