"""The picture as SVG text. Equal imports give an equal picture, byte for byte."""

import textwrap
from collections.abc import Iterator, Mapping

from . import plan
from .plan import AT_THE_BOTTOM, BENDS, BOXES, HEIGHT, ON_TOP, SIDE, WAY, WIDTH, Box
from .shapes import FAINT, LINE, badge, named, rect, text

TOP, BOTTOM = "cli", "contracts"
LISTED, LISTED_BELOW = (TOP, "studies"), (BOTTOM, "errors")  # their imports are written in words, not drawn
PLACES = {**BOXES, TOP: ON_TOP, BOTTOM: AT_THE_BOTTOM}
STROKES = ((15, 5.0), (5, 2.8), (1, 1.3))  # imports, at least, and the width of their arrow
CHIPS_IN_A_ROW, CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 7, 106, 56, 14
LEFT = 36


def draw(imports: Mapping[tuple[str, str], int]) -> str:
    """Return the picture of some imports between rooms; a room without a place in it is an error."""
    if unknown := {room for pair in imports for room in pair} - {*PLACES, "errors"}:
        raise ValueError(
            f"no place in the picture for {', '.join(sorted(unknown))}; give it one in {plan.__file__}."
        )
    parts = [*_head(), *_way(), *_arrows(imports), *_bars(imports), *_rooms(imports), *_legend()]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _head() -> Iterator[str]:
    font = "font-family='Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif'"
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    yield f"<svg xmlns='http://www.w3.org/2000/svg' {size} {font} role='img'>"
    yield "<title>The rooms of dfl_bench and the way of one cell through them</title>"
    yield f"<rect width='{WIDTH}' height='{HEIGHT}' fill='#fdfdfb'/>"
    yield text(LEFT, 224, "The rooms, and who imports whom", size=15, bold=True)
    yield "<defs>"
    for _, width in STROKES:
        tip = 5 + 1.6 * width
        yield (
            f"<marker id='tip{width:g}' markerUnits='userSpaceOnUse' markerWidth='{tip:g}' "
            f"markerHeight='{tip:g}' refX='{tip:g}' refY='{tip / 2:g}' orient='auto'>"
            f"<path d='M0,0 L{tip:g},{tip / 2:g} L0,{tip:g} Z' fill='{LINE}'/></marker>"
        )
    yield "</defs>"


def _way() -> Iterator[str]:
    """The numbered steps, in rows."""
    yield text(LEFT, 30, "The way of one cell", size=15, bold=True)
    for i, (word, module) in enumerate(WAY):
        x, y = _chip(i)
        room, _, file = module.partition(".")
        yield rect(Box(x, y, _colour(room), (), CHIP_WIDTH, CHIP_HEIGHT))
        yield badge(x + 14, y + 15, str(i + 1))
        yield text(x + 27, y + 19, word, size=12, bold=True)
        yield text(x + 8, y + 35, f"{room}/", size=11, colour=FAINT)
        yield text(x + 8, y + 49, f"{file}.py" if file else "any method's fit", size=11, colour=FAINT)
        if i:
            yield _step(i)


def _chip(i: int) -> tuple[int, int]:
    row, place = divmod(i, CHIPS_IN_A_ROW)
    return LEFT + place * (CHIP_WIDTH + CHIP_GAP), 44 + row * (CHIP_HEIGHT + 24)


def _step(i: int) -> str:
    """The line from the chip before; a new row begins below and on the left."""
    (x, y), (before, above) = _chip(i), _chip(i - 1)
    middle = y + CHIP_HEIGHT // 2
    if y == above:
        line = f"M{before + CHIP_WIDTH},{middle} L{x - 1},{middle}"
    else:
        lane = y - 12
        line = (
            f"M{before + CHIP_WIDTH // 2},{above + CHIP_HEIGHT} L{before + CHIP_WIDTH // 2},{lane} "
            f"L{x + CHIP_WIDTH // 2},{lane} L{x + CHIP_WIDTH // 2},{y - 1}"
        )
    return f"<path d='{line}' fill='none' stroke='{LINE}' stroke-width='1.3' marker-end='url(#tip1.3)'/>"


def _arrows(imports: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """One arrow for each pair of boxes; what stands in a bar is written there instead."""
    for (importer, imported), number in sorted(imports.items()):
        if importer not in LISTED and imported not in LISTED_BELOW:
            width = next(width for least, width in STROKES if number >= least)
            yield (
                f"<path d='{_curve(importer, imported)}' fill='none' stroke='{LINE}' "
                f"stroke-width='{width:g}' marker-end='url(#tip{width:g})'/>"
            )


def _curve(importer: str, imported: str) -> str:
    if (importer, imported) in BENDS:
        return BENDS[importer, imported]
    a, b = PLACES[importer], PLACES[imported]
    down = b.y > a.y
    x1, y1 = a.x + a.width / 2, a.y + (a.height if down else 0)
    x2, y2 = b.x + b.width / 2, b.y + (0 if down else b.height)
    middle = (y1 + y2) / 2
    return f"M{x1:g},{y1:g} C{x1:g},{middle:g} {x2:g},{middle:g} {x2:g},{y2:g}"


def _bars(imports: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """The room that imports nearly all others, and the one that nearly all import."""
    x, y = ON_TOP.x, ON_TOP.y
    used = _names(b for a, b in imports if a == TOP)
    yield rect(ON_TOP)
    yield named(x + 12, y + 23, TOP, "the commands; each imports what it needs when it is called")
    yield text(x + 12, y + 43, f"imports {used}", size=11, colour=FAINT)
    yield from _badges(TOP, ON_TOP)
    x, y = AT_THE_BOTTOM.x, AT_THE_BOTTOM.y
    yield rect(AT_THE_BOTTOM)
    yield named(x + 12, y + 23, BOTTOM, "what a problem and a method promise, and what they are given")
    users = {room: _names(a for a, b in imports if b == room) for room in (BOTTOM, "errors")}
    yield text(x + 12, y + 43, f"imported by {users[BOTTOM]}", size=11, colour=FAINT)
    yield text(x + 12, y + 61, f"errors.py is imported by {users['errors']}", size=11, colour=FAINT)


def _names(rooms: Iterator[str]) -> str:
    """Names in the order in which the picture is read."""
    order = [TOP, *BOXES, BOTTOM, "errors"]
    return ", ".join(sorted(set(rooms), key=order.index))


def _rooms(imports: Mapping[tuple[str, str], int]) -> Iterator[str]:
    for name, box in BOXES.items():
        yield rect(box)
        yield text(box.x + 10, box.y + 21, name, size=15, bold=True)
        for i, line in enumerate(box.lines):
            yield text(box.x + 10, box.y + 39 + 15 * i, line, size=12 if box.x < SIDE else 11)
        if name in LISTED:
            used = textwrap.wrap(f"imports {_names(b for a, b in imports if a == name)}", 19)
            for i, line in enumerate(used):
                yield text(box.x + 10, box.y + 44 + 15 * (len(box.lines) + i), line, size=10, colour=FAINT)
        yield from _badges(name, box)


def _badges(room: str, box: Box) -> Iterator[str]:
    numbers = [i for i, (_, module) in enumerate(WAY, 1) if module.partition(".")[0] == room]
    for place, number in enumerate(reversed(numbers)):
        yield badge(box.x + box.width - 15 - 21 * place, box.y + 15, str(number))


def _legend() -> Iterator[str]:
    y = HEIGHT - 28
    x = AT_THE_BOTTOM.x
    meanings = ("15 imports or more", "5 to 14", "1 to 4")
    yield text(x, y, "An arrow points to what is imported:", size=11, colour=FAINT)
    x += 232
    for (_, width), meaning in zip(STROKES, meanings, strict=True):
        yield (
            f"<path d='M{x},{y - 4} L{x + 34},{y - 4}' stroke='{LINE}' stroke-width='{width:g}' "
            f"marker-end='url(#tip{width:g})'/>"
        )
        yield text(x + 41, y, meaning, size=11, colour=FAINT)
        x += 60 + 6 * len(meaning)
    yield badge(x + 12, y - 4, "n")
    yield text(x + 26, y, "step n of the way", size=11, colour=FAINT)


def _colour(room: str) -> str:
    return BOXES[room].colour if room in BOXES else ON_TOP.colour
