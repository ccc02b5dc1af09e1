"""What is concluded from records: the answer, cautions and the recommendation."""

import re

import numpy as np
import pytest

from dfl_bench.errors import DflBenchError
from dfl_bench.results.advice import Advice
from dfl_bench.show.advice import advice_text
from dfl_bench.show.next_step import Asked
from tests.support import made

BESIDE = {"pfl": 0.30, "constant": 0.60}


def records(levels, seeds=6, noise=0.01, **changes):
    """Records of some methods at given levels, with noise in common and of their own."""
    rng = np.random.default_rng(0)
    common = rng.normal(0.0, noise, seeds)
    return [
        made.record(name, seed, level + common[seed] + rng.normal(0.0, noise / 4), problem="shop", **changes)
        for name, level in (BESIDE | levels).items()
        for seed in range(seeds)
    ]


def advice(levels, shared=0.0, **changes):
    return Advice.of(records(levels, **changes), baseline="pfl", shared=shared)


def text(found):
    return advice_text(found, Asked("--problem-file mine.py:problem"))


def test_yes():
    found = advice({"spo-plus": 0.24, "lcgln-plus": 0.29, "floor": 0.2})
    assert (found.verdict, found.best.method, found.recommended) == ("yes", "spo-plus", "spo-plus")
    low, high = found.best.gain.share_interval
    assert low < 0.2 < high and found.over_constant.verdict == "better" and not found.has_nothing_to_win
    said = text(found)
    assert said.startswith("Yes: spo-plus decides 20 % better than pfl (95 % interval 1")
    assert "6 seeds)" in said and "It holds for 2 methods at once." in said
    left = re.search(r"The floor, which knows .*, has (0\.\d+): at most (0\.\d+) is left", said)
    assert float(left[1]) == pytest.approx(0.2, abs=0.02) and float(left[2]) == pytest.approx(0.04, abs=0.01)
    run = "dfl-bench run --problem-file mine.py:problem --method pfl --method spo-plus --seeds 10"
    assert said.endswith(f"Recommendation: train with spo-plus.\nNext: {run}")
    assert advice_text(found).endswith('Next: dfl_bench.fit("spo-plus", problem)')


def test_one_that_is_as_good_is_named_with_its_time():
    given = records({"spo-plus": 0.24, "lcgln-plus": 0.2425, "dfl": 0.28})
    found = Advice.of(given, baseline="pfl", shared=0.0)
    assert found.best.method == "spo-plus" and [line.method for line in found.as_good] == ["lcgln-plus"]
    assert "Not provably worse than spo-plus: lcgln-plus, which took 1.50 s for a fit" in text(found)


def test_a_gain_can_be_ruled_out():
    found = advice({"spo-plus": 0.2995, "lcgln-plus": 0.31}, noise=0.002)
    assert found.verdict == "open" and found.rules_out_a_gain and found.recommended == "pfl"
    said = text(found)
    assert "A gain of 5 % or more can be ruled out" in said and "Needed" not in said
    assert "Next: dfl-bench run --problem-file mine.py:problem --method pfl --method pfl-forest" in said


def test_no():
    found = advice({"spo-plus": 0.36, "lcgln-plus": 0.45})
    assert (found.verdict, found.best.method, found.recommended) == ("no", "spo-plus", "pfl")
    said = text(found)
    assert said.startswith(
        "No: prediction-focused training is better here. spo-plus decides 20 % worse than pfl"
    )
    assert "How much of that can be known from features is not known." in said


def test_one_that_is_worse_and_one_that_is_uncertain_are_no_proof():
    found = advice({"spo-plus": 0.301, "lcgln-plus": 0.45})
    assert (found.verdict, found.recommended) == ("open", "pfl")
    assert text(found).startswith("Not provably: spo-plus, the best of them, decides ")


def test_an_open_answer_says_what_is_needed():
    mixed = [0.31, 0.27, 0.33, 0.24, 0.30, 0.26]
    base = records({})
    given = [*base, *(made.record("spo-plus", s, score, problem="shop") for s, score in enumerate(mixed))]
    alone = Advice.of(given, baseline="pfl", shared=0.0)
    assert alone.verdict == "open" and 6 < alone.needed.pairs < 100
    said = text(alone)
    assert f"four times out of five: about {alone.needed.pairs} seeds." in said
    assert "Recommendation: ask again with more seeds before you choose." in said
    assert "spo-plus has the lowest mean of the others." in said
    assert f"Next: dfl-bench advise --problem-file mine.py:problem --seeds {alone.needed.pairs}" in said
    together = Advice.of(given, baseline="pfl", shared=0.2)
    assert together.best.gain.p_value > alone.best.gain.p_value and together.needed.pairs is None
    said = text(together)
    assert "times as many rows; more seeds alone are not enough, because they share rows." in said
    assert (
        "Two seeds draw from the same rows, which counts as 20 % of their test rows in common" in said
        and "dfl-bench run" in said
    )


def test_features_that_say_nothing():
    found = advice({"spo-plus": 0.55, "pfl": 0.62, "constant": 0.55})
    assert (found.verdict, found.is_near_constant, found.recommended) == ("yes", True, "constant")
    assert "Caution: no method is provably better than a constant" in text(found)
    assert "--method constant --method pfl --method pfl-forest --seeds 10" in text(found)


def test_better_than_a_constant_on_average_without_proof():
    wild = {"constant": [0.3, 0.9, 0.2, 0.8, 0.25, 0.35], "pfl": [0.3, 0.25, 0.28, 0.27, 0.3, 0.31]}
    given = [made.record(n, s, v, problem="shop") for n, values in wild.items() for s, v in enumerate(values)]
    given += [
        made.record("dfl", s, v, problem="shop") for s, v in enumerate([0.31, 0.24, 0.29, 0.26, 0.31, 0.3])
    ]
    found = Advice.of(given, baseline="pfl", shared=0.0)
    assert found.over_constant.verdict == "open" and found.recommended == "pfl"
    assert "provably better than a constant prediction. It seems that the rows are too few." in text(found)


@pytest.mark.parametrize("floor", [{}, {"floor": 0.296}])
def test_nothing_to_win(floor):
    levels = {"spo-plus": 0.0005, "pfl": 0.001} if not floor else {"spo-plus": 0.297, "pfl": 0.298} | floor
    found = advice(levels, noise=1e-5)
    assert found.has_nothing_to_win and found.recommended == "pfl" and found.verdict == "yes"
    assert "Caution: pfl loses next to nothing" in text(found)


def test_failures_are_told_and_left_out():
    given = [r for r in records({"spo-plus": 0.24, "dfl": 0.2}) if r.cell.method != "dfl"]
    given = [r for r in given if (r.cell.method, r.cell.seed) != ("spo-plus", 3)]
    given += [
        made.failure("spo-plus", 3, problem="shop"),
        *(made.failure("dfl", s, problem="shop") for s in range(6)),
    ]
    found = Advice.of(given, baseline="pfl", shared=0.0, refused={"lcgln-plus": "it is shy"})
    assert found.verdict == "yes" and found.best.gain.pairs == 5
    said = text(found)
    assert "spo-plus has no score in 1 of 6 fits, which are left out: Boom: it broke" in said
    assert (
        "dfl has no score in 6 of 6 fits" in said and "dfl" in said.partition("\n\n")[2].partition("\n\n")[0]
    )
    assert "Not run: lcgln-plus, n/a: it is shy." in said


def test_without_candidates_or_baseline():
    found = advice({})
    assert found.verdict == "no candidate" and found.recommended == "pfl"
    assert text(found).startswith("It cannot be said: no decision-focused method has scores on shop.")
    broken = [r for r in records({"spo-plus": 0.2}) if r.cell.method != "pfl"]
    with pytest.raises(DflBenchError, match="no answer without two scores of pfl: Boom: it broke"):
        Advice.of([*broken, made.failure("pfl", 0)], baseline="pfl", shared=0.0)


def fixed(method, seed, level, rows=60, dates=0.0):
    """A record on rows that all seeds have in common; `dates` is how much the level moves along them."""
    worst = np.ones(rows)
    along = dates * np.sign(np.sin(np.arange(rows) / rows * 6 * np.pi))
    regret = worst * level + along + 0.01 * np.random.default_rng(seed).standard_normal(rows)
    return made.record(method, seed, problem="shop", regret=regret, worst_regret=worst)


def test_the_same_test_rows_in_every_seed_are_compared_by_blocks():
    """Six starts that agree are no proof: on these rows the better method changes with the date."""
    levels = {"pfl": (0.5, 0.0), "constant": (0.9, 0.0), "spo-plus": (0.45, 0.3)}
    given = [fixed(name, s, level, dates=d) for name, (level, d) in levels.items() for s in range(6)]
    found = Advice.of(given, baseline="pfl", shared=1.0)
    assert (found.verdict, found.pairs, found.best.gain.pairs) == ("open", "blocks", 10)
    assert "all seeds have the same 60 test rows" in text(found) and "10 blocks of test rows)" in text(found)
    assert found.best.gain.saved == pytest.approx(0.05, abs=0.01)
    steady = [fixed(name, s, level) for name, (level, _) in levels.items() for s in range(2)]
    assert Advice.of(steady, baseline="pfl", shared=1.0).verdict == "yes"


def test_several_problems_are_pairs():
    """Each is fitted with two seeds, which are averaged; what differs from date to date is what counts."""
    levels = {"pfl": [0.5] * 6, "constant": [0.9] * 6, "spo-plus": [0.45, 0.4, 0.44, 0.42, 0.46, 0.41]}
    given = [
        made.record(name, seed, level + 0.01 * seed, problem="shop", problem_config={"date": date})
        for name, scores in levels.items()
        for date, level in enumerate(scores)
        for seed in range(2)
    ]
    found = Advice.of(given, baseline="pfl", shared=0.0)
    assert (found.verdict, found.pairs, found.best.gain.pairs, found.fits) == ("yes", "problems", 6, 12)
    assert found.best.gain.saved == pytest.approx(0.07) and "6 problems)" in text(found)


def test_too_few_rows_of_a_fixed_split():
    given = [fixed(name, s, 0.5, rows=20) for name in ("pfl", "constant") for s in range(6)]
    with pytest.raises(DflBenchError, match="all seeds have the same 20 test rows, too few"):
        Advice.of(given, baseline="pfl", shared=1.0)
