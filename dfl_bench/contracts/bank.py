"""Labelled samples (y_hat, regret), shared by every method that asks for the same ones.

Sampling is thereby a factor of the experiment, not a confound. A bank is keyed by the problem, the seed and
the sampler's configuration; a cache hit is charged to the ledger at the cost recorded when it was made.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .files import write_atomically
from .fingerprint import fingerprint

if TYPE_CHECKING:
    from .task import Task


@dataclass(frozen=True, slots=True)
class Bank:
    """Samples y_hat (K, N, ...) with their regrets (K, N) and the seconds labelling took."""

    y_hat: np.ndarray
    regret: np.ndarray
    seconds: float

    def prefix(self, samples: int) -> Bank:
        """Return the first samples of each instance, at their share of the cost."""
        share = samples / len(self.regret)
        return Bank(self.y_hat[:samples], self.regret[:samples], self.seconds * share)


class Sampler(Protocol):
    """A frozen dataclass that draws predictions for the training rows of a task."""

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return (samples, N, ...); the first samples do not depend on how many are asked for."""


class BankCache:
    """Banks kept in memory and, given a folder, on disk, where other processes find them."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder is not None else None
        self._banks: dict[str, Bank] = {}

    def get(self, task: Task, sampler: Sampler, samples: int) -> Bank:
        """Return a bank of the asked size, made now or found, its cost charged to the task's ledger.

        Args:
            task: whose training rows are labelled.
            sampler: draws the predictions.
            samples: how many for each instance, 2 or more.
        """
        if samples < 2:
            raise ValueError(
                f"expected at least 2 samples an instance (the truth and one more), got {samples}."
            )
        key = _key(task, sampler)
        bank = self._banks.get(key) or self._load(key)
        if bank is None or len(bank.regret) < samples:
            bank = self._make(task, sampler, samples)
            self._save(key, bank)
        self._banks[key] = bank
        bank = bank.prefix(samples)
        task.ledger.charge("label", bank.seconds, bank.regret.size)
        return bank

    def _make(self, task: Task, sampler: Sampler, samples: int) -> Bank:
        start = time.perf_counter()
        y_hat = sampler.draw(task, samples)
        regret = task.problem.regret(y_hat, task.train.y, task.train.context)
        if not np.isfinite(regret).all():
            raise ValueError(f"{task.problem.name} returned a non-finite regret for samples of {sampler}.")
        return Bank(y_hat, regret, time.perf_counter() - start)

    def _load(self, key: str) -> Bank | None:
        if self.folder is None or not (path := self.folder / f"{key}.npz").is_file():
            return None
        with np.load(path, allow_pickle=False) as saved:
            return Bank(saved["y_hat"], saved["regret"], float(saved["seconds"]))

    def _save(self, key: str, bank: Bank) -> None:
        if self.folder is None:
            return
        write_atomically(
            self.folder / f"{key}.npz",
            lambda file: np.savez(file, y_hat=bank.y_hat, regret=bank.regret, seconds=bank.seconds),
        )


def _key(task: Task, sampler: Sampler) -> str:
    problem = task.problem
    return fingerprint(
        {
            "problem": [problem.name, problem.version, problem.source_digest],
            "config": problem.settings,
            "seed": task.seed,
            "sampler": [type(sampler).__name__, sampler],
        }
    )
