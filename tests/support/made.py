"""Records made by hand, for tests of what is done with them."""

from typing import Any

import numpy as np

from dfl_bench.contracts.seeding import rng_for
from dfl_bench.store.cell import Cell
from dfl_bench.store.record import Record


def cell(method: str = "m", seed: int = 0, **changes: Any) -> Cell:
    fields = {
        "problem": "p",
        "problem_version": 1,
        "problem_config": {},
        "method": method,
        "method_version": 1,
        "method_config": {},
        "protocol": "paper",
        "seed": seed,
        "device": "cpu",
    }
    given = {**fields, **changes}
    settings = {f"{kind}_settings": given[f"{kind}_config"] for kind in ("problem", "method")}
    return Cell(**{**settings, **given})


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
