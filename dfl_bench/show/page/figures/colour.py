"""Colours by lightness, strength and hue as the eye sees them: OKLCH, and its way to sRGB.

The matrices are those of Björn Ottosson's OKLab (2020).
"""

from math import cos, radians, sin

import numpy as np

_TO_CONE_ROOTS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_TO_LINEAR = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def hex_of(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour as "#rrggbb"; one that a screen cannot show becomes less strong until it can.

    Args:
        lightness: from 0, black, to 1, white.
        chroma: how strong the colour is, 0 for grey; about 0.3 at most.
        hue: in degrees.
    """
    linear = _linear(lightness, chroma, hue)
    while (linear.min() < 0.0 or linear.max() > 1.0) and chroma > 0.0:
        chroma = max(chroma - 0.002, 0.0)
        linear = _linear(lightness, chroma, hue)
    linear = linear.clip(0.0, 1.0)
    coded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * value):02x}" for value in coded.tolist())


def _linear(lightness: float, chroma: float, hue: float) -> np.ndarray:
    lab = np.array([lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue))])
    return _TO_LINEAR @ (_TO_CONE_ROOTS @ lab) ** 3
