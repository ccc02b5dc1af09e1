from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.networks import relu_networks
from tests.reference.networks import relu_network

WIDTHS = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(lambda inner: (*inner, 1))


def drawn(widths, m, n, seed, sparse=0.0):
    rng = np.random.default_rng(seed)
    size = sum((a + 1) * b for a, b in pairwise(widths))
    points = rng.standard_normal((n, widths[0])) * (rng.random((n, widths[0])) >= sparse)
    return rng.standard_normal((m, size)), rng.integers(0, m, n), points, np.array(widths)


@given(WIDTHS, st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0]))
def test_values_and_gradients_are_those_of_the_definition(widths, seed, sparse):
    parameters, rows, points, sizes = drawn(widths, 3, 7, seed, sparse)
    value, gradient = relu_networks(parameters, rows, points, sizes)
    for k, row in enumerate(rows):
        expected, slope = relu_network(parameters[row], points[k], widths)
        assert value[k] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-11, atol=1e-11)


def test_no_points_give_no_values():
    value, gradient = relu_networks(*drawn((3, 4, 1), 2, 0, 0))
    assert value.shape == (0,) and gradient.shape == (0, 3)


def test_not_a_number_is_kept():
    parameters, rows, points, sizes = drawn((2, 3, 1), 1, 4, 0)
    parameters[:, -1] = 100.0  # so that the output is not cut off
    points[2, 1] = np.nan
    value, gradient = relu_networks(parameters, rows, points, sizes)
    assert np.isnan(value[2]) and np.isfinite(np.delete(value, 2)).all()
    assert np.isfinite(np.delete(gradient, 2, axis=0)).all()
