"""The law of the original budget data, against the tables of Wilder, Dilkina and Tambe (AAAI 2019)."""

import numpy as np
import pytest

from dfl_bench.data.bids import LAW, OTHER_END, BidLaw, draw_bids
from dfl_bench.studies.bids_law import (
    BEST,
    RANDOM,
    ZERO_ERROR,
    density,
    greedy,
    overlap_ratio,
    random_choice,
    without_a_pair,
)

ENDS = {"default": LAW, "other end": OTHER_END}


@pytest.fixture(scope="module", params=ENDS)
def law(request):
    return ENDS[request.param]


@pytest.fixture(scope="module")
def instances():
    """A hundred whole instances of the default law."""
    return draw_bids(LAW, np.random.default_rng(0), 100, 100, 500)


@pytest.fixture(scope="module")
def cuts():
    """Many small ones, as the problem has them."""
    return draw_bids(LAW, np.random.default_rng(1), 40_000, 5, 10)


def test_the_density_and_the_error_of_zero_are_the_published_ones(law):
    assert density(law) == pytest.approx(0.0395, rel=0.01)
    assert density(law) * 0.2**2 / 3 == pytest.approx(ZERO_ERROR, rel=0.02)


def test_random_websites_reach_as_many_users_as_published(law):
    for k, published in RANDOM.items():
        assert random_choice(law, k) == pytest.approx(published, rel=0.011), k


def test_the_best_websites_reach_as_many_users_as_the_best_published_method(instances):
    """That method's value is a lower bound of the optimum; greedy is one, too, and loses little."""
    reached = greedy(instances, max(BEST))
    for k, published in BEST.items():
        assert reached[:, k - 1].mean() == pytest.approx(published, rel=0.06), k


def test_drawn_instances_have_the_density_and_the_overlap_of_the_formulas(cuts):
    present = cuts > 0
    assert present.mean() == pytest.approx(density(LAW), rel=0.02)
    together = (present[:, 0] & present[:, 1]).mean()
    assert together / present.mean() ** 2 == pytest.approx(overlap_ratio(LAW), rel=0.1)
    assert overlap_ratio(LAW) == pytest.approx(2.36, rel=0.02)
    # Two users of one website: its reach differs much from website to website.
    shared = (present[..., 0] & present[..., 1]).mean()
    assert shared / present.mean() ** 2 > 2.5


def test_websites_have_the_published_sum(instances):
    sums = instances.sum(-1)
    assert sums.mean() == pytest.approx(1.975, rel=0.06)
    assert np.median(sums) < 1.3  # "the bulk" is below 1 in the paper's words
    assert sums.max(-1).mean() > 10


def test_random_choice_by_formula_is_that_of_drawn_websites(instances):
    missed = np.cumprod(1.0 - instances, axis=1)  # websites are exchangeable: the first k are random ones
    for k in RANDOM:
        values = (1.0 - missed[:, k - 1]).sum(-1)
        error = values.std(ddof=1) / len(values) ** 0.5
        assert abs(values.mean() - random_choice(LAW, k)) < 3 * error


def test_rates_are_uniform_up_to_a_fifth(cuts):
    rates = cuts[cuts > 0]
    assert rates.max() <= 0.2
    np.testing.assert_allclose(np.quantile(rates, [0.1, 0.5, 0.9]), [0.02, 0.1, 0.18], atol=0.002)


def test_a_quarter_of_the_small_instances_has_no_pair(cuts):
    empty = without_a_pair(cuts)
    assert empty == (cuts.sum((1, 2)) == 0).mean() == pytest.approx(0.24, abs=0.01)
    assert (cuts.sum(-1) == 0).mean() == pytest.approx(0.73, abs=0.01)
    assert (cuts > 0).sum((1, 2)).mean() == pytest.approx(1.95, rel=0.03)


def test_a_part_of_a_large_instance_is_a_small_one():
    """Drawing 5 × 10 at once is the same law as cutting them out of more websites and users."""
    rng = np.random.default_rng(2)
    cut = draw_bids(LAW, rng, 4_000, 15, 30)
    cut = np.stack([y[np.ix_(rng.permutation(15)[:5], rng.permutation(30)[:10])] for y in cut])
    direct = draw_bids(LAW, rng, 4_000, 5, 10)
    for statistic in (lambda y: y.sum((1, 2)) == 0, lambda y: (y > 0).sum((1, 2)), lambda y: y.max((1, 2))):
        a, b = statistic(cut) * 1.0, statistic(direct) * 1.0
        assert abs(a.mean() - b.mean()) < 4 * (a.var() / len(a) + b.var() / len(b)) ** 0.5


def test_without_spread_all_pairs_are_alike():
    y = draw_bids(BidLaw(0.0, 0.0, np.log(0.3)), np.random.default_rng(3), 2_000, 5, 10)
    assert (y > 0).mean() == pytest.approx(0.3, abs=0.01)
    assert density(BidLaw(1e-9, 0.0, np.log(0.3))) == pytest.approx(0.3)
    assert overlap_ratio(BidLaw(1e-9, 0.0, np.log(0.3))) == pytest.approx(1.0)
