"""The kernels in several threads: the same bits as in one, for even and uneven chunks."""

import numpy as np
import pytest

from kernels import budget, inventory
from kernels._shared.arrays import EACH_ITS_OWN
from kernels.budget import compiled as budget_kernels
from kernels.budget import subsets
from kernels.inventory import compiled as inventory_kernels
from tests.kernels.budget_cases import click_rates
from tests.kernels.inventory_cases import PAPER, probabilities
from tests.reference import inventory as reference

COSTS, DEMAND = PAPER[0], np.array(PAPER[1])
# Rows and chunks: an even cut, uneven remainders, blocks of 64 rows cut in the middle, more chunks than rows.
CUTS = [(128, 2), (131, 2), (200, 3), (1000, 7), (5, 8), (0, 3)]


@pytest.mark.parametrize(("rows", "chunks"), CUTS)
def test_orders(rows, chunks):
    p = probabilities(np.random.default_rng(rows), (rows,), 5)
    alone, together = np.full(rows, -1.0), np.full(rows, -1.0)
    assert inventory_kernels.orders(p, EACH_ITS_OWN, DEMAND, COSTS, 1e-6, 0, rows, alone) == -1
    assert inventory_kernels.orders_threaded(p, EACH_ITS_OWN, DEMAND, COSTS, 1e-6, chunks, together) == -1
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(("rows", "chunks"), CUTS)
def test_regrets(rows, chunks, mapped):
    rng = np.random.default_rng(rows)
    p, y = probabilities(rng, (rows,), 5), probabilities(rng, (max(rows, 1),), 5)
    row_map = rng.integers(0, len(y), rows) if mapped else EACH_ITS_OWN
    alone, together = np.full(rows, -1.0), np.full(rows, -1.0)
    arguments = (p, y, EACH_ITS_OWN, row_map, DEMAND, COSTS, 1e-6)
    assert inventory_kernels.regrets(*arguments, 0, rows, alone) == -1
    assert inventory_kernels.regrets_threaded(*arguments, chunks, together) == -1
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("rows", "chunks"), CUTS)
def test_subsets(rows, chunks, sign):
    rng = np.random.default_rng(rows)
    ctr, weights = click_rates(rng, (rows, 6, 4)), rng.random((2, 4))
    row_map = rng.integers(0, 2, rows)
    results = []
    for run, cut in (
        (budget_kernels.enumerate_subsets, (0, rows)),
        (budget_kernels.enumerate_subsets_threaded, (chunks,)),
    ):
        chosen, values = np.full((rows, 3), -1), np.full(rows, -1.0)
        run(ctr, weights, EACH_ITS_OWN, row_map, sign, *cut, chosen, values)
        results.append((chosen, values))
    for alone, together in zip(*results, strict=True):
        np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("kernel", ["orders", "regrets"])
def test_the_first_bad_row_is_returned_whichever_chunk_ends_first(kernel):
    p = np.full((200, 5), 0.2)
    p[90], p[170] = np.nan, np.nan
    fair, out = np.full((200, 5), 0.2), np.empty(200)
    run = getattr(inventory_kernels, f"{kernel}_threaded")
    arrays = (p, EACH_ITS_OWN) if kernel == "orders" else (fair, p, EACH_ITS_OWN, EACH_ITS_OWN)
    assert run(*arrays, DEMAND, COSTS, 1e-6, 3, out) == 90


def count_calls(monkeypatch, module, name):
    """Count the calls of a function that keeps working."""
    calls, function = [], getattr(module, name)

    def counted(*args):
        calls.append(args)
        return function(*args)

    monkeypatch.setattr(module, name, counted)
    return calls


def test_public_functions_of_inventory_use_threads_for_large_batches(monkeypatch):
    rng = np.random.default_rng(0)
    p, y = probabilities(rng, (3, 67), 5), probabilities(rng, (67,), 5)
    expected = inventory.order_quantity(p), inventory.regret(p, y)
    monkeypatch.setattr(inventory, "n_chunks", lambda n_rows, threaded_from: 4)
    orders = count_calls(monkeypatch, inventory.compiled, "orders_threaded")
    regrets = count_calls(monkeypatch, inventory.compiled, "regrets_threaded")
    np.testing.assert_array_equal(inventory.order_quantity(p), expected[0])
    np.testing.assert_array_equal(inventory.regret(p, y), expected[1])
    assert len(orders) == len(regrets) == 1
    assert expected[0][0, 0] == pytest.approx(reference.order(p[0, 0], *PAPER), abs=1e-9)
    p[2, 5] = 0.3
    with pytest.raises(ValueError, match=r"at row \(2, 5\)"):
        inventory.order_quantity(p)
    with pytest.raises(ValueError, match=r"p_hat .* at row \(2, 5\)"):
        inventory.regret(p, y)


def test_public_functions_of_budget_use_threads_for_large_batches(monkeypatch):
    rng = np.random.default_rng(0)
    hat, ctr = click_rates(rng, (3, 11, 5, 4)), click_rates(rng, (11, 5, 4))
    expected = budget.solve(ctr), budget.worst_subset(ctr), budget.regret(hat, ctr)
    monkeypatch.setattr(subsets, "n_chunks", lambda n_rows, threaded_from: 4)
    calls = count_calls(monkeypatch, budget.compiled, "enumerate_subsets_threaded")
    solution = budget.solve(ctr)
    np.testing.assert_array_equal(solution.z, expected[0].z)
    np.testing.assert_array_equal(solution.value, expected[0].value)
    np.testing.assert_array_equal(budget.worst_subset(ctr), expected[1])
    np.testing.assert_array_equal(budget.regret(hat, ctr), expected[2])
    assert len(calls) == 4  # best, worst, and two for the regret


def test_the_number_of_chunks(monkeypatch):
    from kernels._shared import threads

    for n_threads, n_rows, expected in [(1, 10**9, 1), (2, 99, 1), (2, 100, 8), (3, 101, 12)]:
        monkeypatch.setattr(threads, "_available", lambda n=n_threads: n)
        assert threads.n_chunks(n_rows, 100) == expected
