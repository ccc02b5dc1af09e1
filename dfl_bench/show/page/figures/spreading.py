"""Names beside as many points as have room for one: no name on another name, on a point or on a line."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from .axes import LABEL_PIXELS, Tables

LETTER_PIXELS = 6
POINT_PIXELS = 5  # from the middle of a point to its edge, and a little air
AIR = 2.0  # between two names
Align = Literal["left", "right", "center"]
ALIGNMENTS: tuple[Align, ...] = ("left", "right", "center")


class Spot(NamedTuple):
    """A point in pixels from the upper left corner, and the name it would like to have beside it."""

    x: float
    y: float
    name: str = ""

    @property
    def box(self) -> "Box":
        """The space the point takes."""
        return Box(self.x - POINT_PIXELS, self.y - POINT_PIXELS, self.x + POINT_PIXELS, self.y + POINT_PIXELS)


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether the two have a point in common."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: "Box") -> bool:
        """Whether the other is inside."""
        beside = self.left <= other.left and other.right <= self.right
        return beside and self.top <= other.top and other.bottom <= self.bottom


class Name(NamedTuple):
    """A name and its place: the side of the text that touches (x, y), in half of its height."""

    text: str
    x: float
    y: float
    align: Align

    @property
    def box(self) -> Box:
        """The space the text takes, with a little air at its ends."""
        width = LETTER_PIXELS * len(self.text)
        left = self.x - {"left": 0.0, "right": width, "center": width / 2}[self.align]
        return Box(left - AIR, self.y - LABEL_PIXELS / 2, left + width + AIR, self.y + LABEL_PIXELS / 2)


def spread(spots: Sequence[Spot], inside: Box, taken: Sequence[Box] = ()) -> Iterator[Name]:
    """Yield the names that have room, in the order given: the first ones have the best chance.

    Args:
        spots: the points; one without a name only takes its place.
        inside: what names may not leave.
        taken: where no name may be.
    """
    full = [*taken, *(spot.box for spot in spots)]
    for spot in spots:
        free = (n for n in _places(spot) if inside.holds(n.box) and not any(map(n.box.meets, full)))
        found = next(free, None) if spot.name else None
        if found is not None:
            full.append(found.box)
            yield found


def steps(corners: Sequence[Spot], right: float) -> list[Box]:
    """Return what a line takes that goes from corner to corner, first along and then up or down."""
    ends = [*corners[1:], Spot(right, corners[-1].y)]
    along = [Box(a.x, a.y - 1, b.x, a.y + 1) for a, b in zip(corners, ends, strict=True)]
    across = [Box(b.x - 1, min(a.y, b.y), b.x + 1, max(a.y, b.y)) for a, b in zip(corners, ends, strict=True)]
    return [*along, *across]


def tables_of(names: Sequence[Name]) -> Tables:
    """Return names as the tables of a figure, one for each alignment."""
    return {
        align: [{"label": n.text, "x": n.x, "y": n.y} for n in names if n.align == align]
        for align in ALIGNMENTS
    }


def _places(spot: Spot) -> Iterator[Name]:
    """Beside the point, above and below it, at its corners, and the same a line further."""
    away = POINT_PIXELS + AIR
    for up in (away + LABEL_PIXELS / 2, away + 1.5 * LABEL_PIXELS):
        places: tuple[tuple[float, float, Align], ...] = (
            (away, 0.0, "left"), (-away, 0.0, "right"), (0.0, -up, "center"), (0.0, up, "center"),
            (away, -up, "left"), (away, up, "left"), (-away, -up, "right"), (-away, up, "right"),
        )  # fmt: skip
        for dx, dy, align in places:
            yield Name(spot.name, spot.x + dx, spot.y + dy, align)
