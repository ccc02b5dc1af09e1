"""Text that a command writes into a document, so that no number in it is typed by hand."""

import re
from pathlib import Path

from ..errors import DflBenchError


def write_between_marks(path: Path, name: str, text: str) -> None:
    """Replace what stands between the marks of a name in a document.

    Args:
        path: the document; it has a line `<!-- NAME -->`, and below it a line `<!-- end -->`.
        name: of the place.
        text: what the place is to hold.
    """
    document = path.read_text(encoding="utf-8")
    place = re.compile(rf"(?<=^<!-- {re.escape(name)} -->\n).*?(?=^<!-- end -->$)", re.DOTALL | re.MULTILINE)
    if place.search(document) is None:
        raise DflBenchError(
            f"{path} has no place for {name}: expected a line `<!-- {name} -->`, and below it `<!-- end -->`."
        )
    path.write_text(place.sub(lambda _: text, document, count=1), encoding="utf-8")
