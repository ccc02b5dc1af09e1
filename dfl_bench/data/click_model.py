"""Click-through rates of users on websites: a generator of sparse matrices, and features that hide them."""

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


def scrambled_features(standardised: np.ndarray, fake: np.ndarray, mix: np.ndarray) -> np.ndarray:
    """Return A·[y_w; fake_w] for every website w: the click rates, hidden among fake ones.

    Args:
        standardised: The click rates y (n, W, U), of mean 0 and variance 1.
        fake: The fake rates (n, W, F).
        mix: A (U + F, U + F). With entries of variance 1/(U + F) every feature has a variance of about 1.
    """
    whole = np.concatenate([standardised, fake], axis=-1)
    # One product of two matrices: NumPy multiplies a stack of small ones a hundred times slower.
    return (whole.reshape(-1, whole.shape[-1]) @ mix.T).reshape(whole.shape)
