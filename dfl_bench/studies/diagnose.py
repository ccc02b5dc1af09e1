"""How good is LCGLN's surrogate? Four figures on instances it was not fitted on.

Run as ``python -m dfl_bench.studies.diagnose``. R² alone does not show a useful loss: a lookup on the
label, blind to the prediction, scores high on these samples, and a net of high R² may
still lie lower elsewhere than at y.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .. import methods
from ..contracts.bank import BankCache
from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Split
from ..contracts.task import Task
from ..experiment.protocols import PROTOCOLS, configure
from ..methods.lcgln import LCGLN
from ..problems import make_problem
from ..training.seed_batch import SeedBatch

PROBES = 200  # random predictions an instance
DIRECTIONS = 64  # antithetic pairs of a smoothed gradient
STEP = 0.3  # of the smoothing, in standard deviations of the samples


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Means over seeds, on held-out instances."""

    r2: float  # share of the variance of the regret explained
    beyond_label: float  # the same, of what the best predictor that sees the label only leaves over
    below_truth: float  # share of instances with a random prediction the loss prefers to the truth
    cosine: float  # between the gradients of the loss and of the smoothed regret, at the samples


def diagnose(problem: Problem, seeds: list[int], protocol: str) -> Diagnosis:
    """Fit the surrogate of each seed as the method does and measure it.

    Args:
        problem: the problem to fit on.
        seeds: the data seeds.
        protocol: where the method's settings come from, as "paper".
    """
    method: LCGLN = methods.get("lcgln")(configure(methods.get("lcgln"), problem, protocol, {}))  # type: ignore[assignment]
    figures = [_one_seed(problem, method, seed) for seed in seeds]
    return Diagnosis(*np.mean(figures, axis=0).tolist())


def _one_seed(problem: Problem, method: LCGLN, seed: int) -> list[float]:
    splits = problem.data(seed)
    task = Task(problem, splits.train, splits.val, seed, cache=BankCache())
    batch = SeedBatch([task])
    samples = method.sample(batch)
    stream = rng_for(problem.name, method.name, seed=seed)
    surrogate = method.fit_loss(batch, samples.y_hat, samples.regret, [stream])
    held = surrogate.held_out[0]
    rows = batch.train[:, held]
    y_hat, regret = samples.y_hat[0][:, held], samples.regret[0][:, held]  # (K, n, ...), (K, n)

    def loss(predictions: Tensor) -> Tensor:
        """(k, n, *targets) to (k, n)."""
        flat = predictions.flatten(0, 1)[None]
        outcomes = rows.y[0].expand_as(predictions).flatten(0, 1)[None]
        return surrogate(flat, outcomes)[0].unflatten(0, predictions.shape[:2])

    error = (loss(y_hat) - regret).square().sum()
    left_by_label = (regret - _label_means(rows.y[0], regret)).square().sum()
    rng = rng_for("diagnose", problem.name, seed=seed)
    pool = y_hat.flatten(0, 1)
    probes = pool[torch.from_numpy(rng.integers(0, len(pool), (PROBES, len(held))))]
    below = (loss(probes).amin(0) < loss(rows.y)[0]).double().mean()
    return [
        float(surrogate.r2[0]),
        float(1.0 - error / left_by_label),
        float(below),
        _cosine(problem, loss, y_hat[-1], rows, rng),
    ]


def _label_means(y: Tensor, regret: Tensor) -> Tensor:
    """The best any predictor of the label alone could say of these samples: the mean regret of each label."""
    _, label = np.unique(y.flatten(1).numpy(), axis=0, return_inverse=True)
    index = torch.from_numpy(label.reshape(-1))
    n_labels = int(index.max()) + 1
    totals = torch.zeros(n_labels, dtype=regret.dtype).index_add(0, index, regret.mean(0))
    counts = torch.zeros(n_labels, dtype=regret.dtype).index_add(
        0, index, torch.ones(len(index), dtype=regret.dtype)
    )
    return (totals / counts)[index]


def _cosine(
    problem: Problem, loss: Callable[[Tensor], Tensor], at: Tensor, rows: Split, rng: np.random.Generator
) -> float:
    """Mean cosine of ∇L and the gradient of the smoothed regret, over the instances that have one."""
    at = at.clone().requires_grad_()
    (slope,) = torch.autograd.grad(loss(at[None]).sum(), at)
    at = at.detach()
    noise = torch.from_numpy(rng.standard_normal((DIRECTIONS, *at.shape)))
    width = STEP * at.std()
    context = {name: values[0] for name, values in rows.context.items()}
    fast = problem.in_training
    rise = fast.regret(at + width * noise, rows.y[0], context) - fast.regret(
        at - width * noise, rows.y[0], context
    )
    smoothed = (rise.reshape(*rise.shape, *[1] * (at.ndim - 1)) * noise).mean(0).flatten(1)
    some = smoothed.norm(dim=1) > 0.0
    cosines = torch.nn.functional.cosine_similarity(slope.flatten(1)[some], smoothed[some], dim=1)
    return float(cosines.mean())


def main() -> None:
    """Print the table of docs/methods.md."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--protocol", default="paper", choices=PROTOCOLS)
    parser.add_argument(
        "--problem", nargs="+", default=["inventory", "budget", "portfolio", "portfolio-synthetic"]
    )
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print("| problem | held-out R² | R² beyond the label | lower than at the truth | gradient cosine |")
    print("|---|---|---|---|---|")
    for name in given.problem:
        d = diagnose(make_problem(name), list(range(given.seeds)), given.protocol)
        print(
            f"| {name} | {d.r2:.2f} | {d.beyond_label:.2f} | {d.below_truth:.0%} | {d.cosine:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
