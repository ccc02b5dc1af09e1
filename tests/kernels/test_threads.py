"""Threaded kernels cut the batch into chunks; no cut may change a bit or hide a bad row."""

import numpy as np
import pytest

from kernels import _budget, _inventory
from kernels._arrays import EACH_ITS_OWN
from tests.kernels.inventory_cases import PAPER, probabilities

COSTS, DEMAND = PAPER[0], np.array(PAPER[1])


@pytest.mark.parametrize("n_chunks", [1, 3, 8])
@pytest.mark.parametrize("n_rows", [0, 5, 400])
def test_inventory(n_chunks, n_rows):
    rng = np.random.default_rng(0)
    p, y, own = probabilities(rng, (n_rows,), 5), probabilities(rng, (n_rows,), 5), EACH_ITS_OWN
    alone, together = np.empty(n_rows), np.full(n_rows, np.nan)
    assert _inventory.orders(p, own, DEMAND, COSTS, 1e-6, 0, n_rows, alone) == -1
    assert _inventory.orders_threaded(p, own, DEMAND, COSTS, 1e-6, n_chunks, together) == -1
    np.testing.assert_array_equal(together, alone)
    assert _inventory.regrets(p, y, own, own, DEMAND, COSTS, 1e-6, 0, n_rows, alone) == -1
    assert _inventory.regrets_threaded(p, y, own, own, DEMAND, COSTS, 1e-6, n_chunks, together) == -1
    np.testing.assert_array_equal(together, alone)


def test_bad_rows_of_any_chunk_are_reported():
    p = np.full((400, 5), 0.2)
    good, out = p.copy(), np.empty(400)
    p[[170, 333], 2] = np.nan
    assert _inventory.orders_threaded(p, EACH_ITS_OWN, DEMAND, COSTS, 1e-6, 8, out) == 170
    maps = (EACH_ITS_OWN, EACH_ITS_OWN, DEMAND, COSTS, 1e-6, 8, out)
    assert _inventory.regrets_threaded(p, good, *maps) == 170
    assert _inventory.regrets_threaded(good, p, *maps) == 170


@pytest.mark.parametrize("n_chunks", [1, 3, 8])
def test_budget(n_chunks):
    ctr, weights = np.random.default_rng(0).random((50, 6, 4)), np.ones((1, 4))
    first = np.zeros(50, np.int64)
    alone, together = ((np.zeros((50, 3), np.int64), np.zeros(50)) for _ in range(2))
    _budget.enumerate_subsets(ctr, weights, EACH_ITS_OWN, first, 1.0, 0, 50, *alone)
    _budget.enumerate_subsets_threaded(ctr, weights, EACH_ITS_OWN, first, 1.0, n_chunks, *together)
    for ours, theirs in zip(together, alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)
