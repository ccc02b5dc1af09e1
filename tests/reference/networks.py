"""Networks with ReLU layers, node by node; the gradient by the chain rule, node by node."""

from itertools import pairwise


def relu_network(parameters, point, widths):
    """Return the output at a point, and its gradient."""
    layers, at = [list(point)], 0
    matrices = []
    for n_in, n_out in pairwise(widths):
        weights = [[parameters[at + i * n_out + j] for j in range(n_out)] for i in range(n_in)]
        biases = [parameters[at + n_in * n_out + j] for j in range(n_out)]
        at += (n_in + 1) * n_out
        nodes = [biases[j] + sum(layers[-1][i] * weights[i][j] for i in range(n_in)) for j in range(n_out)]
        layers.append([max(node, 0.0) for node in nodes])
        matrices.append(weights)
    slope = [1.0]
    for weights, nodes in zip(reversed(matrices), reversed(layers[1:]), strict=True):
        active = [s if node > 0.0 else 0.0 for s, node in zip(slope, nodes, strict=True)]
        slope = [sum(row[j] * active[j] for j in range(len(active))) for row in weights]
    return layers[-1][0], slope
