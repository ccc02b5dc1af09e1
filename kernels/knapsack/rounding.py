"""The grid on which the values of a row are compared, so that sums are exact and ties are real.

A sum of floats depends on its order, and dynamic programming, branch and bound and a device all add in
another one. Rounded to multiples of 2⁻⁵² P, where P is the smallest power of two above 2 n max(values), the
values of a row have sums without any rounding. All algorithms then agree on every comparison, to the bit.
"""

import math

import numpy as np
from numba import njit

LIMIT = 1e300
"""Larger values are refused: their sums overflow."""


@njit(cache=True, error_model="numpy", nogil=True)
def round_rows(values, fits, out):
    """Write the rounded values, -inf where an item is never taken; return the first bad row or -1.

    Never taken: items that do not fit alone, and those whose rounded value is not positive.

    Args:
        values: (rows, n), values of the items.
        fits: (n,), bool: whether an item fits alone.
        out: (rows, n), written.
    """
    n_rows, n_items = values.shape
    for row in range(n_rows):
        largest = 0.0
        for item in range(n_items):
            value = values[row, item]
            if not abs(value) <= LIMIT:
                return row
            if fits[item] and value > largest:
                largest = value
        reach = 2.0 * n_items * largest
        power = reach / math.frexp(reach)[0] if reach > 0.0 else 1.0
        for item in range(n_items):
            # Just above this power of two floats are one grid step apart: adding it rounds to the grid.
            value = (values[row, item] + power) - power
            out[row, item] = value if fits[item] and value > 0.0 else -np.inf
    return -1
