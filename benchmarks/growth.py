"""How cost grows with size: `python -m benchmarks.growth` prints the tables of docs/performance.md.

Words after it select the rows that contain one of them: `python -m benchmarks.growth knapsack matching`.

Times are CPU seconds on one thread, the median of repeated calls. Large cases run in processes of their own,
where memory is what preparing and computing add at their peak to a process that has compiled everything.
"""

import math
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np
import torch

from benchmarks.series import LARGE, SERIES
from dfl_bench.speed.memory import with_growth
from dfl_bench.speed.report import duration


def seconds_of(run, repeats):
    """Return the median CPU seconds of a call after a first one."""
    run()
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return median(taken)


def large(name):
    """Return CPU seconds and megabytes of a large case."""
    make, small, size = LARGE[name]
    make(small)()  # compiles
    start = time.process_time()
    _, megabytes = with_growth(lambda: make(size)())
    return time.process_time() - start, megabytes


def exponent(sizes, seconds):
    """Return the slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def selected(table, words):
    """Return the rows whose name contains one of the words; all rows where there are none."""
    return {name: row for name, row in table.items() if not words or any(word in name for word in words)}


def main(words):
    torch.set_num_threads(1)
    print("| series | sizes | CPU time | exponent |\n|---|---|---|---|")
    for name, (make, sizes) in selected(SERIES, words).items():
        make(sizes[0])()  # compiles
        seconds = [seconds_of(make(size), 3) for size in sizes]
        shown = ", ".join(f"{size:,}" for size in sizes), ", ".join(map(duration, seconds))
        print(f"| {name} | {shown[0]} | {shown[1]} | {exponent(sizes, seconds):.2f} |", flush=True)
    print("\n| large | CPU time | peak memory added |\n|---|---|---|")
    chosen = selected(LARGE, words)
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as fresh:
        for name, (seconds, megabytes) in zip(chosen, fresh.map(large, chosen), strict=True):
            print(f"| {name} | {duration(seconds)} | {math.ceil(megabytes)} MB |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
