"""A synthetic market whose next-day returns are predictable to a chosen degree."""

import numpy as np

from .market import Market

N_FACTORS = 4
_MEAN_DAILY_VOLATILITY = 0.02


def draw_market(rng: np.random.Generator, n_days: int, n_stocks: int, predictable: float) -> Market:
    """Return days of a factor model: a chosen share ρ of the variance of returns is known the day before.

    r_{t+1} = v (√ρ s_t + √(1-ρ) e_{t+1}). Here v is a stock's volatility, and e mixes four common factors
    with the stock's own noise and has variance 1. The signal is s_t = (w_t - m_t - w_t m_t) / √3, where w_t
    is today's volume shock and m_t = r_t / v is today's return. w and m are independent with variance 1, so
    s has variance 1 too and ρ is exact. The last term makes the best predictor nonlinear.

    Args:
        rng: The source of randomness.
        n_days: The number of days.
        n_stocks: The number of stocks.
        predictable: ρ, in [0, 1].
    """
    volatility = _MEAN_DAILY_VOLATILITY * np.exp(0.4 * rng.standard_normal(n_stocks))
    # The first factor is the market: all stocks move with it in the same direction.
    loadings = rng.standard_normal((n_stocks, N_FACTORS))
    loadings[:, 0] = 1.5 + 0.3 * loadings[:, 0]
    common_share = rng.uniform(0.2, 0.6, (n_stocks, 1))
    loadings *= np.sqrt(common_share / (loadings**2).sum(-1, keepdims=True))
    noise = rng.standard_normal((n_days, n_stocks)) * np.sqrt(1 - common_share[:, 0])
    surprise = rng.standard_normal((n_days, N_FACTORS)) @ loadings.T + noise
    shock = rng.standard_normal((n_days, n_stocks))

    scaled = np.empty((n_days, n_stocks))
    expected = np.zeros((n_days, n_stocks))
    scaled[0] = surprise[0]
    for t in range(n_days - 1):
        signal = (shock[t] - scaled[t] - shock[t] * scaled[t]) / np.sqrt(3)
        expected[t + 1] = np.sqrt(predictable) * signal
        scaled[t + 1] = expected[t + 1] + np.sqrt(1 - predictable) * surprise[t + 1]
    volumes = np.exp(14 + 0.8 * rng.standard_normal(n_stocks) + 0.4 * shock)
    return Market(scaled * volatility, volumes, expected * volatility)
