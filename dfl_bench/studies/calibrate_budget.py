"""Choose the parameters of the click-rate generator, data="clicks", by looking at PFL alone.

Run as ``python -m dfl_bench.studies.calibrate_budget``. PFL is trained on seeds from 1000 on (no score uses
them), with 0, 5, 50 and 500 fake targets. The candidate nearest to the paper's row is named, and
`BudgetConfig` has it.
With ``--by-prediction`` regrets are divided as the paper's text says, see `results/papers/lcgln.toml`.
"""

import argparse
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..contracts.seeding import rng_for
from ..contracts.split import Split, stack
from ..problems import make_problem
from ..problems._websites import CALIBRATED, CLICKS

PAPER = {0: 0.128, 5: 0.193, 50: 0.242, 500: 0.513}
FIRST_SEED = 1000
CANDIDATES: tuple[dict[str, float], ...] = tuple(
    dict(zip(CALIBRATED, values, strict=True))
    for values in (
        (0.3, 0.5, 0.0, 0.3, 0.2),
        (0.3, 0.5, 0.3, 0.3, 0.1),
        (0.3, 0.5, 0.0, 0.6, 0.1),
        (0.5, 0.3, 0.0, 0.2, 0.0),
        (0.5, 0.3, 0.0, 0.2, 0.1),
        (0.5, 0.3, 0.0, 0.2, 0.2),
        (0.5, 0.2, 0.0, 0.2, 0.15),
        (0.5, 0.3, 0.0, 0.1, 0.1),
        (0.4, 0.2, 0.0, 0.2, 0.15),
        (0.5, 0.1, 0.0, 0.2, 0.1),
        (0.5, 0.1, 0.0, 0.3, 0.1),
        (0.5, 0.1, 0.3, 0.2, 0.8),
        (0.5, 0.1, 1.0, 0.2, 1.6),
    )
)


class Predictors(torch.nn.Module):
    """One small network a seed, all trained as one batch: (S, n, features) -> (S, n, users)."""

    def __init__(self, seeds: list[int], n_features: int, n_users: int, hidden: int = 10) -> None:
        super().__init__()

        def draw(n_in: int, n_out: int, layer: str) -> torch.nn.Parameter:
            bound = n_in**-0.5
            values = [
                rng_for("calibration", layer, seed=s).uniform(-bound, bound, (n_in + 1, n_out)) for s in seeds
            ]
            return torch.nn.Parameter(torch.from_numpy(np.stack(values)))

        self.first, self.second = draw(n_features, hidden, "first"), draw(hidden, n_users, "second")

    def forward(self, x: Tensor) -> Tensor:
        """Return positive rates in units of the mean label; the last row of a weight is its bias."""
        hidden = torch.relu(x @ self.first[:, :-1] + self.first[:, -1:])
        return torch.nn.functional.softplus(hidden @ self.second[:, :-1] + self.second[:, -1:])


def pfl_regret(
    settings: dict[str, Any], n_seeds: int, steps: int = 2000, *, by_prediction: bool = False
) -> np.ndarray:
    """Return PFL's normalized test regret of each seed, at the weights of best validation regret.

    Args:
        settings: settings of the budget problem, by name.
        n_seeds: how many seeds, from FIRST_SEED on.
        steps: how many training steps.
        by_prediction: on test rows the reference is the worst decision for the prediction, not the outcome.
    """
    problem = make_problem("budget", data=CLICKS, **settings)
    seeds = list(range(FIRST_SEED, FIRST_SEED + n_seeds))
    data = [problem.data(seed) for seed in seeds]
    train, val, test = (stack(parts).to("cpu") for parts in zip(*data, strict=True))
    scale = torch.tensor([problem.label_scale(splits.train) for splits in data], dtype=torch.float64)[
        :, None, None
    ]
    model = Predictors(seeds, train.x.shape[-1], train.y.shape[-1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = train.x.flatten(1, 2), train.y.flatten(1, 2) / scale

    def score(split: Split, by_prediction: bool = False) -> Tensor:
        with torch.no_grad():
            y_hat = problem.project((scale * model(split.x.flatten(1, 2))).view_as(split.y))
            regret = problem.regret(y_hat, split.y, {})
            worst = problem.cost(problem.worst(y_hat if by_prediction else split.y, {}), split.y, {})
        return regret.sum(-1) / (worst - problem.optimal_cost(split.y, {})).sum(-1)

    best, kept = score(val), score(test, by_prediction)
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        # A sum over seeds: each network gets the gradient it would get alone.
        ((model(x) - y) ** 2).mean((1, 2)).sum().backward()
        optimizer.step()
        if step % 50 == 0:
            now = score(val)
            kept = torch.where(now < best, score(test, by_prediction), kept)
            best = torch.minimum(now, best)
    return kept.numpy()


def main() -> None:
    """Print PFL's regret for each candidate and fake-target count, and the candidate nearest to the paper."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--chosen", action="store_true", help="measure the configured parameters only")
    parser.add_argument("--by-prediction", action="store_true", help="divide as the paper's text says")
    options = parser.parse_args()
    torch.set_num_threads(1)
    distances = []
    print(f"| {', '.join(CALIBRATED)} | " + " | ".join(f"{fakes} fakes" for fakes in PAPER) + " | distance |")
    print("|---|" + "---|" * (len(PAPER) + 1))
    print("| paper | " + " | ".join(f"{value:.3f}" for value in PAPER.values()) + " | |")
    for candidate in ({},) if options.chosen else CANDIDATES:
        rows = {
            fakes: pfl_regret(
                {**candidate, "fake_targets": fakes}, options.seeds, by_prediction=options.by_prediction
            )
            for fakes in PAPER
        }
        distances.append(np.sqrt(np.mean([(rows[fakes].mean() - PAPER[fakes]) ** 2 for fakes in PAPER])))
        cells = [f"{r.mean():.3f} ± {r.std(ddof=1) / np.sqrt(len(r)):.3f}" for r in rows.values()]
        name = ", ".join(map(str, candidate.values())) or "as configured"
        print(f"| {name} | {' | '.join(cells)} | {distances[-1]:.3f} |", flush=True)
    if not options.chosen:
        print(f"\nnearest: {CANDIDATES[int(np.argmin(distances))]}")


if __name__ == "__main__":
    main()
