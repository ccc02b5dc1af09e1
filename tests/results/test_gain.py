import dataclasses
from itertools import product

import numpy as np
import pytest

from dfl_bench.results.choice import CHOSEN, choose
from dfl_bench.results.gain import Setting, gain_of
from dfl_bench.results.statistics import sign_flip_interval, sign_flip_test
from tests.support.made import record

SEEDS = range(10)


def made(scores, **changes):
    """Records by method and seed with these scores."""
    return {
        method: {seed: record(method, seed, score=score, **changes) for seed, score in enumerate(values)}
        for method, values in scores.items()
    }


def setting(scores, **changes):
    return Setting.of("p", {}, {}, made(scores, **changes))


def noisy(level, spread=0.01, seed=0):
    return level + spread * np.random.default_rng(seed).standard_normal(len(SEEDS))


@pytest.mark.parametrize("units", [np.ones(8), np.random.default_rng(1).uniform(0.1, 2.0, 8)])
def test_the_interval_holds_what_the_test_does_not_reject(units):
    differences = 0.4 * units + 0.2 * np.random.default_rng(2).standard_normal(8)
    low, high = sign_flip_interval(differences, units)
    for ratio in np.linspace(low - 1.0, high + 1.0, 41):
        p = sign_flip_test(differences - ratio * units)
        assert (p > 0.05) == (low <= ratio <= high), ratio


def test_an_interval_without_end_is_none():
    assert sign_flip_interval([0.1] * 8, [1.0, -1.0] * 4) is None
    assert sign_flip_interval([0.1] * 8, [0.0] * 8) is None
    assert sign_flip_interval([0.1] * 8, [0.2] * 8) == pytest.approx((0.5, 0.5))
    with pytest.raises(ValueError, match="as many units"):
        sign_flip_interval([1.0], [1.0, 2.0])


def test_one_seed_that_reaches_the_floor_does_not_spoil_the_interval():
    units = np.array([0.3] * 9 + [-0.01])
    low, high = sign_flip_interval(0.5 * units, units)
    assert low <= 0.5 <= high and np.isfinite([low, high]).all()


def test_a_gain_is_a_share_of_what_pfl_leaves():
    there = setting({"pfl": noisy(0.3), "spo-plus": noisy(0.15), "floor": [0.1] * 10})
    gain = gain_of([there], "spo-plus")
    assert gain.value == pytest.approx(0.15 / np.mean(noisy(0.3) - 0.1))
    assert gain.difference == pytest.approx(0.15)
    assert gain.interval[0] <= gain.value <= gain.interval[1]
    assert gain.p_value == pytest.approx(2 / 2**10) and gain.is_found
    assert gain_of([there], "pfl").value == 0.0
    worse = gain_of([there], "pfl", against="spo-plus")
    assert worse.value == pytest.approx(-gain.value)


def test_without_a_floor_the_unit_is_the_whole_regret():
    there = setting({"pfl": [0.4] * 10, "spo-plus": [0.3] * 10})
    assert not there.has_floor and gain_of([there], "spo-plus").value == pytest.approx(0.25)
    half = setting({"pfl": [0.4] * 10, "spo-plus": [0.3] * 10, "floor": [0.1] * 5})
    assert not half.has_floor


def test_at_the_floor_no_gain_is_given():
    pfl = noisy(0.2, 0.001)
    there = setting({"pfl": pfl, "floor": pfl + [1e-6, -1e-6] * 5, "spo-plus": pfl + 0.01})
    gain = gain_of([there], "spo-plus")
    assert gain.value is None and gain.interval is None
    assert gain.difference == pytest.approx(-0.01) and gain.is_found


def test_settings_are_pooled_seed_by_seed():
    one = setting({"pfl": [0.3] * 10, "spo-plus": [0.2] * 10, "floor": [0.1] * 10})
    other = setting({"pfl": [0.7] * 10, "spo-plus": [0.7] * 10})
    pooled = gain_of([one, other], "spo-plus")
    assert pooled.value == pytest.approx(0.1 / (0.2 + 0.7)) and pooled.settings == 2
    assert pooled.difference == pytest.approx(0.05)
    assert gain_of([one, setting({"pfl": [0.7] * 10})], "spo-plus") is None
    assert gain_of([], "spo-plus") is None


def test_few_seeds_have_a_gain_and_no_test():
    there = setting({"pfl": [0.3] * 4, "spo-plus": [0.2] * 4})
    gain = gain_of([there], "spo-plus")
    assert gain.value == pytest.approx(1 / 3) and gain.interval is None and gain.p_value is None
    assert there.found == frozenset()


def test_the_cost_of_a_gain_is_a_multiple_of_that_of_pfl():
    there = setting({"pfl": [0.3] * 6, "spo-plus": [0.2] * 6})
    dear = made({"spo-plus": [0.2] * 6}, solves={"train": 70}, seconds={"train": 3.0})
    gain = gain_of([dataclasses.replace(there, records={**there.records, **dear})], "spo-plus")
    assert (gain.solves, gain.seconds) == (10.0, 2.0)
    elsewhere = made({"spo-plus": [0.2] * 6}, environment={"cpu": "another"})
    gain = gain_of([dataclasses.replace(there, records={**there.records, **elsewhere})], "spo-plus")
    assert gain.seconds is None


def test_a_method_is_scored_on_seeds_that_did_not_choose_it():
    even, odd = [0.1, 0.5] * 5, [0.5, 0.1] * 5  # each is best on one half alone
    chosen = choose(made({"pfl": [0.3] * 10, "spo-plus": even, "pfy": odd}))[CHOSEN]
    assert [r.normalized_regret for r in chosen.values()] == pytest.approx([0.5] * 10)
    assert [r.cell.method for r in chosen.values()] == ["pfy", "spo-plus"] * 5


def test_only_decision_focused_methods_with_all_seeds_are_chosen():
    scores = {
        "pfl": [0.3] * 10,
        "pfl-forest": [0.0] * 10,
        "floor": [0.0] * 10,
        "pfy": [0.0] * 9,
        "dfl": [0.2] * 10,
    }
    chosen = choose(made(scores))[CHOSEN]
    assert {r.cell.method for r in chosen.values()} == {"dfl"}
    assert choose(made({"pfl": [0.3] * 10, "pfl-forest": [0.1] * 10})) == {}
    assert choose(made({"pfl": [0.3] * 3, "dfl": [0.1] * 3})) == {}


def test_the_choice_has_no_bias_where_all_methods_are_equal():
    names = ("spo-plus", "pfy", "map-c", "dfl", "lancer")
    base = made(dict.fromkeys(("pfl", *names), [1.0] * 10))
    rng = np.random.default_rng(0)
    gains, naive = [], []
    for _ in range(60):
        drawn = {
            name: {
                seed: dataclasses.replace(r, regret=r.regret * rng.normal(0.5, 0.1))
                for seed, r in rows.items()
            }
            for name, rows in base.items()
        }
        means = {name: np.mean([r.normalized_regret for r in rows.values()]) for name, rows in drawn.items()}
        chosen = np.mean([r.normalized_regret for r in choose(drawn)[CHOSEN].values()])
        gains.append(means["pfl"] - chosen)
        naive.append(means.pop("pfl") - min(means.values()))
    error = np.std(gains) / np.sqrt(len(gains))
    assert abs(np.mean(gains)) < 3 * error
    assert np.mean(naive) > 5 * error  # what the choice avoids


def test_all_methods_of_a_setting_are_tested_at_once():
    scores = {"pfl": noisy(0.3), "spo-plus": noisy(0.2, seed=1), "pfy": noisy(0.3, seed=2)}
    there = setting(scores)
    assert "spo-plus" in there.found and "pfy" not in there.found and CHOSEN in there.found
    assert there.compared == ["spo-plus", "pfy"]
    assert setting({"spo-plus": [0.1] * 10}).compared == []


def test_flips_by_hand():
    differences, units = [1.0, 2.0, 4.0, 3.0, 5.0, 2.5], [1.0, 1.5, 1.0, 2.0, 3.0, 1.0]
    lows = []
    for flipped in product([True, False], repeat=6):
        sides = [[i for i in range(6) if flipped[i] is side] for side in (True, False)]
        ratios = [sum(differences[i] for i in s) / sum(units[i] for i in s) if s else None for s in sides]
        lows.append(-np.inf if None in ratios else min(ratios))
    assert sign_flip_interval(differences, units)[0] == pytest.approx(sorted(lows)[3])
