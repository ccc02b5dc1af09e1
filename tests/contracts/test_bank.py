import numpy as np
import pytest

from dfl_bench.contracts.bank import BankCache
from dfl_bench.contracts.task import Task
from dfl_bench.training.samplers import Gaussian
from tests.support.small import small_problem


class Counted(Gaussian):
    """A sampler that counts how often it draws."""

    drawn = 0

    def draw(self, task, samples):
        type(self).drawn += 1
        return super().draw(task, samples)


@pytest.fixture
def sampler():
    Counted.drawn = 0
    return Counted(width=0.5)


def task(cache, seed=0, problem=None):
    problem = problem or small_problem("inventory")
    data = problem.data(seed)
    return Task(problem, data.train, data.val, seed, cache=cache)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_smaller_bank_is_a_prefix_of_a_larger_one(tmp_path, sampler, on_disk):
    cache = BankCache(tmp_path if on_disk else None)
    large, small = (task(cache).bank(sampler, k) for k in (8, 3))
    assert Counted.drawn == 1
    np.testing.assert_array_equal(small.y_hat, large.y_hat[:3])
    np.testing.assert_array_equal(small.regret, large.regret[:3])
    fresh = task(BankCache()).bank(sampler, 3)
    np.testing.assert_array_equal(fresh.y_hat, small.y_hat)
    np.testing.assert_array_equal(fresh.regret, small.regret)


def test_a_larger_bank_is_made_anew_and_kept(sampler):
    cache = BankCache()
    task(cache).bank(sampler, 3)
    task(cache).bank(sampler, 8)
    task(cache).bank(sampler, 8)
    assert Counted.drawn == 2


def test_a_hit_is_charged_what_the_bank_cost(sampler):
    cache = BankCache()
    first, hit, part = task(cache), task(cache), task(cache)
    bank = first.bank(sampler, 8)
    hit.bank(sampler, 8)
    part.bank(sampler, 4)
    assert hit.ledger.seconds["label"] == first.ledger.seconds["label"] == bank.seconds > 0
    assert hit.ledger.solves["label"] == first.ledger.solves["label"] == 8 * len(first.train)
    assert part.ledger.seconds["label"] == bank.seconds / 2
    assert part.ledger.solves["label"] == 4 * len(first.train)


def test_another_process_finds_a_bank_on_disk(tmp_path, sampler):
    made = task(BankCache(tmp_path)).bank(sampler, 4)
    found = task(BankCache(tmp_path)).bank(sampler, 4)
    assert Counted.drawn == 1
    np.testing.assert_array_equal(found.regret, made.regret)
    assert found.seconds == made.seconds


def test_banks_are_told_apart_by_seed_problem_and_sampler(sampler):
    cache = BankCache()
    task(cache).bank(sampler, 3)
    task(cache, seed=1).bank(sampler, 3)
    task(cache, problem=small_problem("inventory", n_features=7)).bank(sampler, 3)
    task(cache).bank(Counted(width=0.6), 3)
    assert Counted.drawn == 4


def test_a_bank_holds_the_regrets_of_its_predictions(sampler):
    given = task(BankCache())
    bank = given.bank(sampler, 5)
    expected = given.problem.regret(bank.y_hat, given.train.y, given.train.context)
    np.testing.assert_array_equal(bank.regret, expected)
    np.testing.assert_allclose(bank.regret[0], 0.0, atol=1e-12)


def test_fewer_than_two_samples_are_refused(sampler):
    with pytest.raises(ValueError, match="at least 2 samples"):
        task(BankCache()).bank(sampler, 1)
