"""Colours and shapes by method: the same method looks the same in every table and figure."""

from collections.abc import Iterable
from dataclasses import dataclass

# Fixed places, so that adding a method never recolours these.
PLACES = ("lcgln", "lancer", "egl-wmse", "egl-dq", "lodl-dq", "dfl", "pfl")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")


@dataclass(frozen=True, slots=True)
class Palette:
    """What a figure is drawn with: text, secondary text, hairlines, and a colour for each place."""

    ink: str
    muted: str
    hairline: str
    surface: str
    methods: tuple[str, ...]

    def variables(self) -> dict[str, str]:
        """Return the palette as CSS custom properties."""
        named = {"ink": self.ink, "muted": self.muted, "hairline": self.hairline, "surface": self.surface}
        return named | {f"method-{i}": colour for i, colour in enumerate(self.methods)}


# Okabe and Ito's colours, which stay apart in every common form of colour blindness, then Tol's muted ones.
LIGHT = Palette(
    ink="#1f2328",
    muted="#646b75",
    hairline="#e4e4df",
    surface="#fdfdfb",
    methods=(
        "#0072b2", "#d55e00", "#009e73", "#3ba3d9", "#cc79a7", "#d99100", "#5b5b66",
        "#882255", "#8a8a1f", "#4b3fa0", "#44aa99",
    ),
)  # fmt: skip
DARK = Palette(
    ink="#e7e8ea",
    muted="#9aa1ab",
    hairline="#2c3036",
    surface="#14161a",
    methods=(
        "#4fa8e8", "#f58a4b", "#3cc79b", "#97d3f7", "#e5a1c8", "#f2bd55", "#b9b9c4",
        "#d77ba3", "#c9c96b", "#a39cf5", "#7fd6c8",
    ),
)  # fmt: skip
# An inline SVG takes its colours from the page, hence follows the reader's light or dark scheme.
CSS = Palette(
    ink="var(--ink)",
    muted="var(--muted)",
    hairline="var(--hairline)",
    surface="var(--surface)",
    methods=tuple(f"var(--method-{i})" for i in range(len(LIGHT.methods))),
)


def places(methods: Iterable[str]) -> dict[str, int]:
    """Return each method's place in a palette, built-in methods first; names beyond the last start over."""
    names = set(methods)
    order = {name: i for i, name in enumerate((*PLACES, *sorted(names - set(PLACES))))}
    return {name: order[name] % len(LIGHT.methods) for name in sorted(names, key=order.__getitem__)}


def shape(place: int) -> str:
    """Return the shape of a place: colour is never the only difference."""
    return SHAPES[place % len(SHAPES)]
