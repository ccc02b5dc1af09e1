"""Labelling 400 × 32 portfolio samples in a process of its own, for its memory is measured too."""

import json
import subprocess
import sys
import time

from .contests import markets
from .memory import with_growth
from .race import Line

SECONDS = {"osqp": 8.0, "active-set": 0.5}
MEGABYTES = 500.0


def label(solver: str) -> dict[str, float]:
    """Return CPU seconds, the growth of memory in MB and how far the smallest regret is below zero."""
    from kernels import portfolio

    y, sigma = markets(400, 33)
    portfolio.regret(y[:2, 1:], y[:2, :1], sigma[:2, None], solver=solver)  # compiles
    start = time.process_time()
    regret, grown = with_growth(lambda: portfolio.regret(y[:, 1:], y[:, :1], sigma[:, None], solver=solver))
    return {
        "seconds": time.process_time() - start,
        "megabytes": grown,
        "error": max(0.0, -float(regret.min())),
    }


def labelling() -> list[Line]:
    """Return a line for each solver."""
    lines = []
    for solver, limit in SECONDS.items():
        command = [sys.executable, "-m", __name__, solver]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        lines.append(
            Line(
                contest="portfolio: labelling 400 × 32 samples",
                solver=f"ours, {solver}",
                seconds=found["seconds"],
                unit="bank",
                error=found["error"],
                target=f"< {limit:g} s",
                reached=found["seconds"] < limit and found["megabytes"] < MEGABYTES,
                note=f"{found['megabytes']:.0f} MB of memory (< {MEGABYTES:.0f} MB)",
            )
        )
    return lines


if __name__ == "__main__":
    print(json.dumps(label(sys.argv[1])))
