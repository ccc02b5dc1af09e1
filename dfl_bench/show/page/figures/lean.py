"""An SVG without what does not show: numbers of sixteen digits, empty parts, defaults said again."""

import re

EMPTY = re.compile(r'<path class="(?:background|foreground)"[^>]*/>')
SAID_TWICE = re.compile(
    r' (?:opacity="1"|fill-opacity="1"|aria-hidden="true"|pointer-events="none"'
    r'|role="graphics-[a-z]*"|aria-roledescription="[^"]*"|font-family="sans-serif"|font-weight="normal"'
    r'|class="mark-[^"]*"|xmlns:xlink="[^"]*"|version="1.1")'
)
PLACES = re.compile(r' (?:transform|d)="[^"]*"')
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def lean(svg: str) -> str:
    """Return the same picture in fewer letters."""
    svg = SAID_TWICE.sub("", EMPTY.sub("", svg))
    return PLACES.sub(lambda place: LONG_NUMBER.sub(_short, place.group()), svg)


def _short(number: re.Match[str]) -> str:
    return f"{float(number.group()):.2f}".rstrip("0").rstrip(".")
