"""What a user waits for before anything is computed, and the board of a large store."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from rich.console import Console

from dfl_bench.results.boards import boards
from dfl_bench.results.read import read_results
from dfl_bench.show.page.write import write_page
from dfl_bench.show.terminal import show_boards
from dfl_bench.store.cell import Cell
from dfl_bench.store.environment import environment
from dfl_bench.store.record import Record
from dfl_bench.store.store import Store


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


PROBLEMS = [("inventory", {}), ("budget", {"fake_targets": 0}), ("budget", {}), ("portfolio-synthetic", {})]


class Leaderboard:
    """Ten thousand records: 4 problems × 25 methods × 100 seeds, 400 test instances each."""

    timeout = 300

    def setup_cache(self):
        """Write the store once; every benchmark below is in a process of its own."""
        rng = np.random.default_rng(0)
        facts = environment()
        with Store("ten-thousand.sqlite") as store:
            for problem, config in PROBLEMS:
                for method in range(25):
                    store.add(*(_record(problem, config, method, seed, rng, facts) for seed in range(100)))
        return str(Path("ten-thousand.sqlite").resolve())

    def setup(self, path):
        with Store(path, readonly=True) as store:
            self.records = store.records()

    def time_boards(self, path):
        boards(self.records)

    def time_render(self, path):
        with open("/dev/null", "w") as nowhere:
            show_boards(Console(file=nowhere, width=120), boards(self.records))

    def time_page(self, path):
        write_page(read_results(path), "/dev/null")

    def peakmem_page(self, path):
        write_page(read_results(path), "/dev/null")


def _record(problem, config, method, seed, rng, facts):
    cell = Cell(
        problem=problem,
        problem_version=1,
        problem_config=config,
        problem_settings=config,
        method=f"method-{method}",
        method_version=1,
        method_config={"samples": 32},
        method_settings={"samples": 32},
        protocol="paper",
        seed=seed,
        device="cpu",
    )
    worst = 1.0 + rng.random(400)
    return Record(
        cell=cell,
        status="ok",
        regret=rng.random(400) * worst,
        worst_regret=worst,
        seconds={"train": 1.0},
        solves={"train": 10},
        environment=facts,
        provenance="made",
    )
