"""What a user waits for before anything is computed, and the board of a large store."""

import subprocess
import sys

import numpy as np


class Start:
    """Fresh processes."""

    timeout = 120

    def time_import_kernels(self):
        subprocess.run([sys.executable, "-c", "import kernels.inventory"], check=True)

    def time_import_dfl_bench(self):
        subprocess.run([sys.executable, "-c", "import dfl_bench"], check=True)

    def time_import_lcgln(self):
        subprocess.run([sys.executable, "-c", "import lcgln"], check=True)

    def time_list(self):
        subprocess.run([sys.executable, "-m", "dfl_bench", "list"], check=True, capture_output=True)


class Leaderboard:
    """Ten thousand records: 4 problems × 25 methods × 100 seeds."""

    timeout = 300

    def setup(self):
        from dfl_bench.leaderboard import boards

        self.boards = boards
        rng = np.random.default_rng(0)
        self.records = [
            _record(f"problem-{p}", f"method-{m}", seed, rng)
            for p in range(4)
            for m in range(25)
            for seed in range(100)
        ]

    def time_boards(self):
        self.boards(self.records)

    def time_render(self):
        from rich.console import Console

        from dfl_bench.render import show_boards

        with open("/dev/null", "w") as nowhere:
            show_boards(Console(file=nowhere, width=120), self.boards(self.records))

    def peakmem_boards(self):
        self.boards(self.records)


def _record(problem, method, seed, rng):
    from dfl_bench.cell import Cell
    from dfl_bench.record import Record

    cell = Cell(
        problem=problem,
        problem_version=1,
        problem_config={},
        source_digest="",
        method=method,
        method_version=1,
        method_config={"samples": 32},
        protocol="paper",
        seed=seed,
        device="cpu",
    )
    worst = 1.0 + rng.random(50)
    return Record(
        cell=cell,
        status="ok",
        group=(seed,),
        regret=rng.random(50) * worst,
        worst_regret=worst,
        seconds={"train": 1.0},
        solves={"train": 10},
        environment={"cpu": "any"},
        provenance="made",
    )
