"""What holds LCGLN back on budget: from the first version of this suite one change at a time.

Run as ``python -m dfl_bench.studies.limits_of_lcgln``; it takes ten minutes. Every line adds to the one above
it, and the last ones take one thing away again. Regrets are those of the remaining rows of tuning seeds: no
score uses them.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lcgln.surrogate import Surrogate

from .. import methods
from ..contracts.bank import BankCache
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.seeding import FIRST_TUNING_SEED
from ..experiment.protocols import configure
from ..methods.lcgln import LCGLN
from ..problems import make_problem
from ..run.evaluate import evaluate_batch
from ..run.scoring import Result
from ..training.seed_batch import SeedBatch

FIRST = {"sampling_rate": 1.0, "hold_out": "instances", "learning_rate": 1e-2}
CHANGES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("first version: sampling rate 1, instances held out, 2 nodes, rate 0.001", {}),
    ("sampling rate 0.1", {"sampling_rate": 0.1}),
    ("samples held out", {"hold_out": "samples"}),
    ("rate 0.01 of the loss network", {"surrogate_rate": 1e-2}),
    ("anchored", {"anchored": True}),
    ("the authors' network", {"form": "authors"}),
    ("4 trajectories", {"trajectories": 4}),
)
APART: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("all of these but the anchor", {"anchored": False}),
    ("all of these, but the loss is not fitted", {"surrogate_steps": 1, "surrogate_rate": 1e-12}),
)


def ladder(samples: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the lines of the table: what is new in each, and all its settings."""
    settings: dict[str, Any] = {**FIRST, "samples": samples}
    lines = []
    for name, change in CHANGES:
        settings = {**settings, **change}
        lines.append((name, settings))
    return lines + [(name, {**settings, **change}) for name, change in APART]


class Watched(LCGLN):
    """LCGLN that keeps the loss it has fitted, to be looked at."""

    def fit_loss(
        self, batch: SeedBatch, y_hat: Tensor, regret: Tensor, rngs: Sequence[np.random.Generator]
    ) -> Surrogate:
        """Return the loss network of every seed, and keep it.

        Args:
            batch: the seeds.
            y_hat: sampled predictions.
            regret: their regrets.
            rngs: one stream for each seed.
        """
        self.fitted = super().fit_loss(batch, y_hat, regret, rngs)
        return self.fitted


def results_of(method: Method, problem: Problem, seeds: Sequence[int], cache: BankCache) -> list[Result]:
    """Return the results of all seeds; one that failed raises.

    Args:
        method: a configured method.
        problem: the problem.
        seeds: which seeds, trained together.
        cache: labelled samples that several calls share.
    """
    results = []
    for result in evaluate_batch(method, problem, seeds, cache=cache):
        if not isinstance(result, Result):
            raise result
        results.append(result)
    return results


def distance(problem: Problem, seeds: Sequence[int], results: Sequence[Result]) -> float:
    """Return how far predictions lie from outcomes, in standard deviations of the outcomes.

    Args:
        problem: the problem.
        seeds: its seeds.
        results: what a method reached on each of them.
    """
    parts = zip((problem.data(seed).test.y for seed in seeds), results, strict=True)
    return float(np.mean([np.sqrt(np.mean((r.predictions - y) ** 2)) / y.std() for y, r in parts]))


def main() -> None:
    """Print the table of docs/methods.md."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--fakes", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--samples", type=int, default=32)
    given = parser.parse_args()
    torch.set_num_threads(1)
    problem = make_problem("budget", data="clicks", fake_targets=given.fakes)
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + given.seeds)
    cache = BankCache()
    pfl_class = methods.get("pfl")
    pfl_config = configure(pfl_class, problem, "paper", {"learning_rate": FIRST["learning_rate"]})
    pfl = results_of(pfl_class(pfl_config), problem, seeds, cache)
    base = np.array([r.normalized_regret for r in pfl])
    print("| | regret | less PFL's, paired | distance | held-out R² | step kept |")
    print("|---|---|---|---|---|---|")
    print(f"| `pfl` | {_with_error(base)} | | {distance(problem, seeds, pfl):.1f} | | |", flush=True)
    for name, settings in ladder(given.samples):
        method = Watched(configure(Watched, problem, "paper", settings))
        results = results_of(method, problem, seeds, cache)
        regret = np.array([r.normalized_regret for r in results])
        print(
            f"| {name} | {_with_error(regret)} | {_with_error(regret - base)} "
            f"| {distance(problem, seeds, results):.1f} | {float(method.fitted.r2.mean()):.2f} "
            f"| {float(method.fitted.step.mean()):.0f} |",
            flush=True,
        )


def _with_error(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


if __name__ == "__main__":
    main()
