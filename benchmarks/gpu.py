"""The same work on the CPU and on a GPU, side by side: `python -m benchmarks.gpu`."""

import sys
import time
from statistics import median

import torch

from benchmarks.inputs import METHODS, SMALL, configured
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.speed.inputs import click_rates, markets, probabilities
from dfl_bench.speed.report import duration
from kernels import budget, inventory, portfolio

NO_GPU = (
    "no CUDA device is visible here, so nothing was measured.\n"
    "What can be checked without one is: tests/kernels/test_device.py, tests/methods/test_device.py."
)


def kernels():
    """Yield a name, tensors on the CPU, and what to call with them."""
    yield "inventory regret, 10⁶ rows", probabilities(1_000_000), inventory.regret
    yield "budget best subset, 10⁵ instances", (click_rates(100_000),), budget.best_subset
    yield "budget relaxation, 10⁴ instances", (click_rates(10_000),), budget.relax
    y, sigma = markets(200, 32)
    yield (
        "portfolio, 200 × 32 QPs",
        (y, sigma[:, None]),
        lambda y, s: portfolio.solve(y, s, solver="active-set"),
    )


def seconds_on(device, arrays, call, repeats=5):
    """Return the median wall-clock seconds of a call on a device, and its result on the CPU."""
    tensors = [torch.as_tensor(a).to(device) for a in arrays]
    result, taken = call(*tensors), []
    for _ in range(repeats):
        _wait(device)
        start = time.perf_counter()
        call(*tensors)
        _wait(device)
        taken.append(time.perf_counter() - start)
    return median(taken), result.cpu()


def _wait(device):
    if device != "cpu":
        torch.cuda.synchronize(device)


def main(device="cuda"):
    """Print both tables for a device beside the CPU."""
    print(f"| kernel | cpu | {device} | cpu / {device} | largest difference |\n|---|---|---|---|---|")
    for name, arrays, call in kernels():
        (host, expected), (there, found) = (seconds_on(d, arrays, call) for d in ("cpu", device))
        gap = float((expected - found).abs().max())
        print(f"| {name} | {duration(host)} | {duration(there)} | {host / there:.2f} | {gap:.1e} |")
    print(f"\n| fit | cpu | {device} | cpu / {device} | regret cpu | regret {device} |\n|{'---|' * 6}")
    for name, sizes in SMALL.items():
        problem = make_problem(name, **sizes)
        for method in METHODS:
            results = [
                evaluate_batch(configured(method, problem, samples=16), problem, [0], device=d)[0]
                for d in ("cpu", device)
            ]
            host, there = (r.seconds for r in results)
            scores = " | ".join(f"{r.normalized_regret:.4f}" for r in results)
            times = f"{duration(host)} | {duration(there)} | {host / there:.2f}"
            print(f"| {method} on {name} | {times} | {scores} |")


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print(NO_GPU)
        sys.exit(2)
    main()
