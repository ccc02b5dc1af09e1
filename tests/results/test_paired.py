"""The interval of a gain covers what it should, also where seeds share rows, and agrees with its test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dfl_bench.results.paired import LEVEL, gain, needed

TRIALS = 800


def is_near(covered, nominal, trials=TRIALS):
    """Whether a count of covered cases is what a nominal rate gives, by binomial 99.9 % bounds."""
    low, high = stats.binom.interval(0.999, trials, nominal)
    return low <= covered <= high


def test_one_comparison_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    baseline, candidate = rng.normal(0.3, 0.05, 6), rng.normal(0.25, 0.05, 6)
    found, expected = gain(candidate, baseline), stats.ttest_rel(baseline, candidate)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert gain(candidate, baseline, comparisons=2).p_value == pytest.approx(2 * expected.pvalue)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=3, max_size=12),
    st.floats(0, 0.5),
    st.integers(1, 3),
)
def test_interval_and_p_value_are_two_sides_of_one_test(scores, shared, comparisons):
    candidate, baseline = np.array(scores).T
    found = gain(candidate, baseline, shared=shared, comparisons=comparisons)
    if abs(found.p_value - LEVEL) < 1e-6 or np.ptp(baseline - candidate) < 1e-9:
        return
    assert (found.low <= 0 <= found.high) == (found.p_value >= LEVEL)
    if found.share_interval is not None:
        low, high = found.share_interval
        assert low - 1e-9 <= found.share <= high + 1e-9
        assert (low <= 0 <= high) == (found.p_value >= LEVEL)


@pytest.mark.parametrize("seeds", [6, 10])
def test_the_share_saved_is_covered(seeds):
    """A candidate that loses 20 % less on the mean, both with noise of their own and noise in common."""
    rng, covered = np.random.default_rng(1), 0
    common = rng.normal(0.0, 0.05, (TRIALS, seeds))
    baseline = 0.5 + common + rng.normal(0.0, 0.03, common.shape)
    candidate = 0.4 + common + rng.normal(0.0, 0.03, common.shape)
    for pair in zip(candidate, baseline, strict=True):
        low, high = gain(*pair).share_interval
        covered += low <= 0.2 <= high
    assert is_near(covered, 0.95)


def test_two_candidates_are_covered_together():
    rng, both, alone = np.random.default_rng(2), 0, 0
    for _ in range(TRIALS):
        baseline = rng.normal(0.5, 0.05, 6)
        for comparisons in (1, 2):
            found = [gain(c, baseline, comparisons=comparisons) for c in rng.normal(0.5, 0.05, (2, 6))]
            covered = all(g.low <= 0 <= g.high for g in found)
            both += covered and comparisons == 2
            alone += covered and comparisons == 1
    assert both >= stats.binom.ppf(0.001, TRIALS, 0.95)
    assert alone < stats.binom.ppf(0.001, TRIALS, 0.95)  # without the correction it does not hold


def test_seeds_that_share_rows_are_covered():
    """Six seeds draw a fifth of one table as test rows; the mean of all possible tables is asked."""
    rng, rows, seeds = np.random.default_rng(3), 100, 6
    covered = {0.0: 0, 0.2: 0}
    for _ in range(TRIALS):
        table = rng.exponential(1.0, rows) - 1.0  # what one row adds to the difference
        tests = rng.permuted(np.tile(table, (seeds, 1)), axis=1)[:, : rows // 5]
        baseline = 5.0 + tests.mean(1)
        for shared in covered:
            found = gain(np.full(seeds, 5.0), baseline, shared=shared)
            covered[shared] += found.low <= 0 <= found.high
    assert covered[0.2] >= stats.binom.ppf(0.001, TRIALS, 0.93)  # skewed rows cost a little
    assert covered[0.0] < 0.90 * TRIALS  # as if rows were new: far too sure


def test_equal_methods_and_methods_without_regret():
    same = gain(np.full(6, 0.3), np.full(6, 0.3))
    assert same.p_value == 1.0 and same.verdict == "open" and same.share_interval == pytest.approx((0, 0))
    nothing = gain(np.full(6, 0.1), np.zeros(6))
    assert nothing.share is None and nothing.share_interval is None and nothing.verdict == "worse"
    unclear = gain(np.zeros(6), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    assert unclear.share == 1.0 and unclear.share_interval is None and unclear.verdict == "open"


def test_what_is_needed_is_enough_four_times_out_of_five():
    rng = np.random.default_rng(4)
    d = rng.normal(0.0, 1.0, 6)
    d = 0.4 + (d - d.mean()) / d.std(ddof=1)
    asked = needed(5.0 - d, np.full(6, 5.0), comparisons=2)
    new = rng.normal(0.4, 1.0, (TRIALS, asked.pairs))
    found = sum(gain(5.0 - row, np.full(len(row), 5.0), comparisons=2).verdict == "better" for row in new)
    assert 0.76 <= found / TRIALS <= 0.84


def test_shared_rows_can_make_more_seeds_useless():
    d = np.array([0.1, -0.2, 0.3, 0.4, -0.1, 0.2])
    asked = needed(1.0 - d, np.full(6, 1.0), shared=0.2)
    assert asked.pairs is None and asked.rows > 1
    assert needed(np.full(6, 1.0), np.full(6, 1.0)).pairs is None
