"""Labelling portfolio samples, each solver in a process of its own, for its memory is measured too."""

import json
import subprocess
import sys
import time

from .. import inputs
from ..memory import with_growth
from ..race import Effort, Line

SECONDS = {"osqp": 8.0, "active-set": 0.5}
MEGABYTES = 500.0


def lines(effort: Effort) -> list[Line]:
    """Return a line for each solver."""
    return [_line(solver, effort.rows(400)) for solver in SECONDS]


def label(solver: str, groups: int) -> dict[str, float]:
    """Return CPU seconds, the growth of memory in MB and how far the smallest regret is below zero."""
    from kernels import portfolio

    y, sigma = inputs.markets(groups, 33)
    portfolio.regret(y[:2, 1:], y[:2, :1], sigma[:2, None], solver=solver)  # compiles
    start = time.process_time()
    regret, grown = with_growth(lambda: portfolio.regret(y[:, 1:], y[:, :1], sigma[:, None], solver=solver))
    return {
        "seconds": time.process_time() - start,
        "megabytes": grown,
        "error": max(0.0, -float(regret.min())),
    }


def _line(solver: str, groups: int) -> Line:
    command = [sys.executable, "-m", __name__, solver, str(groups)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    limit = SECONDS[solver]
    return Line(
        contest=f"portfolio: labelling {groups} × 32 samples",
        solver=f"ours, {solver}",
        seconds=found["seconds"],
        unit="bank",
        error=found["error"],
        error_means="how far the smallest regret is below zero",
        target=f"< {limit:g} s",
        reached=found["seconds"] < limit and found["megabytes"] < MEGABYTES,
        note=f"{found['megabytes']:.0f} MB of memory (< {MEGABYTES:.0f} MB)",
    )


if __name__ == "__main__":
    print(json.dumps(label(sys.argv[1], int(sys.argv[2]))))
