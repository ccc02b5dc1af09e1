import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import top_k
from kernels.deferred import deferred
from kernels.top_k import tensors
from tests.reference import top_k as reference
from tests.support.device import assert_stays_on_device, fake_accelerator


@st.composite
def instances(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_items = draw(st.integers(2, 60))
    values = rng.normal(size=(draw(st.integers(1, 4)), n_items))
    if draw(st.booleans()):
        values = np.round(values)  # ties, negative zeros among them
    return values, draw(st.integers(1, n_items - 1))


@settings(max_examples=200, deadline=None)
@given(instances())
def test_the_k_largest_ties_to_the_lowest_index(instance):
    values, k = instance
    expected = [reference.best(row, k) for row in values]
    np.testing.assert_array_equal(top_k.best(values, k), expected)
    np.testing.assert_array_equal(tensors.best(torch.tensor(values), k), expected)


@pytest.mark.parametrize("k", [1, 30, 59])
def test_equal_sorted_and_reversed_rows(k):
    for row in (np.zeros(60), np.arange(60.0), -np.arange(60.0)):
        np.testing.assert_array_equal(top_k.best(row, k), reference.best(row, k))


def test_layouts_batches_and_threads(monkeypatch):
    values = np.random.default_rng(0).normal(size=(3, 20, 5)).transpose(0, 2, 1)
    got = top_k.best(values, 3)
    np.testing.assert_array_equal(got, [[top_k.best(row, 3) for row in rows] for rows in values])
    monkeypatch.setattr(top_k, "n_chunks", lambda n, threaded_from: 4)
    np.testing.assert_array_equal(top_k.best(values, 3), got)
    values[1, 2, 3] = np.nan
    with pytest.raises(ValueError, match=r"finite values, got nan at index \(1, 2, 3\)"):
        top_k.best(values, 3)


def test_kind_and_precision_follow_the_values():
    assert top_k.best(np.arange(3, dtype=np.float32), 1).dtype == np.float32
    in_graph = top_k.best(torch.arange(3.0, requires_grad=True), 1)
    assert in_graph.dtype == torch.float32
    assert in_graph.tolist() == [0, 0, 1]
    assert top_k.best(np.empty((0, 3)), 1).shape == (0, 3)


@pytest.mark.parametrize("k", [0, -1, 3, 4])
def test_a_k_that_leaves_no_choice(k):
    with pytest.raises(ValueError, match=rf"1 <= k < 3 items, got {k}"):
        top_k.best(np.ones((2, 3)), k)


def test_other_bad_input():
    with pytest.raises(TypeError, match=r"integer k, got 1\.5"):
        top_k.best(np.ones(3), 1.5)
    with pytest.raises(ValueError, match="got a scalar"):
        top_k.best(np.float64(1.0), 1)
    with pytest.raises(ValueError, match="1 <= k < 0 items"):
        top_k.best(np.empty((2, 0)), 1)
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=rf"finite values, got {bad} at index \(1, 0\)"):
            top_k.best(np.array([[1.0, 2.0], [bad, 1.0]]), 1)


def test_a_device_keeps_its_tensors():
    values = torch.tensor(np.random.default_rng(0).normal(size=(4, 9)))
    got = assert_stays_on_device(lambda v: tensors.best(v, 2), values)
    np.testing.assert_array_equal(got, top_k.best(values, 2))
    with deferred(), fake_accelerator() as fake:
        assert top_k.best(fake(values), 2).device.type == "meta"
