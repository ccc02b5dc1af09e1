"""The k largest in plain Python."""

import numpy as np


def best(values, k):
    """Sort by value, then by index; take the first k."""
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    z = np.zeros(len(values))
    z[order[:k]] = 1.0
    return z
