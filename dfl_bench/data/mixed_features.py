"""Features of websites: their click rates, hidden among fake ones by a linear layer."""

from typing import NamedTuple

import numpy as np


class Layer(NamedTuple):
    """A linear map: weight (outputs, inputs), bias (outputs,)."""

    weight: np.ndarray
    bias: np.ndarray


def uniform_layer(rng: np.random.Generator, n_inputs: int, n_outputs: int) -> Layer:
    """Return a layer with weights and bias uniform in ±1/√inputs, as torch draws a new one.

    Args:
        rng: The source of randomness.
        n_inputs: The number of columns.
        n_outputs: The number of rows.
    """
    bound = n_inputs**-0.5
    values = rng.uniform(-bound, bound, (n_outputs, n_inputs + 1))
    return Layer(values[:, :-1], values[:, -1])


def normal_layer(rng: np.random.Generator, n_inputs: int) -> Layer:
    """Return a square layer without bias; its outputs have about the variance of its inputs."""
    weight = rng.standard_normal((n_inputs, n_inputs)) / np.sqrt(n_inputs)
    return Layer(weight, np.zeros(n_inputs))


def mixed_features(standardised: np.ndarray, fake: np.ndarray, layer: Layer) -> np.ndarray:
    """Return A·[y_w; fake_w] + b for every website w, (n, W, outputs).

    Args:
        standardised: The click rates y (n, W, U), of mean 0 and variance 1.
        fake: The fake rates (n, W, F).
        layer: A and b, with U + F inputs.
    """
    whole = np.concatenate([standardised, fake], axis=-1)
    # One product of two matrices: NumPy multiplies a stack of small ones a hundred times slower.
    mixed = whole.reshape(-1, whole.shape[-1]) @ layer.weight.T + layer.bias
    return mixed.reshape(*whole.shape[:-1], -1)
