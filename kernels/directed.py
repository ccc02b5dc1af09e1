"""The directed quadratics of LODL, each at one point: value and gradient in one pass over used entries."""

import numba
import numpy as np


@numba.njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def directed_quadratics(
    factors: np.ndarray, rows: np.ndarray, d: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return Σ_j (Σ_i d_i L_ij)² and its gradient by d, with L_ij chosen by the signs of d_i and d_j.

    Of the four lower triangles of an instance the signs choose one entry for every (i, j). A matrix product
    would read all four squares, eight times as much, and they do not fit into the cache.

    Args:
        factors: (m, 2D, 2D), float64; rows 0…D−1 serve d_i ≤ 0, the rest d_i > 0, and columns likewise.
        rows: (n,), the index of each point's factors.
        d: (n, D), float64, finite.

    Returns:
        Values (n,) and gradients (n, D).
    """
    n, size = d.shape
    value = np.empty(n)
    gradient = np.empty((n, size))
    chosen, product = np.empty(size, np.int64), np.empty(size)
    for k in range(n):
        factor = factors[rows[k]]
        for i in range(size):
            chosen[i] = i + size if d[k, i] > 0.0 else i
            product[i] = 0.0
        for i in range(size):
            for j in range(i + 1):
                product[j] += d[k, i] * factor[chosen[i], chosen[j]]
        total = 0.0
        for j in range(size):
            total += product[j] * product[j]
        value[k] = total
        for i in range(size):
            slope = 0.0
            for j in range(i + 1):
                slope += factor[chosen[i], chosen[j]] * product[j]
            gradient[k, i] = 2.0 * slope
    return value, gradient
