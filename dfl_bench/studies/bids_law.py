"""The law of the bids beside the tables it was fitted to, and what PFL scores at both ends of the fit.

Run as ``python -m dfl_bench.studies.bids_law``. The tables are those of Wilder, Dilkina and Tambe, "Melding
the data-decisions pipeline" (AAAI 2019), whose instances have 100 websites and 500 users. PFL is trained on
seeds from 1000 on, which no score uses.
"""

import argparse
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

import numpy as np
from scipy.stats import norm

from .. import methods
from ..contracts.seeding import FIRST_TUNING_SEED
from ..contracts.threads import one_thread
from ..data.bids import HIGHEST_RATE, LAW, OTHER_END, BidLaw, draw_bids
from ..experiment.protocols import configure
from ..problems import make_problem
from ..results.papers import load_paper
from ..results.statistics import mean_sem
from ..run.evaluate import evaluate_batch
from ..show.format import score

# Expected number of users reached by k websites: chosen at random, and by the best method.
RANDOM = {5: 9.69, 10: 18.92, 20: 36.13}
BEST = {5: 49.18, 10: 72.62, 20: 98.95}
# Mean squared error of the network whose choices are as good as random ones: it predicts (nearly) zero.
ZERO_ERROR = 5.30e-4
USERS = 500
FAKES = (0, 5, 50, 500)
CASES = (
    ("pfl", "default", "users", "published"),
    ("pfl", "other end", "users", "published"),
    ("pfl", "default", "all", "published"),
    ("pfl", "default", "users", "scaled"),
    ("pfl", "other end", "users", "scaled"),
    ("pfl", "default", "all", "scaled"),
    ("constant", "default", "users", "scaled"),
)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


def _presence(law: BidLaw) -> np.ndarray:
    """The probability of a pair with a random website, at the quadrature nodes of a user's interest."""
    height = law.level + law.users * _NODES - law.users**2 / 2  # log of what multiplies a website's reach
    s = law.websites
    # E min(1, e^(height + s·N)): below the bound the mean of a cut lognormal, above it 1.
    return np.exp(height + s**2 / 2) * norm.cdf(-height / s - s) + norm.cdf(height / s)


def _over_users(values: np.ndarray) -> float:
    return float(_WEIGHTS @ values / _WEIGHTS.sum())


def density(law: BidLaw) -> float:
    """Return the share of pairs that are in the log."""
    return _over_users(_presence(law))


def overlap_ratio(law: BidLaw) -> float:
    """Return how many more users two websites share than by independence."""
    return _over_users(_presence(law) ** 2) / density(law) ** 2


def random_choice(law: BidLaw, k: int) -> float:
    """Return the expected number of users that k random websites reach."""
    return USERS * _over_users(1.0 - (1.0 - HIGHEST_RATE / 2 * _presence(law)) ** k)


def greedy(instances: np.ndarray, most: int) -> np.ndarray:
    """Return how many users the greedy choice of 1, 2, ... websites reaches, (n, most)."""
    rates, rows = instances.copy(), np.arange(len(instances))
    missed = np.ones((len(instances), instances.shape[-1]))
    reached = np.empty((len(instances), most))
    for i in range(most):
        best = np.einsum("nwu,nu->nw", rates, missed).argmax(-1)
        missed *= 1.0 - rates[rows, best]
        rates[rows, best] = 0.0
        reached[:, i] = (1.0 - missed).sum(-1)
    return reached


def without_a_pair(instances: np.ndarray) -> float:
    """Return the share of instances whose rates are all zero."""
    return float((~instances.any((1, 2))).mean())


def statistics(law: BidLaw, instances: int = 400) -> Iterator[tuple[str, str, str]]:
    """Yield what the tables tell, what they print, and what the law has."""
    rng = np.random.default_rng(0)
    drawn, cuts = draw_bids(law, rng, instances, 100, USERS), draw_bids(law, rng, 100_000, 5, 10)
    sums, reached = drawn.sum(-1), greedy(drawn, max(BEST))
    error = reached.std(0, ddof=1) / instances**0.5
    yield "density", "3.98 %, by the error of zero", f"{density(law):.2%}"
    yield "error of predicting zero", f"{ZERO_ERROR:.2e}", f"{density(law) * HIGHEST_RATE**2 / 3:.2e}"
    for k, published in RANDOM.items():
        yield f"users reached by {k} random websites", f"{published}", f"{random_choice(law, k):.2f}"
    for k, published in BEST.items():
        yield (
            f"by the {k} best (greedy)",
            f"at least {published}",
            f"{reached[:, k - 1].mean():.1f} ± {error[k - 1]:.1f}",
        )
    yield (
        "users that two websites share, 1 is independence",
        "2.36, by the random ones",
        f"{overlap_ratio(law):.2f}",
    )
    yield "websites with a sum below 1", "“the bulk”", f"{(sums < 1).mean():.0%}"
    yield "5 × 10: instances that are all zero", "", f"{without_a_pair(cuts):.0%}"
    yield "5 × 10: websites that are all zero", "", f"{(cuts.sum(-1) == 0).mean():.0%}"


def scores(method: str, seeds: int, **settings: Any) -> list[str]:
    """Return a method's normalized regret for each number of fake targets, mean ± SEM over the seeds.

    Args:
        method: its name; settings are those of protocol `paper`.
        seeds: how many, from the first tuning seed on.
        **settings: of the problem.
    """
    cells = []
    for fakes in FAKES:
        problem = make_problem("budget", fake_targets=fakes, **settings)
        fitted = methods.get(method)(configure(methods.get(method), problem, "paper", {}))
        results = evaluate_batch(fitted, problem, range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + seeds))
        cells.append(score(*mean_sem([r.normalized_regret for r in results])))  # type: ignore[union-attr]
    return cells


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    seeds = parser.parse_args().seeds
    ends = {"default": LAW, "other end": OTHER_END}
    print("| | published | " + " | ".join(f"{n}: {_numbers(law)}" for n, law in ends.items()) + " |")
    print("|---|---|" + "---|" * len(ends))
    for lines in zip(*map(statistics, ends.values()), strict=True):
        name, published, _ = lines[0]
        print(f"| {name} | {published} | " + " | ".join(ours for *_, ours in lines) + " |")
    print("\n| method, law, features, predictor | " + " | ".join(f"{fakes} fakes" for fakes in FAKES) + " |")
    print("|---|" + "---|" * len(FAKES))
    print(f"| PFL in the LCGLN paper | {' | '.join(_in_the_paper())} |")
    with one_thread():
        for method, end, features, predictor in CASES:
            law = astuple(ends[end])
            cells = scores(method, seeds, law=law, features=features, predictor=predictor)
            print(f"| {method}, {end}, {features}, {predictor} | {' | '.join(cells)} |", flush=True)


def _in_the_paper() -> Iterator[str]:
    for p in load_paper().numbers:
        if (p.table, p.method) == ("fake_targets", "pfl"):
            yield score(p.mean, p.sem)


def _numbers(law: BidLaw) -> str:
    return f"{law.websites:g}, {law.users:g}, {law.level:g}".replace("-", "−")


if __name__ == "__main__":
    main()
