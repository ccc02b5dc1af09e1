import numpy as np
import pytest
from scipy import stats

from dfl_bench.contracts.seeding import rng_for
from dfl_bench.results import statistics
from dfl_bench.results.statistics import (
    Scores,
    bootstrap_difference,
    compare,
    holm,
    mean_sem,
    sign_flip_test,
)


def scores(per_seed, n=50, noise=0.0, name="a") -> Scores:
    """Seeds with given normalized regrets, worst regrets shared by all methods."""
    worst = {s: 1.0 + np.random.default_rng(s).random(n) for s in range(len(per_seed))}
    regret = {}
    for s, value in enumerate(per_seed):
        spread = noise * rng_for("test", name, seed=s).standard_normal(n)
        regret[s] = value * worst[s] + spread - spread.mean()
    return Scores(regret, worst)


def test_mean_and_standard_error():
    assert mean_sem([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, np.sqrt(5 / 3) / 2))
    mean, sem = mean_sem([7.0])
    assert mean == 7.0 and np.isnan(sem)
    with pytest.raises(ValueError, match="at least one value"):
        mean_sem([])


@pytest.mark.parametrize("n", [5, 6, 10, 16])
def test_the_smallest_p_value_is_that_of_one_sign(n):
    assert sign_flip_test(np.linspace(1, 2, n)) == pytest.approx(2 / 2**n)


@pytest.mark.parametrize("seed", range(5))
def test_the_sign_flip_test_agrees_with_scipys_exact_permutations(seed):
    d = np.random.default_rng(seed).normal(0.3, 1, 9)
    expected = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", alternative="two-sided", n_resamples=np.inf
    ).pvalue
    assert sign_flip_test(d) == pytest.approx(expected)


def test_random_flips_come_near_the_exact_value(monkeypatch):
    d = np.random.default_rng(1).normal(0.4, 1, 14)
    exact = sign_flip_test(d)
    monkeypatch.setattr(statistics, "EXACT_SEEDS", 13)
    drawn = sign_flip_test(d)
    # Four standard errors of a proportion over 20,000 draws.
    assert abs(drawn - exact) < 4 * np.sqrt(exact * (1 - exact) / statistics.RANDOM_FLIPS)


def test_equal_methods_have_p_one():
    assert sign_flip_test(np.zeros(8)) == 1.0


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_bootstrap_resamples_the_ratio_of_sums_in_pairs():
    a, b = scores([0.5] * 8), scores([0.3] * 8)
    # Regret is a fixed share of the worst regret in every instance: whatever is drawn, the difference is 0.2.
    np.testing.assert_allclose(bootstrap_difference(a, b), 0.2, rtol=1e-12)


def test_the_bootstrap_agrees_with_a_loop_in_spread():
    rng = np.random.default_rng(0)
    a = scores(rng.normal(0.5, 0.1, 8), noise=0.5, name="a")
    b = scores(rng.normal(0.5, 0.1, 8), noise=0.5, name="b")
    fast = bootstrap_difference(a, b)
    slow = []
    for _ in range(2000):
        drawn = []
        for s in rng.integers(0, 8, 8):
            rows = rng.integers(0, 50, 50)
            drawn.append((a.regret[s][rows].sum() - b.regret[s][rows].sum()) / a.worst[s][rows].sum())
        slow.append(np.mean(drawn))
    assert fast.mean() == pytest.approx(np.mean(slow), abs=4 * np.std(slow) / np.sqrt(1000))
    assert fast.std() == pytest.approx(np.std(slow), rel=0.1)


def test_the_bootstrap_is_seeded_by_names():
    a, b = scores([0.5, 0.4], noise=0.2, name="a"), scores([0.3, 0.4], noise=0.2, name="b")
    same = [bootstrap_difference(a, b, names=("x", "y")) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (bootstrap_difference(a, b, names=("x", "z")) != same[0]).any()


def test_a_comparison_with_few_seeds_has_no_p_value():
    few = compare(scores([0.5] * 5), scores([0.4] * 5))
    assert few.p_value is None and few.seeds == 5 and few.difference == pytest.approx(0.1)
    assert compare(scores([0.5] * 6), scores([0.4] * 6)).p_value == pytest.approx(2 / 64)


def test_only_common_seeds_and_common_instances_are_compared():
    a, b = scores([0.5] * 8), scores([0.4] * 7)
    assert compare(a, b).seeds == 7
    other = Scores(b.regret, {s: w + 1 for s, w in b.worst.items()})
    with pytest.raises(ValueError, match="different instances of seed 0"):
        compare(a, other)
    with pytest.raises(ValueError, match="no seed in common"):
        compare(a, Scores({}, {}))


@pytest.mark.slow
def test_calibration_under_the_null():
    """Two methods of equal quality: false positives near 5 %, intervals that cover near 95 %."""
    rng = np.random.default_rng(7)
    trials, rejected, covered = 400, 0, 0
    for _ in range(trials):
        a, b = (scores_drawn(rng, 10, 60) for _ in range(2))
        b = Scores(b.regret, a.worst)
        d = [a.normalized()[s] - b.normalized()[s] for s in range(10)]
        rejected += sign_flip_test(d) <= 0.05
        low, high = np.quantile(bootstrap_difference(a, b, resamples=400), [0.025, 0.975])
        covered += low <= 0.0 <= high
    # Binomial 99.9 % bounds around 5 % for the exact test.
    low, high = stats.binom.interval(0.999, trials, 0.05)
    assert low <= rejected <= high
    # Resampling seeds and instances counts the instances' noise twice: intervals are wide rather than narrow.
    assert covered / trials >= 0.93


def scores_drawn(rng, seeds, n) -> Scores:
    level = rng.normal(0.5, 0.05, seeds)
    regret = {s: np.abs(rng.normal(level[s], 0.3, n)) for s in range(seeds)}
    return Scores(regret, {s: np.ones(n) for s in range(seeds)})
