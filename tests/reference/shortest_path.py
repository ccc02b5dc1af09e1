"""Shortest paths in plain Python: all paths one by one, in the order right before down."""

from itertools import combinations

import numpy as np


def arc_numbers(height, width):
    """{(from node, to node): position}: for every grid row, its arcs to the right, then its arcs down."""
    numbers = {}
    for i in range(height):
        for j in range(width - 1):
            numbers[(i, j), (i, j + 1)] = len(numbers)
        if i < height - 1:
            for j in range(width):
                numbers[(i, j), (i + 1, j)] = len(numbers)
    return numbers


def all_paths(height, width):
    """Arc numbers of every path, along the path; paths that go right come before those that go down."""
    numbers, n_steps = arc_numbers(height, width), height + width - 2
    paths = []
    # Positions of the steps to the right, in lexicographic order: early ones first.
    for rights in combinations(range(n_steps), width - 1):
        node, path = (0, 0), []
        for step in range(n_steps):
            after = (node[0], node[1] + 1) if step in rights else (node[0] + 1, node[1])
            path.append(numbers[node, after])
            node = after
        paths.append(path)
    return paths


def pay(path, costs):
    """Add the arcs of a path from the last one backwards."""
    total = 0.0
    for arc in reversed(path):
        total += costs[arc]
    return total


def optimum(costs, height, width):
    return min(pay(path, costs) for path in all_paths(height, width))


def best_path(costs, height, width):
    """The first of the cheapest paths as zeros and ones."""
    cheapest = min(all_paths(height, width), key=lambda path: pay(path, costs))
    return indicator(cheapest, len(costs))


def indicator(path, n_arcs):
    z = np.zeros(n_arcs)
    z[path] = 1.0
    return z


def regret(costs_hat, costs, height, width):
    chosen = min(all_paths(height, width), key=lambda path: pay(path, costs_hat))
    return pay(chosen, costs) - optimum(costs, height, width)
