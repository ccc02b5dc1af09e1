"""The few shapes the picture is made of, each as a line of SVG."""

from .plan import COLOURS, Box

INK, FAINT, LINE = "#26302f", "#5c6664", "#7d8a88"


def rect(box: Box) -> str:
    """Return a box with round corners."""
    place = f"x='{box.x}' y='{box.y}' width='{box.width}' height='{box.height}'"
    return f"<rect {place} rx='7' fill='{COLOURS[box.colour]}' stroke='#b9c0be'/>"


def badge(x: float, y: float, text: str) -> str:
    """Return a number in a circle."""
    circle = f"<circle cx='{x:g}' cy='{y:g}' r='9' fill='#b3541e'/>"
    label = f"<text x='{x:g}' y='{y + 3.7:g}' font-size='10.5' font-weight='bold' text-anchor='middle' "
    return f"{circle}{label}fill='#fff'>{text}</text>"


def named(x: float, y: float, name: str, purpose: str) -> str:
    """Return a name in bold with what it is for beside it."""
    return (
        f"<text x='{x:g}' y='{y:g}' font-size='12' fill='{INK}'><tspan font-size='15' font-weight='bold'>"
        f"{name}</tspan><tspan dx='10'>{purpose}</tspan></text>"
    )


def text(x: float, y: float, text: str, *, size: float, bold: bool = False, colour: str = INK) -> str:
    """Return a line of text that begins at a point."""
    weight = " font-weight='bold'" if bold else ""
    return f"<text x='{x:g}' y='{y:g}' font-size='{size:g}'{weight} fill='{colour}'>{text}</text>"
