"""The comparisons: which kernel, at which size, against whom, and what it must reach.

Every module here is a contest and has a function `lines(effort)`: a new contest is one new file.
"""

from importlib import import_module
from pkgutil import iter_modules

from ..race import Effort, Line


def names() -> list[str]:
    """Return the names of all contests, by listing this folder."""
    return sorted(module.name for module in iter_modules(__path__))


def lines(name: str, effort: Effort) -> list[Line]:
    """Return the lines of a contest, measured in this process."""
    return import_module(f"{__name__}.{name}").lines(effort)
