"""How good is LCGLN's surrogate, and what was it fitted on? Figures on samples that it was not fitted on.

Run as ``python -m dfl_bench.studies.diagnose``, with ``--set sampling_rate=1`` for other settings. R² alone
does not show a useful loss: a lookup on the label, blind to the prediction, scores high on these samples,
and a net of high R² may still lie lower elsewhere than at y.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import methods
from ..contracts.bank import BankCache
from ..contracts.problem import Problem
from ..contracts.seeding import FIRST_TUNING_SEED, rng_for
from ..contracts.task import Task
from ..experiment.protocols import PROTOCOLS, configure
from ..experiment.selection import parse_settings
from ..methods.lcgln import LCGLN
from ..problems import make_problem
from ..training.seed_batch import SeedBatch
from ._figures import alike, cosines, label_means

PROBES = 200  # random predictions an instance
DIRECTIONS = 64  # antithetic pairs of a smoothed gradient
STEP = 0.3  # of the smoothing, in standard deviations of the samples
ALIKE = (
    0.1  # predictions of one step that deviate less between instances, in units of the outcomes' deviation
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Means over seeds; what is said of the loss is measured on held-out samples."""

    alike: float  # share of the sampled steps at which all instances have nearly the same prediction
    r2: float  # share of the variance of the regret explained
    beyond_label: float  # the same, of what the best predictor that sees the label only leaves over
    below_truth: float  # share of instances with a random prediction the loss prefers to the truth
    cosine: float  # between the gradients of the loss and of the smoothed regret, at the samples
    cosine_of_squares: float  # the same, of the squared error


def diagnose(
    problem: Problem, seeds: list[int], protocol: str, settings: Mapping[str, Any] | None = None
) -> Diagnosis:
    """Fit the surrogate of each seed as the method does and measure it.

    Args:
        problem: the problem to fit on.
        seeds: the data seeds.
        protocol: where the method's settings come from, as "paper".
        settings: changes of the method's configuration, by name.
    """
    config = configure(methods.get("lcgln"), problem, protocol, settings or {})
    method: LCGLN = methods.get("lcgln")(config)  # type: ignore[assignment]
    figures = [_one_seed(problem, method, seed) for seed in seeds]
    return Diagnosis(*np.mean(figures, axis=0).tolist())


def _one_seed(problem: Problem, method: LCGLN, seed: int) -> list[float]:
    splits = problem.data(seed)
    task = Task(problem, splits.train, splits.val, seed, cache=BankCache())
    batch = SeedBatch([task])
    samples = method.sample(batch)
    stream = rng_for(problem.name, method.name, seed=seed)
    surrogate = method.fit_loss(batch, samples.y_hat, samples.regret, [stream])
    rows = batch.train
    y_hat, regret = samples.y_hat[0], samples.regret[0]  # (K, n, ...), (K, n)
    k, n = regret.shape
    held = torch.zeros(n * k, dtype=torch.bool).index_fill(0, surrogate.held_out[0], True).view(n, k).mT

    def loss(predictions: Tensor) -> Tensor:
        """(k, n, *targets) to (k, n)."""
        flat = predictions.flatten(0, 1)[None]
        outcomes = rows.y[0].expand_as(predictions).flatten(0, 1)[None]
        return surrogate(flat, outcomes)[0].unflatten(0, predictions.shape[:2])

    error = (loss(y_hat) - regret)[held].square().sum()
    left_by_label = (regret - label_means(rows.y[0], regret, held))[held].square().sum()
    rng = rng_for("diagnose", problem.name, seed=seed)
    pool = y_hat.flatten(0, 1)
    probes = pool[torch.from_numpy(rng.integers(0, len(pool), (PROBES, n)))]
    below = (loss(probes).amin(0) < loss(rows.y)[0]).double().mean()
    return [
        alike(y_hat[1:], rows.y[0]),
        float(surrogate.r2[0]),
        float(1.0 - error / left_by_label),
        float(below),
        *cosines(problem, loss, y_hat, held, rows, rng),
    ]


def main() -> None:
    """Print the table of docs/methods.md."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--protocol", default="paper", choices=PROTOCOLS)
    parser.add_argument(
        "--problem", nargs="+", default=["inventory", "budget", "portfolio", "portfolio-synthetic"]
    )
    parser.add_argument(
        "--problem-set", nargs="+", default=[], help="a setting of the problem, as fake_targets=0"
    )
    parser.add_argument("--set", nargs="+", default=[], help="a setting of lcgln, as sampling_rate=1")
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 1000 on: no score uses them")
    given = parser.parse_args()
    torch.set_num_threads(1)
    settings = parse_settings(given.set)
    print("| problem | samples alike | held-out R² | R² beyond the label | lower than at the truth ", end="")
    print("| gradient cosine | that of the squared error |")
    print("|---|---|---|---|---|---|---|")
    for name in given.problem:
        problem = make_problem(name, **parse_settings(given.problem_set, "--problem-set"))
        seeds = list(range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + given.seeds))
        d = diagnose(problem, seeds, given.protocol, settings)
        print(
            f"| {name} | {d.alike:.0%} | {d.r2:.2f} | {d.beyond_label:.2f} | {d.below_truth:.0%} "
            f"| {d.cosine:.2f} | {d.cosine_of_squares:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
