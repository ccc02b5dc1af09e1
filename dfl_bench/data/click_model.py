"""Click-through rates of users on websites: a generator of sparse matrices of equal reach."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ClickModel:
    """Every website reaches the same share `density` of the users, at random; the others never click.

    A reached user clicks at the rate 1 - exp(-intensity), where the intensity is `level` times a log-normal
    popularity of the website (spread `popularity`) times a log-normal interest of the user (spread `skew`).
    All websites reach equally many users, so their sums of rates are nearly equal. Small differences of rates
    and users in common decide which websites are best. Features show mostly who is reached, which decides
    little.
    """

    density: float
    level: float
    popularity: float
    skew: float


def draw_ctr(
    model: ClickModel, rng: np.random.Generator, n: int, n_websites: int, n_users: int
) -> np.ndarray:
    """Return n matrices (n, websites, users) with entries in [0, 1].

    Args:
        model: The law of the click rates.
        rng: The source of randomness.
        n: The number of matrices.
        n_websites: The number of rows of each.
        n_users: The number of columns of each.
    """
    rank = rng.random((n, n_websites, n_users)).argsort(-1)
    reached = rank < round(model.density * n_users)
    popular = rng.standard_normal((n, n_websites, 1))
    interest = rng.standard_normal((n, n_websites, n_users))
    intensity = model.level * np.exp(model.popularity * popular + model.skew * interest)
    return np.where(reached, -np.expm1(-intensity), 0.0)
