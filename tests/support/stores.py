"""Stores with made-up records, written through the real Store."""

from collections.abc import Iterator, Mapping
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

from dfl_bench.contracts.fingerprint import plain
from dfl_bench.contracts.seeding import rng_for
from dfl_bench.problems import make_problem
from dfl_bench.store.cell import Cell
from dfl_bench.store.record import Record, Status
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


def record(
    problem: str = "inventory",
    method: str = "pfl",
    seed: int = 0,
    *,
    config: Mapping[str, Any] | None = None,
    samples: int | None = None,
    protocol: str = "paper",
    status: Status = "ok",
    error: str = "",
    level: float = 0.3,
    instances: int = 40,
    provenance: str = "synthetic: made up",
) -> Record:
    """Return one record whose score is near a level; seed 0 is timed on its own."""
    rng = rng_for(problem, method, str(samples), protocol, seed=seed)
    cell = Cell(
        problem=problem, problem_version=1, problem_config=dict(config or {}),
        problem_settings=dict(config or {}),
        method=method, method_version=1, method_config={} if samples is None else {"samples": samples},
        method_settings={} if samples is None else {"samples": samples},
        protocol=protocol, seed=seed, device="cpu",
    )  # fmt: skip
    scored, reference = status == "ok", method in REFERENCES
    worst = np.random.default_rng(seed).uniform(1.0, 2.0, instances)
    noise = 0.15 * level * rng.standard_normal() + 0.3 * level * rng.standard_normal(instances)
    seconds = 0.2 + 0.1 * (samples or 1)
    curve = [(seconds * (i + 1) / 12, 1.5 * level * (1 + 2 * 0.7**i)) for i in range(12)]
    return Record(
        cell=cell,
        status=status,
        reference=reference,
        alone=seed == 0,
        regret=np.maximum(worst * (level + noise), 0.0) if scored else None,
        worst_regret=worst if scored else None,
        seconds={"label": 0.05, "surrogate": seconds / 2, "train": seconds}
        if scored and not reference
        else {},
        solves={"label": 400 * (samples or 0), "train": 800} if scored and not reference else {},
        curve=tuple(curve) if scored and not reference else (),
        provenance=provenance,
        environment=FACTS,
        error=error,
        started="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T00:00:01+00:00",
    )


def paper_like(seeds: int, protocols: tuple[str, ...] = ("paper",)) -> Iterator[Record]:
    """Yield records in the shape of the suite `paper`: six boards a protocol, K from 2 to 32."""
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
                    for seed in range(seeds):
                        shared = {"config": config, "samples": samples, "protocol": protocol}
                        yield record(problem, method, seed, level=level * gain, **shared)


def write(path: Path, *records: Record) -> Path:
    """Write records into a new store."""
    with Store(path) as store:
        store.add(*records)
    return path
