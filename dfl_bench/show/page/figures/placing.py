"""Where the labels of points go, so that none hides another."""

from collections.abc import Iterator, Sequence
from math import log

from .axes import HEIGHT, LABEL_PIXELS, WIDTH, Datum, Span

LETTER_PIXELS = 6


def placed(values: Sequence[Datum], domain: Sequence[float], span: Span) -> Iterator[Datum]:
    """Give each value a `side` and a `place`: right of its point in the left half, else left of it.

    Below the point or above it, as near as labels before it allow. Each of those takes two of the heights at
    most, and there are two for every value.

    Args:
        values: points with `seconds`, `regret` and `label`.
        domain: the first and the last second of the axis.
        span: the visible interval of regrets.
    """
    unit = (span.high - span.low) / HEIGHT
    taken: list[tuple[float, float, float]] = []
    for value in values:
        along = log(value["seconds"] / domain[0]) / log(domain[1] / domain[0])
        width = LETTER_PIXELS * len(value["label"])
        begin = WIDTH * along + (LETTER_PIXELS if along <= 0.5 else -LETTER_PIXELS - width)
        height = next(
            h
            for h in _heights((value["regret"] - span.low) / unit, len(values))
            if all(
                begin + width < left or right < begin or abs(h - other) >= LABEL_PIXELS
                for left, right, other in taken
            )
        )
        taken.append((begin, begin + width, height))
        side = "left" if along <= 0.5 else "right"
        yield {**value, "side": side, "place": span.low + height * unit}


def _heights(point: float, n: int) -> list[float]:
    """Heights in pixels, nearest first; those below the axis last."""
    away = [0.75 * LABEL_PIXELS + i * (LABEL_PIXELS + 1e-6) for i in range(n)]
    return sorted(
        [point + sign * distance for distance in away for sign in (-1, 1)],
        key=lambda height: (height < LABEL_PIXELS / 2, abs(height - point)),
    )
