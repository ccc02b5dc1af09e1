"""Measure the lines the scores are read against: ``python -m dfl_bench.studies.reference_lines``.

Prints normalized regret over data seeds 0, 1, ... of policies that train nothing: the floor or conditional
mean where it is known, the training mean, zero, noise, the truth. `--first 1000` takes the seeds of searches,
`--problem-set risk=published` a setting of the problem.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Splits
from ..data.market import Market
from ..data.stock_features import HISTORY
from ..experiment.selection import parse_settings
from ..problems import make_problem
from ..problems._market import MarketProblem

Policy = Callable[[Any, Splits, int], np.ndarray]

_UNTRAINED = 0.1


def _noise(problem: Problem, data: Splits, seed: int) -> np.ndarray:
    rng = rng_for("reference", "noise", seed=seed)
    return data.train.y.std() * rng.standard_normal(data.test.y.shape)


def _half_truth(problem: Problem, data: Splits, seed: int) -> np.ndarray:
    return (data.test.y + _noise(problem, data, seed)) / 2


def _untrained(per_day: bool) -> Policy:
    """Numbers of the size that a tanh network gives before it is trained: for each day anew, or once."""

    def policy(problem: Problem, data: Splits, seed: int) -> np.ndarray:
        y, rng = data.test.y, rng_for("reference", "untrained", seed=seed)
        return _UNTRAINED * np.broadcast_to(rng.standard_normal(y.shape if per_day else y.shape[1:]), y.shape)

    return policy


def _known_mean(problem: MarketProblem, data: Splits, seed: int) -> np.ndarray:
    market, test = problem.market(seed), problem.config.parts[2]
    assert isinstance(market, Market) and market.expected is not None
    # A row of day t has the return of day t + 1.
    return market.expected[HISTORY:][test]


def _training_mean(problem: Problem, data: Splits, seed: int) -> np.ndarray:
    return np.broadcast_to(data.train.y.mean(0), data.test.y.shape)


_MARKET: dict[str, Policy] = {
    "zero": lambda problem, data, seed: np.zeros_like(data.test.y),
    "training mean of each stock": _training_mean,
    "noise": _noise,
    "half truth, half noise": _half_truth,
    "truth": lambda problem, data, seed: data.test.y,
}
POLICIES: dict[str, dict[str, Policy]] = {
    "inventory": {
        "floor: true p(y|x)": lambda problem, data, seed: problem.floor(data.test),
        "training frequencies": _training_mean,
    },
    "budget": {
        "training mean of each entry": _training_mean,
        "noise": _noise,
    },
    "energy": {
        "training mean of each slot": _training_mean,
        "noise": _noise,
    },
    "portfolio": {
        **_MARKET,
        "noise of size 0.1": _untrained(per_day=True),
        "constants of size 0.1": _untrained(per_day=False),
    },
    "portfolio-synthetic": {**_MARKET, "conditional mean": _known_mean},
}


def normalized_regrets(problem: Problem, policies: Mapping[str, Policy], seeds: range) -> np.ndarray:
    """Return Σ test regret / Σ worst regret, (policies, seeds).

    Args:
        problem: the problem to score on.
        policies: by name; each takes a problem, its rows and a seed; returns predictions for the test rows.
        seeds: the data seeds.
    """
    return np.array([_scores(problem, policies.values(), seed) for seed in seeds]).T


def _scores(problem: Problem, policies: Iterable[Policy], seed: int) -> list[float]:
    data = problem.data(seed)
    y, context = data.test.y, data.test.context
    worst = problem.worst_regret(y, context).sum()
    return [problem.regret(policy(problem, data, seed), y, context).sum() / worst for policy in policies]


def main() -> None:
    """Print one row a policy: mean, standard deviation, lowest and highest score over the seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", choices=list(POLICIES), action="append")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--problem-set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    print("| problem | policy | mean | SD | lowest | highest |\n|---|---|---|---|---|---|")
    for name in options.problem or POLICIES:
        problem = make_problem(name, **parse_settings(options.problem_set, "--problem-set")).in_training
        scores = normalized_regrets(problem, POLICIES[name], seeds)
        for label, s in zip(POLICIES[name], scores, strict=True):
            cells = (s.mean(), s.std(ddof=1), s.min(), s.max())
            print(f"| {name} | {label} | " + " | ".join(f"{value:.3f}" for value in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
