"""What the parts of `lcgln-plus` bring where costs are linear.

Run as ``python -m dfl_bench.studies.decisions_as_features``. Prints normalized regret on tuning seeds beside
`pfl` and `spo-plus`, with the paired difference to the lower of the two.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import methods
from ..contracts.problem import Problem
from ..experiment.protocols import configure
from ..problems import make_problem
from ..run.evaluate import evaluate_batch

FIRST_SEED = 1000  # seeds below it score, those from it on are for choices
SETTINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "shortest-path degree 8, n = 100": ("shortest-path", {"degree": 8, "n_train": 100}),
    "shortest-path degree 8, n = 400": ("shortest-path", {"degree": 8, "n_train": 400}),
    "shortest-path degree 4, n = 100": ("shortest-path", {"degree": 4, "n_train": 100}),
    "knapsack, n = 200": ("knapsack", {"n_train": 200}),
    "top-k, n = 200": ("top-k", {"n_train": 200}),
    "inventory": ("inventory", {}),
    "portfolio-synthetic": ("portfolio-synthetic", {}),
}
VARIANTS: Sequence[Mapping[str, Any]] = (
    {},
    {"fitted": False},
    {"start": False},
    {"prediction_weight": 0.0},
    {"on_policy": 0.0},
    {"pieces": 4},
    {"fade": False},
    {"reach": 0.0},
    {"rounds": 1},
    {"pool_shared": 0},
    {"pool_own": False},
)


def scores(problem: Problem, method: str, settings: Mapping[str, Any], seeds: Sequence[int]) -> np.ndarray:
    """Return the normalized regret of each seed; NaN for one that failed.

    Args:
        problem: the problem to fit on.
        method: its name.
        settings: what differs from its defaults.
        seeds: the data seeds.
    """
    cls = methods.get(method)
    results = evaluate_batch(cls(configure(cls, problem, "paper", settings)), problem, seeds)
    return np.array([getattr(result, "normalized_regret", np.nan) for result in results])


def main() -> None:
    """Print one row for each method or variant."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--setting", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--defaults", action="store_true", help="leave out the variants")
    given = parser.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
    print("| setting | method | normalized regret | less the lower of pfl and spo-plus |\n|---|---|---|---|")
    for setting in given.setting:
        name, settings = SETTINGS[setting]
        problem = make_problem(name, **settings)
        rivals = {rival: scores(problem, rival, {}, seeds) for rival in ("pfl", "spo-plus")}
        lower = min(rivals.values(), key=lambda values: values.mean())

        def show(label: str, values: np.ndarray, setting: str = setting, lower: np.ndarray = lower) -> None:
            cells = (with_error(values), "" if values is lower else with_error(values - lower))
            print(f"| {setting} | {label} | {' | '.join(cells)} |", flush=True)

        for rival, values in rivals.items():
            show(rival, values)
        for variant in VARIANTS[: 1 if given.defaults else None]:
            changed = ", ".join(f"{name}={value}" for name, value in variant.items())
            show(f"lcgln-plus {changed}".rstrip(), scores(problem, "lcgln-plus", variant, seeds))


def with_error(values: np.ndarray) -> str:
    """Write a mean with its standard error.

    Args:
        values: one for each seed.
    """
    return f"{values.mean():.4f} ± {values.std(ddof=1) / len(values) ** 0.5:.4f}"


if __name__ == "__main__":
    main()
