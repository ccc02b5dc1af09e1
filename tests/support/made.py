"""Records and stores made by hand, for tests of what is done with them."""

from collections.abc import Iterator
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

from dfl_bench import problems
from dfl_bench.contracts.fingerprint import plain
from dfl_bench.contracts.seeding import rng_for
from dfl_bench.problems import make_problem
from dfl_bench.store.cell import Cell
from dfl_bench.store.record import Record
from dfl_bench.store.store import Store

FACTS = {
    "cpu": "Test CPU", "cores": 2, "memory_gib": 8, "threads": {"OMP_NUM_THREADS": "1"},
    "system": "Linux x86_64", "python": "3.11.7", "versions": {"dfl-bench": "0.1.0", "numpy": "2.4.6"},
    "commit": "0123456789ab", "device": "cpu",
}  # fmt: skip
LEVELS = {
    "lcgln": 0.20, "lancer": 0.19, "egl-dq": 0.26, "egl-wmse": 0.27, "dfl": 0.24, "lodl-dq": 0.33,
    "pfl": 0.25, "truth": 0.0, "floor": 0.12, "constant": 0.31, "random": 0.52,
}  # fmt: skip
REFERENCES = ("truth", "floor", "constant", "random")
SAMPLED = ("lcgln", "egl-dq", "egl-wmse", "lodl-dq")


def cell(method: str = "m", seed: int = 0, **changes: Any) -> Cell:
    fields = {
        "problem": "p",
        "problem_config": {},
        "method": method,
        "method_version": 1,
        "method_config": {},
        "protocol": "paper",
        "seed": seed,
        "device": "cpu",
    }
    given = {**fields, **changes}
    settings = {
        "problem_version": _version(given["problem"]),
        "problem_settings": _not_default(given["problem"], given["problem_config"]),
        "method_settings": given["method_config"],
    }
    return Cell(**{**settings, **given})


def _version(problem: str) -> int:
    return problems.get(problem).version if problem in problems.names() else 1


def _not_default(problem: str, config: dict[str, Any]) -> dict[str, Any]:
    usual = plain(problems.get(problem).Config()) if problem in problems.names() else {}
    return {name: value for name, value in config.items() if name not in usual or value != usual[name]}


def record(method: str = "m", seed: int = 0, score: float | None = None, **changes: Any) -> Record:
    """A scored record; `score` fixes its normalized regret, else it is drawn."""
    rng = rng_for("made", method, seed=seed)
    worst = 1.0 + np.random.default_rng(seed).random(20)
    regret = rng.random(20) if score is None else score * worst
    where = {k: changes.pop(k) for k in list(changes) if k in Cell.__dataclass_fields__}
    known: dict[str, Any] = {
        "status": "ok",
        "regret": regret,
        "worst_regret": worst,
        "seconds": {"train": 1.5},
        "solves": {"train": 7},
        "environment": {"cpu": "abacus", "commit": "abc"},
        "provenance": "made",
    }
    return Record(cell=cell(method, seed, **where), **{**known, **changes})


def failure(method: str = "m", seed: int = 0, **changes: Any) -> Record:
    known = {"status": "failed", "regret": None, "worst_regret": None, "error": "Boom: it broke"}
    return record(method, seed, **{**known, **changes})


def run_record(
    problem: str = "inventory",
    method: str = "pfl",
    seed: int = 0,
    *,
    level: float = 0.3,
    samples: int | None = None,
    **changes: Any,
) -> Record:
    """A record as a run leaves it: a score near a level, seed 0 timed on its own, with a learning curve."""
    instances = 40
    rng = rng_for(problem, method, str(samples), changes.get("protocol", "paper"), seed=seed)
    worst = np.random.default_rng(seed).uniform(1.0, 2.0, instances)
    noise = 0.15 * level * rng.standard_normal() + 0.3 * level * rng.standard_normal(instances)
    known: dict[str, Any] = {
        "problem": problem,
        "method_config": {} if samples is None else {"samples": samples},
        "reference": method in REFERENCES,
        "alone": seed == 0,
        "regret": np.maximum(worst * (level + noise), 0.0),
        "worst_regret": worst,
        "environment": FACTS,
        "provenance": "synthetic: made up",
    }
    return record(method, seed, **{**known, **_costs(method, level, samples), **changes})


def unscored(status: str, error: str, **changes: Any) -> Record:
    """A record of a cell that failed, took too long or cannot be run."""
    empty = {"regret": None, "worst_regret": None, "seconds": {}, "solves": {}, "curve": ()}
    return run_record(status=status, error=error, **empty, **changes)


def _costs(method: str, level: float, samples: int | None) -> dict[str, Any]:
    if method in REFERENCES:
        return {"seconds": {}, "solves": {}}
    seconds = 0.2 + 0.1 * (samples or 1)
    return {
        "seconds": {"label": 0.05, "surrogate": seconds / 2, "train": seconds},
        "solves": {"label": 400 * (samples or 0), "train": 800},
        "curve": tuple((seconds * (i + 1) / 12, 1.5 * level * (1 + 2 * 0.7**i)) for i in range(12)),
    }


def paper_like(seeds: int, protocols: tuple[str, ...] = ("paper",)) -> Iterator[Record]:
    """Yield records in the shape of the suite `paper`: six boards for each protocol, K from 2 to 32."""
    boards = [
        ("inventory", {}),
        *(("budget", {"fake_targets": n}) for n in (500, 50, 5, 0)),
        ("portfolio", {}),
    ]
    for protocol in protocols:
        for position, (problem, settings) in enumerate(boards):
            config = plain(make_problem(problem, **settings).config)
            sizes = (16,) if settings.get("fake_targets", 500) != 500 else (2, 4, 8, 16, 32)
            for method, base in LEVELS.items():
                level = base * (1 + 0.2 * position) if method != "truth" else 0.0
                for samples in sizes if method in SAMPLED else (None,):
                    gain = 1.0 if samples is None else 1.1 - 0.04 * log2(samples)
                    shared = {"problem_config": config, "samples": samples, "protocol": protocol}
                    for seed in range(seeds):
                        yield run_record(problem, method, seed, level=level * gain, **shared)


def write(path: Path, *records: Record) -> Path:
    """Write records into a new store."""
    with Store(path) as store:
        store.add(*records)
    return path
