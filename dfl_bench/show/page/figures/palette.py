"""Colours and shapes by method: the same method looks the same in every table and figure.

The hue is that of the method's family, so that related methods look related. Lightness and shape tell the
methods of a family apart: a digest of the name chooses one of 32 pairs. So a new method changes the look of
others only where two digests choose the same pair.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from .... import methods as registered
from ....contracts.registry import Entry
from .colour import hex_of

# Hue in degrees, chroma, and how far the hue turns from one level of lightness to the next: this makes levels
# easier to tell apart. The hues are near those of Okabe and Ito's colours. Those of the families below stay
# apart in all common forms of colour blindness.
HUES = {
    "blue": (244.0, 0.131, -9.0), "vermilion": (54.0, 0.170, 8.0), "green": (165.0, 0.130, 0.0),
    "purple": (346.0, 0.140, 0.0), "orange": (77.0, 0.158, 4.0), "yellow": (105.0, 0.172, 4.0),
    "cyan": (205.0, 0.110, 0.0), "grey": (260.0, 0.015, 0.0),
}  # fmt: skip
FAMILIES = {
    "learned loss": "blue", "differentiation": "vermilion", "prediction": "green", "reference": "grey",
    "": "purple",
}  # fmt: skip
# Eleven families, eight hues: these share three. Level and shape tell their methods apart.
SHARED = {
    "upper bound": "orange", "smoothing": "orange", "contrast and rank": "cyan", "geometry": "cyan",
    "perturbation": "yellow", "black box": "yellow",
}  # fmt: skip
OTHER_HUES = tuple(hue for hue in HUES if hue not in FAMILIES.values())  # for all other families
SHAPES = {  # the names are Vega's, the paths are for the legend of the page
    "circle": "M-4.5 0A4.5 4.5 0 1 1 4.5 0A4.5 4.5 0 1 1-4.5 0Z",
    "square": "M-4-4H4V4H-4Z",
    "triangle-up": "M0-5 5 4H-5Z",
    "diamond": "M0-5.5 5.5 0 0 5.5-5.5 0Z",
    "cross": "M-1.7-5h3.4v3.3H5v3.4H1.7V5h-3.4V1.7H-5v-3.4h3.3Z",
    "triangle-down": "M0 5 5-4H-5Z",
    "triangle-right": "M5 0-4 5V-5Z",
    "triangle-left": "M-5 0 4 5V-5Z",
}
# Every level has a contrast of three or more with the surface of its scheme.
LIGHT_LEVELS = (0.32, 0.43, 0.54, 0.645)
DARK_LEVELS = (0.54, 0.64, 0.74, 0.84)
SLOTS = len(LIGHT_LEVELS) * len(SHAPES)
STEP = 5  # has no factor in common with SLOTS, and changes both the level and the shape
SALT = 2894  # chosen for its choices: the methods of the paper get shapes of their own in each family


class Look(NamedTuple):
    """How a method is drawn."""

    colour: str  # a name in every palette
    shape: str


@dataclass(frozen=True, slots=True)
class Palette:
    """What a figure is drawn with: text, secondary text, hairlines, signals, and colours for methods."""

    ink: str
    muted: str
    hairline: str
    surface: str
    accent: str
    warning: str
    methods: Mapping[str, str]

    def variables(self) -> dict[str, str]:
        """Return the palette as CSS custom properties."""
        names = ("ink", "muted", "hairline", "surface", "accent", "warning")
        return {name: getattr(self, name) for name in names} | dict(self.methods)


def _colours(levels: Iterable[float]) -> dict[str, str]:
    return {
        f"{name}-{i}": hex_of(level, chroma, hue + (i - 1.5) * turn)
        for name, (hue, chroma, turn) in HUES.items()
        for i, level in enumerate(levels)
    }


def _palette(levels: tuple[float, ...], ink: str, muted: str, hairline: str, surface: str) -> Palette:
    colours = _colours(levels)
    accent, warning = colours["blue-2"], colours["vermilion-2"]
    return Palette(ink, muted, hairline, surface, accent, warning, colours)


LIGHT = _palette(LIGHT_LEVELS, "#1f2328", "#646b75", "#e4e4df", "#fdfdfb")
DARK = _palette(DARK_LEVELS, "#e7e8ea", "#9aa1ab", "#2c3036", "#14161a")
PAPER = replace(LIGHT, surface="#ffffff")  # of figures that stand alone: white, as the pages of a paper
# An inline SVG takes its colours from the page, hence follows the reader's light or dark scheme.
CSS = Palette(
    ink="var(--ink)",
    muted="var(--muted)",
    hairline="var(--hairline)",
    surface="var(--surface)",
    accent="var(--accent)",
    warning="var(--warning)",
    methods={name: f"var(--{name})" for name in LIGHT.methods},
)


def looks(methods: Iterable[str]) -> dict[str, Look]:
    """Return the look of each method, the methods of one hue together.

    All registered methods count, so that a method looks the same whatever else a store holds.
    """
    shown = set(methods)
    known = registered.entries()
    # Where two methods choose the same pair, the one of this package keeps it.
    order = sorted({*known, *shown}, key=lambda name: (_distance(known.get(name)), name))
    families = {name: known[name].family if name in known else "" for name in order}
    hues = _hues(families.values())
    pools: dict[str, dict[str, Look]] = {hue: {} for hue in HUES}
    for name in order:
        hue = hues[families[name]]
        pools[hue][name] = _look(name, hue, set(pools[hue].values()))
    return {name: look for pool in pools.values() for name, look in sorted(pool.items()) if name in shown}


def _distance(entry: Entry | None) -> int:
    if entry is None:
        return 2
    return 0 if entry.source.startswith("dfl_bench.methods.") else 1


def _hues(families: Iterable[str]) -> dict[str, str]:
    """The hue of each family; one without a fixed hue chooses by its name, whatever others there are."""
    fixed = FAMILIES | SHARED
    return {name: fixed.get(name) or OTHER_HUES[_digest(name) % len(OTHER_HUES)] for name in families}


def _look(name: str, hue: str, taken: set[Look]) -> Look:
    """The pair of level and shape that the name chooses, or the next free one; with none free, the chosen."""
    first = _digest(name) % SLOTS
    free = (look for i in range(SLOTS) if (look := _slot(hue, first + i * STEP)) not in taken)
    return next(free, _slot(hue, first))


def _slot(hue: str, number: int) -> Look:
    shape, level = divmod(number % SLOTS, len(LIGHT_LEVELS))
    return Look(f"{hue}-{level}", list(SHAPES)[shape])


def _digest(text: str) -> int:
    return int.from_bytes(sha256(f"{SALT} {text}".encode()).digest()[:8], "big")
