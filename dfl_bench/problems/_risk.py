"""The risk of a portfolio: which returns Σ is taken from, and which matrix stands for it."""

import numpy as np

from ..data.stock_days import StockDays
from ..data.stock_features import correlation
from ..errors import DataError

COVARIANCES = ("clairvoyant", "past", "published")
RISKS = ("correct", "published")


def risk_matrices(days: StockDays, *, covariance: str, ridge: float, risk: str) -> np.ndarray:
    """Return the matrix M of the risk aᵀMa for each day, (D, N, N).

    Args:
        days: the returns before and after each day.
        covariance: "past": Σ is the correlation matrix of the days up to today; "clairvoyant": of the days
            after it; "published": of the days after the next, times n / (n - 1) for n days, because
            published code divides by the deviation of all n, and then the sum of products by n - 1.
        ridge: added to the diagonal of Σ.
        risk: "correct": M = Σ; "published": M = LᵀL with Σ = LLᵀ, because published code has ‖La‖² where
            ‖Lᵀa‖² is aᵀΣa.
    """
    sigma = _correlations(days, covariance) + ridge * np.eye(days.features.shape[1])
    if risk == "correct":
        return sigma
    factor = np.linalg.cholesky(sigma)
    swapped = factor.swapaxes(-1, -2) @ factor
    return (swapped + swapped.swapaxes(-1, -2)) / 2


def _correlations(days: StockDays, covariance: str) -> np.ndarray:
    if covariance == "clairvoyant":
        return correlation(days.future)
    if covariance == "published":
        later = days.future[..., 1:]
        n = later.shape[-1]
        return correlation(later) * (n / (n - 1))
    if days.past is None:
        raise DataError(
            "covariance='past' needs the returns before each day, and the file names no features cur_return, "
            "prev1_return, ...; use covariance='clairvoyant' or 'published'."
        )
    return correlation(days.past)
