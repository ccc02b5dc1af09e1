"""Small networks with ReLU layers, each at one point: value and gradient, reading only what is not zero."""

import numba
import numpy as np


@numba.njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def relu_networks(
    parameters: np.ndarray, rows: np.ndarray, points: np.ndarray, widths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the output of each network at its own point, and its gradient there.

    Every layer has ReLU after it, the last one included, which has one node. About half of the nodes are at
    zero: a batched product would read their weights too, and from memory once more on the way back.

    Args:
        parameters: (m, P), float64; for each layer the weights (n_in, n_out) row by row, then n_out biases.
        rows: (n,), the index of each point's network.
        points: (n, D), float64, finite.
        widths: (layers + 1,), nodes of the input, of each layer, and one.

    Returns:
        Values (n,) and gradients (n, D).
    """
    n, size = points.shape
    layers, widest = len(widths) - 1, widths.max()
    value = np.empty(n)
    gradient = np.zeros((n, size))
    nodes, slope, last = np.empty((layers + 1, widest)), np.empty(widest), np.empty(widest)
    for k in range(n):
        own = parameters[rows[k]]
        nodes[0, :size] = points[k]
        at = 0
        for layer in range(layers):
            n_in, n_out = widths[layer], widths[layer + 1]
            weights = own[at : at + n_in * n_out].reshape(n_in, n_out)
            out = nodes[layer + 1]
            for j in range(n_out):
                out[j] = own[at + n_in * n_out + j]
            for i in range(n_in):
                node = nodes[layer, i]
                if node != 0.0:
                    for j in range(n_out):
                        out[j] += node * weights[i, j]
            for j in range(n_out):
                out[j] = max(out[j], 0.0)
            at += (n_in + 1) * n_out
        value[k] = nodes[layers, 0]
        if value[k] == 0.0:
            continue
        slope[0] = 1.0
        for layer in range(layers - 1, -1, -1):
            n_in, n_out = widths[layer], widths[layer + 1]
            at -= (n_in + 1) * n_out
            last[:n_out] = slope[:n_out]
            for i in range(n_in):
                slope[i] = 0.0
                if layer == 0 or nodes[layer, i] > 0.0:
                    total = 0.0
                    for j in range(n_out):
                        total += own[at + i * n_out + j] * last[j]
                    slope[i] = total
        gradient[k] = slope[:size]
    return value, gradient
