"""Which users a website reaches, by the law of the original budget data: who bids on which phrase."""

from dataclasses import dataclass

import numpy as np

HIGHEST_RATE = 0.2


@dataclass(frozen=True, slots=True)
class BidLaw:
    """The pairs of a website w and a user u that are in the log: P(w, u) = min(1, e^level · a_w · c_u).

    log a_w ~ N(0, websites²) and log c_u ~ N(-users²/2, users²) are drawn anew for each instance, because
    each instance of the data has websites and users of its own. A pair has a rate uniform in [0, 0.2], all
    others 0. So Wilder, Dilkina and Tambe (AAAI 2019) made their data from bids of advertisers on phrases:
    the rates are theirs, the pairs stand for the log, which may not be redistributed.
    """

    websites: float
    users: float
    level: float


# Two ends of what fits the tables of that paper: `python -m dfl_bench.studies.bids_law` prints both beside
# them. The form of P is our choice; the tables do not fix it.
LAW = BidLaw(websites=1.12, users=1.00, level=-3.825)
OTHER_END = BidLaw(websites=1.16, users=0.95, level=-3.871)


def draw_bids(law: BidLaw, rng: np.random.Generator, n: int, n_websites: int, n_users: int) -> np.ndarray:
    """Return n matrices (n, websites, users) with entries in [0, 0.2].

    Websites are exchangeable, and so are users. So drawing 5 × 10 is the same as drawing 100 × 500, of which
    published code then takes 5 websites and 10 users at random.

    Args:
        law: Which pairs there are.
        rng: The source of randomness.
        n: The number of matrices.
        n_websites: The number of rows of each.
        n_users: The number of columns of each.
    """
    reach = law.websites * rng.standard_normal((n, n_websites, 1))
    interest = law.users * rng.standard_normal((n, 1, n_users)) - law.users**2 / 2
    present = rng.random((n, n_websites, n_users)) < np.exp(law.level + reach + interest)
    return np.where(present, rng.uniform(0.0, HIGHEST_RATE, present.shape), 0.0)
