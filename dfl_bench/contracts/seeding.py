"""Random streams derived from the names they serve.

No global seeding: adding a method never moves another's numbers, and the number of workers changes nothing.
"""

import hashlib

import numpy as np

FIRST_TUNING_SEED = 1000  # choices are made on these seeds, scores on those below


def first_of_its_kind(seed: int) -> int:
    """Return the seed whose data all seeds share: one for scores, another for choices."""
    return 0 if seed < FIRST_TUNING_SEED else FIRST_TUNING_SEED


def rng_for(*names: str, seed: int) -> np.random.Generator:
    """Return the stream of these names and seed, e.g. ``rng_for("inventory", "data", seed=3)``."""
    digest = hashlib.sha256("\x1f".join(names).encode()).digest()
    entropy = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([*entropy, seed]))
