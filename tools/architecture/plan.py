"""Where everything stands in the picture: rooms, the way of a cell, colours."""

from dataclasses import dataclass

WIDTH = 900
BOX_WIDTH, BOX_HEIGHT = 190, 66
COLUMNS = (62, 308, 554)  # left edges
ROWS = (322, 430, 538, 646, 754)  # top edges
SIDE, SIDE_WIDTH = 770, 118  # the column of what stands outside the layers

COLOURS = {
    "ask": "#dbe8f7",
    "plan": "#e3f0d9",
    "keep": "#fbf0c9",
    "learn": "#ecdff3",
    "decide": "#fbe3d3",
    "base": "#e9e9e6",
    "library": "#d5ecea",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A room: where it stands, what colour it has, and what it is for in two short lines."""

    x: int
    y: int
    colour: str
    lines: tuple[str, ...]
    width: int = BOX_WIDTH
    height: int = BOX_HEIGHT


def _at(column: int, row: int, colour: str, *lines: str) -> Box:
    return Box(COLUMNS[column], ROWS[row], colour, lines)


ON_TOP = Box(COLUMNS[0], 238, "ask", (), COLUMNS[2] + BOX_WIDTH - COLUMNS[0], 56)
AT_THE_BOTTOM = Box(COLUMNS[0], 862, "base", (), COLUMNS[2] + BOX_WIDTH - COLUMNS[0], 74)
BOXES = {
    "show": _at(0, 0, "ask", "tables to eyes:", "terminal, page, report"),
    "run": _at(2, 0, "plan", "cells to records:", "processes, scores, searches"),
    "results": _at(0, 1, "ask", "records to tables:", "boards, statistics"),
    "experiment": _at(1, 1, "plan", "wishes to cells:", "suites, protocols, plans"),
    "store": _at(1, 2, "keep", "cells and records at rest", "in one SQLite file"),
    "problems": _at(0, 3, "decide", "data, decision and cost,", "one file each"),
    "methods": _at(2, 3, "learn", "ways to train a predictor,", "one file each"),
    "data": _at(0, 4, "decide", "files and generators:", "arrays come out"),
    "training": _at(2, 4, "learn", "the torch part", "that methods share"),
    "kernels": _at(1, 4, "library", "a library of its own:", "exact solvers in batches"),
    "speed": _at(1, 3, "plan", "kernels against", "plain solvers"),
    "studies": Box(SIDE, ON_TOP.y, "base", ("numbers that the", "documents quote"), SIDE_WIDTH, 144),
    "lcgln": Box(
        SIDE, ROWS[3], "library", ("a library of its", "own: the learned", "convex loss"), SIDE_WIDTH, 92
    ),
}
HEIGHT = 984

# The way of one cell: what it is at each step, and the module that makes it so.
WAY = (
    ("wish", "cli.run"),
    ("selection", "experiment.selection"),
    ("plan", "experiment.plan"),
    ("cell", "store.cell"),
    ("job", "run.driver"),
    ("fork server", "run.fork_server"),
    ("scorer", "run.scorer"),
    ("fit", "methods"),
    ("score", "run.scoring"),
    ("record", "store.record"),
    ("store", "store.store"),
    ("boards", "results.boards"),
    ("shown", "show.terminal"),
)

# Where an arrow leaves and arrives, and how it bends, for those that would cross a room.
BENDS = {
    ("show", "problems"): "M62,370 C20,400 20,640 60,674",
    ("show", "store"): "M205,388 C285,430 285,500 352,536",
    ("show", "experiment"): "M252,372 C300,385 330,400 352,428",
    ("results", "store"): "M252,474 C290,490 300,520 322,536",
    ("results", "experiment"): "M252,458 L306,458",
    ("results", "problems"): "M130,496 L130,644",
    ("run", "experiment"): "M554,372 C500,385 470,400 452,428",
    ("run", "store"): "M586,388 C575,470 520,500 470,535",
    ("run", "problems"): "M640,388 L640,570 C640,640 560,624 470,624 L250,624 C215,624 190,628 176,644",
    ("run", "methods"): "M690,388 L690,644",
    ("experiment", "store"): "M403,496 L403,536",
    ("experiment", "methods"): "M480,496 C560,530 590,590 600,644",
    ("experiment", "problems"): "M330,496 C260,530 215,580 190,644",
    ("store", "methods"): "M480,604 C520,630 540,640 572,646",
    ("store", "problems"): "M330,604 C290,630 270,640 236,646",
    ("methods", "training"): "M649,712 L649,752",
    ("methods", "lcgln"): "M744,680 L768,680",
    ("methods", "kernels"): "M580,712 C550,740 520,745 480,753",
    ("training", "lcgln"): "M744,785 C775,782 795,770 800,740",
    ("training", "kernels"): "M554,787 L500,787",
    ("problems", "data"): "M157,712 L157,752",
    ("problems", "kernels"): "M240,712 C270,740 290,745 330,753",
    ("contracts", "kernels"): "M403,862 L403,822",
}
