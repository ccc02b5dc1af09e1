"""One experiment in PyEPO and here: `python -m dfl_bench.studies.beside_pyepo` prints scores and seconds.

Shortest paths on 5 × 5 nodes, degree 4, noise 0.5, 1,000 training and 1,000 test rows of a tuning seed; SPO+,
Adam with rate 0.01, batches of 32, 20 passes, the last state. Needs the extra [peers].
"""

# First of all: OR-Tools does not load after cvxpy's highspy.
import pyepo  # isort: skip
from pyepo.func import SPOPlus  # isort: skip
from pyepo.model.ort import shortestPathModel  # isort: skip

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

import dfl_bench
from dfl_bench import LinearProblem, Split, to_pyepo

SETTINGS: dict[str, Any] = {"degree": 4, "noise": 0.5, "n_train": 1000, "n_val": 250, "n_test": 1000}
TRAINING: dict[str, Any] = {"learning_rate": 0.01, "batch": 32, "steps": 640, "select": "last"}
PASSES = 20


def with_pyepo(
    model: Any, train: Split, test: Split, problem: LinearProblem, seed: int
) -> tuple[float, float]:
    """Train by PyEPO's SPO+ as its tutorials do; return regret in percent of the optimum, and CPU seconds.

    Args:
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
    loss = SPOPlus(model, processes=1)
    for _ in range(PASSES):
        for x, c, w, z in DataLoader(rows, batch_size=32, shuffle=True):
            optimizer.zero_grad()
            loss(network(x), c, w, z).backward()
            optimizer.step()
    seconds = time.process_time() - start
    with torch.no_grad():
        y_hat = network(torch.as_tensor(test.x, dtype=torch.float32)).numpy().astype(np.float64)
    return _percent(problem, y_hat, test), seconds


def with_ours(problem: LinearProblem, test: Split, seed: int) -> tuple[float, float]:
    """Train by our SPO+; return as `with_pyepo` does.

    Args:
        problem: what to train on.
        test: rows to be scored on.
        seed: of the data, of the initial weights and of the batches.
    """
    start = time.process_time()
    result = dfl_bench.evaluate("spo-plus", problem, seed=seed, **TRAINING)
    return _percent(problem, result.predictions, test), time.process_time() - start


def _percent(problem: LinearProblem, y_hat: np.ndarray, test: Split) -> float:
    regret = problem.regret(y_hat, test.y, {}).sum()
    return 100.0 * float(regret / np.abs(problem.optimal_cost(test.y, {})).sum())


def main() -> None:
    """Print a line for each of the three ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="from 1000 on: no score uses them")
    torch.set_num_threads(1)
    problem = dfl_bench.make_problem("shortest-path", **SETTINGS)
    assert isinstance(problem, LinearProblem)
    ways: dict[str, list[tuple[float, float]]] = {}
    dfl_bench.evaluate("spo-plus", problem, seed=999, steps=2)  # compiles
    for seed in range(1000, 1000 + parser.parse_args().seeds):
        train, _, test = problem.data(seed)
        theirs, ours = shortestPathModel((5, 5)), to_pyepo(problem)
        ways.setdefault("PyEPO with OR-Tools", []).append(with_pyepo(theirs, train, test, problem, seed))
        ways.setdefault("PyEPO with our kernel", []).append(with_pyepo(ours, train, test, problem, seed))
        ways.setdefault("dfl_bench", []).append(with_ours(problem, test, seed))
    print("| | regret, % of the optimum | CPU seconds |\n|---|---|---|")
    for name, pairs in ways.items():
        regret, seconds = np.mean(pairs, 0)
        each = ", ".join(f"{value:.2f}" for value, _ in pairs)
        print(f"| {name} | {regret:.2f} ({each}) | {seconds:.2f} |")


if __name__ == "__main__":
    main()
