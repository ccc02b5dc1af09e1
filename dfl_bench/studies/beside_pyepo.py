"""One experiment in PyEPO and here: `python -m dfl_bench.studies.beside_pyepo` prints scores and seconds.

Shortest paths on 5 × 5 nodes, noise 0.5, 1,000 training and 1,000 test rows of a tuning seed; SPO+ or NID,
Adam with rate 0.01, batches of 32, 20 passes, the last state. Needs the extra [peers].
"""

# First of all: OR-Tools does not load after cvxpy's highspy.
import pyepo  # isort: skip
from pyepo.func import SPOPlus, negativeIdentity  # isort: skip
from pyepo.model.ort import shortestPathModel  # isort: skip

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader

import dfl_bench
from dfl_bench import LinearProblem, Split, to_pyepo

SETTINGS: dict[str, Any] = {"noise": 0.5, "n_train": 1000, "n_val": 250, "n_test": 1000}
TRAINING: dict[str, Any] = {"learning_rate": 0.01, "batch": 32, "steps": 640, "select": "last"}
PASSES = 20


def identity(model: Any) -> Callable[..., Tensor]:
    """Return the loss of PyEPO's examples for NID: how far objectives are from the best ones."""
    decide = negativeIdentity(model, processes=1)
    return lambda y_hat, c, w, z: ((decide(y_hat) * c).sum(1, keepdim=True) - z).abs().mean()


LOSSES: dict[str, Callable[..., Any]] = {
    "spo-plus": lambda model: SPOPlus(model, processes=1),
    "nid": identity,
}


def with_pyepo(
    method: str, model: Any, train: Split, test: Split, problem: LinearProblem, seed: int
) -> tuple[float, float]:
    """Train by a loss of PyEPO as its tutorials do; return regret in percent of the optimum, and CPU seconds.

    Args:
        method: which loss, by its name here.
        model: PyEPO's, with a solver of its own or with our kernel.
        train: rows to learn from.
        test: rows to be scored on.
        problem: scores the predictions.
        seed: of the initial weights and of the batches.
    """
    torch.manual_seed(seed)  # PyEPO draws from the global stream
    start = time.process_time()
    rows = pyepo.data.dataset.optDataset(model, train.x, train.y)
    network = torch.nn.Linear(train.x.shape[1], train.y.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), lr=TRAINING["learning_rate"])
    loss = LOSSES[method](model)
    for _ in range(PASSES):
        for x, c, w, z in DataLoader(rows, batch_size=32, shuffle=True):
            optimizer.zero_grad()
            loss(network(x), c, w, z).backward()
            optimizer.step()
    seconds = time.process_time() - start
    with torch.no_grad():
        y_hat = network(torch.as_tensor(test.x, dtype=torch.float32)).numpy().astype(np.float64)
    return _percent(problem, y_hat, test), seconds


def with_ours(method: str, problem: LinearProblem, test: Split, seed: int) -> tuple[float, float]:
    """Train by our loss; return as `with_pyepo` does.

    Args:
        method: its name.
        problem: what to train on.
        test: rows to be scored on.
        seed: of the data, of the initial weights and of the batches.
    """
    start = time.process_time()
    result = dfl_bench.evaluate(method, problem, seed=seed, **TRAINING)
    return _percent(problem, result.predictions, test), time.process_time() - start


def _percent(problem: LinearProblem, y_hat: np.ndarray, test: Split) -> float:
    regret = problem.regret(y_hat, test.y, {}).sum()
    return 100.0 * float(regret / np.abs(problem.optimal_cost(test.y, {})).sum())


def main() -> None:
    """Print a line for each of the three ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="from 1000 on: no score uses them")
    parser.add_argument("--method", choices=LOSSES, default="spo-plus")
    parser.add_argument("--degree", type=int, default=4)
    options = parser.parse_args()
    method = options.method
    torch.set_num_threads(1)
    problem = dfl_bench.make_problem("shortest-path", degree=options.degree, **SETTINGS)
    assert isinstance(problem, LinearProblem)
    ways: dict[str, list[tuple[float, float]]] = {}
    dfl_bench.evaluate(method, problem, seed=999, steps=2)  # compiles
    models = {"PyEPO with OR-Tools": shortestPathModel((5, 5)), "PyEPO with our kernel": to_pyepo(problem)}
    for seed in range(1000, 1000 + options.seeds):
        train, _, test = problem.data(seed)
        for name, model in models.items():
            ways.setdefault(name, []).append(with_pyepo(method, model, train, test, problem, seed))
        ways.setdefault("dfl_bench", []).append(with_ours(method, problem, test, seed))
    print("| | regret, % of the optimum | CPU seconds |\n|---|---|---|")
    for name, pairs in ways.items():
        regret, seconds = np.mean(pairs, 0)
        each = ", ".join(f"{value:.2f}" for value, _ in pairs)
        print(f"| {name} | {regret:.2f} ({each}) | {seconds:.2f} |")


if __name__ == "__main__":
    main()
