"""`dfl-bench speed`: our kernels against reference solvers, as ratios of one run."""

import os
import subprocess
import sys
from pathlib import Path

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)


def main(quick: bool = False, csv: Path | None = None) -> None:
    """Print the table, and write it as CSV where asked; `quick` repeats each measurement less often."""
    # A process of its own: libraries read how many threads they may start when they are loaded.
    command = [sys.executable, "-m", "dfl_bench.speed", *(["--quick"] if quick else [])]
    command += ["--csv", str(csv)] if csv else []
    subprocess.run(command, check=True, env={**os.environ, **dict.fromkeys(THREADS, "1")})
