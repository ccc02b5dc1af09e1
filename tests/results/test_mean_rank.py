"""Mean ranks against a slow loop, and their intervals against what is known."""

import numpy as np
import pytest
from scipy.stats import rankdata

from dfl_bench.results.mean_rank import mean_ranks

LEVELS = {"a": 0.0, "b": 0.1, "c": 0.2}


def seeds(*values):
    return dict(enumerate(values))


def constant(score, n=8):
    return dict.fromkeys(range(n), score)


def test_ranks_are_by_the_mean_and_ties_share_one():
    first = {"a": constant(0.1), "b": constant(0.2), "c": constant(0.2)}
    second = {"a": constant(0.9), "b": constant(0.5)}
    found = mean_ranks([first, second])
    assert {name: rank.mean for name, rank in found.items()} == {"a": 1.5, "b": 1.75, "c": 2.5}


def test_without_spread_the_interval_is_that_of_the_problems():
    """Two problems, ranks 1 and 2 whatever seeds are drawn: the mean of two drawn ones is 1, 1.5 or 2."""
    found = mean_ranks([{"a": constant(0.1), "b": constant(0.2)}, {"a": constant(0.2), "b": constant(0.1)}])
    assert found["a"].interval == found["b"].interval == (1.0, 2.0)
    alone = mean_ranks([{"a": constant(0.1), "b": constant(0.2)}])
    assert alone["a"].interval == (1.0, 1.0) and alone["b"].interval == (2.0, 2.0)


def test_the_interval_agrees_with_a_loop():
    rng = np.random.default_rng(0)
    problems = [
        {name: seeds(*(base + level + rng.normal(0, 0.2, 8))) for name, level in LEVELS.items()}
        for base in rng.normal(0, 1, (5, 8))
    ]
    tables = [np.array([list(problem[name].values()) for name in LEVELS]) for problem in problems]
    drawn = []
    for _ in range(1000):
        chosen = [tables[p][:, rng.integers(0, 8, 8)] for p in rng.integers(0, 5, 5)]
        drawn.append(np.mean([rankdata(table.mean(1)) for table in chosen], axis=0))
    expected = np.quantile(drawn, [0.025, 0.975], axis=0)
    found = mean_ranks(problems)
    for i, name in enumerate(LEVELS):  # the mean of five ranks goes in steps of 0.2
        assert found[name].interval == pytest.approx(tuple(expected[:, i]), abs=0.2001)


def test_too_few_seeds_have_no_interval():
    found = mean_ranks([{"a": constant(0.1, 5), "b": constant(0.2)}])
    assert found["a"].interval is None and found["b"].interval == (2.0, 2.0)


def test_a_method_without_a_score_has_no_rank_and_nothing_is_no_error():
    assert mean_ranks([{"a": constant(0.1), "b": {}}, {"b": {}}]).keys() == {"a"}
    assert mean_ranks([]) == mean_ranks([{}]) == {}


def test_other_seeds_than_those_of_the_others():
    """A seed that a method does not have does not count for it; the draw is the same for all."""
    found = mean_ranks([{"a": {s: 0.1 for s in range(6)}, "b": {s: 0.2 for s in range(4, 12)}}])
    assert (found["a"].mean, found["b"].mean) == (1.0, 2.0)


def test_the_interval_is_the_same_every_time():
    rng = np.random.default_rng(2)
    problems = [{name: seeds(*rng.normal(0, 1, 10)) for name in "ab"} for _ in range(3)]
    assert mean_ranks(problems) == mean_ranks(problems)


def test_the_same_scores_share_a_rank():
    """A matrix product rounds the rows at its edge in another way than those before."""
    rng = np.random.default_rng(3)
    for n in range(2, 60):
        same = seeds(*rng.uniform(0, 1, 10))
        found = mean_ranks([{f"m{i}": same for i in range(n)}], resamples=10)
        assert {(rank.mean, rank.interval) for rank in found.values()} == {((n + 1) / 2, ((n + 1) / 2,) * 2)}
