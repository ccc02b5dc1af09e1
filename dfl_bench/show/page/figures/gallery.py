"""All figures of a set of boards, in the order they are shown; the page and the report draw the same ones."""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Protocol, cast

from altair.utils.schemapi import debug_mode

from ....results.boards import Board
from .axes import Style
from .figure import Figure


class Kind(Protocol):
    """What a module of this package has if it draws figures."""

    KIND: str
    ORDER: int
    TITLE: str
    CAPTION: str

    def draw(self, boards: Sequence[Board], style: Style) -> Iterator[Figure]:
        """Yield the figures that the boards have data for."""


@cache
def kinds() -> tuple[Kind, ...]:
    """Return the modules of this package that draw figures, in the order they are shown."""
    package = __name__.rpartition(".")[0]
    folder = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{found.name}") for found in pkgutil.iter_modules(folder)]
    drawing = [cast(Kind, module) for module in modules if hasattr(module, "KIND")]
    return tuple(sorted(drawing, key=lambda kind: (kind.ORDER, kind.KIND)))


def figures(boards: Sequence[Board], style: Style) -> list[Figure]:
    """Return the figures that some boards have data for, kind by kind."""
    # Altair checks every part of every chart against its schema, at half the cost of a page; our tests do it.
    with debug_mode(False):
        return [figure for kind in kinds() for figure in kind.draw(boards, style)]


def captions() -> dict[str, str]:
    """Return the caption of every kind of figure."""
    return {kind.KIND: kind.CAPTION for kind in kinds()}
