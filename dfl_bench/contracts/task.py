"""What a method is given: a problem, its rows, a device, a ledger, and labelled samples."""

from dataclasses import dataclass, field

import numpy as np

from .bank import Bank, BankCache, Sampler
from .ledger import Ledger
from .problem import Problem
from .seeding import rng_for
from .split import Split


@dataclass(frozen=True, slots=True)
class Task:
    """One seed of one problem, ready to fit."""

    problem: Problem
    train: Split
    val: Split
    seed: int
    device: str = "cpu"
    ledger: Ledger = field(default_factory=Ledger)
    cache: BankCache = field(default_factory=BankCache)

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a stream that every method of this problem and seed shares: all start alike."""
        return rng_for(self.problem.name, purpose, seed=self.seed)

    def bank(self, sampler: Sampler, samples: int) -> Bank:
        """Return `samples` labelled predictions an instance; a smaller bank is a prefix of a larger one."""
        return self.cache.get(self, sampler, samples)
