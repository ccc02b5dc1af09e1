"""Groups hold for all methods together, however many there are."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dfl_bench.results.groups import joint_sign_flip_test, rank_groups
from dfl_bench.results.statistics import sign_flip_test


def slow_step_down(differences):
    """Westfall and Young by the book: every pattern of signs, one comparison after the other."""
    d = np.nan_to_num(differences)
    size = np.sqrt((d**2).sum(0))
    scaled = d / np.where(size > 0, size, 1.0)
    observed = np.abs(scaled.sum(0))
    order = sorted(range(d.shape[1]), key=lambda j: -observed[j])
    adjusted, before = np.empty(d.shape[1]), 0.0
    for place, j in enumerate(order):
        hits = [
            max(abs(sum(s * scaled[i, k] for i, s in enumerate(signs))) for k in order[place:])
            >= observed[j] - 1e-12 * np.abs(scaled[:, j]).sum()
            for signs in product((1, -1), repeat=len(d))
        ]
        before = adjusted[j] = max(before, np.mean(hits))
    return adjusted


@pytest.mark.parametrize("seed", range(4))
def test_the_joint_test_is_that_of_the_book(seed):
    rng = np.random.default_rng(seed)
    d = rng.normal([0.0, 0.5, 1.0, 0.2], [1.0, 0.3, 2.0, 0.1], (7, 4))
    d[0, 1] = np.nan
    np.testing.assert_allclose(joint_sign_flip_test(d), slow_step_down(d))


# Thousandths: ties are exact, and no difference is as small as what counts as rounding.
@given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=9))
def test_one_comparison_is_the_plain_test(values):
    d = np.array(values) / 1000
    assert joint_sign_flip_test(d[:, None]) == pytest.approx([sign_flip_test(d)])


def test_asking_the_same_question_again_costs_nothing():
    """Holm's correction would multiply the p-value by the number of questions."""
    d = np.random.default_rng(0).normal(0.5, 0.4, (10, 1))
    assert joint_sign_flip_test(np.repeat(d, 40, axis=1)) == pytest.approx([sign_flip_test(d[:, 0])] * 40)


def test_forty_methods_and_ten_seeds_can_be_told_apart():
    rng = np.random.default_rng(0)
    base = rng.normal(0.3, 0.02, 10)
    made = {i: dict(enumerate(base + 0.1 * (i > 0) + rng.normal(0, 0.01, 10))) for i in range(40)}
    ranks = rank_groups(made)
    assert ranks[0] == 1 and set(list(ranks.values())[1:]) == {2}


def test_methods_on_other_scales_do_not_decide():
    """A method that varies a hundred times as much must not hide the steady difference of another one."""
    rng = np.random.default_rng(1)
    steady, wild = rng.normal(0.01, 0.001, 10), rng.normal(0.0, 1.0, 10)
    assert joint_sign_flip_test(np.stack([steady, wild], axis=1))[0] == pytest.approx(2 / 1024)


def test_nothing_to_compare():
    assert rank_groups({}) == {}
    assert rank_groups({"a": dict.fromkeys(range(6), 0.5)}) == {"a": 1}
    assert joint_sign_flip_test(np.zeros((8, 2))).tolist() == [1.0, 1.0]


def test_rank_groups():
    rng = np.random.default_rng(0)
    base = rng.normal(0.3, 0.02, 10)
    made = {
        "best": base,
        "as good": base + rng.normal(0.0, 0.01, 10),
        "worse": base + 0.2,
        "as bad": base + 0.2 + rng.normal(0.0, 0.01, 10),
        "few": base[:5],
    }
    ranks = rank_groups({name: dict(enumerate(values)) for name, values in made.items()})
    assert ranks == {"best": 1, "as good": 1, "worse": 2, "as bad": 2, "few": None}


def test_rank_groups_without_enough_common_seeds():
    ranks = rank_groups({"a": dict.fromkeys(range(8), 0.1), "b": dict.fromkeys(range(6, 14), 0.2)})
    assert ranks == {"a": 1, "b": None}


@pytest.mark.parametrize("methods", [2, 20])
def test_a_best_method_is_seldom_left_out(methods):
    """All are equally good: a given one is in the first group in at least 95 of 100 cases."""
    rng, trials = np.random.default_rng(3), 300
    left_out = 0
    for _ in range(trials):
        base = rng.normal(0.0, 1.0, 10)
        ranks = rank_groups({i: dict(enumerate(base + rng.normal(0, 0.3, 10))) for i in range(methods)})
        left_out += ranks[0] != 1
    assert left_out <= stats.binom.ppf(0.999, trials, 0.05)
