"""A process for each contest.

Libraries read how many threads they may start when they are loaded, and some do not load beside others:
OR-Tools and highspy bring two versions of one library.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import DflBenchError
from .race import Effort, Line

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)


def measure(contest: str, effort: Effort) -> list[Line]:
    """Return the lines of a contest, measured in a process with one thread."""
    with TemporaryDirectory() as folder:
        # A file, because solvers written in C print what they like.
        answer = Path(folder) / "lines.json"
        command = [sys.executable, "-m", "dfl_bench.speed", contest, json.dumps(asdict(effort)), str(answer)]
        environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise DflBenchError(f"the contest {contest!r} ended with {done.returncode}:\n{done.stderr}")
        return [Line(**line) for line in json.loads(answer.read_text(encoding="utf-8"))]
