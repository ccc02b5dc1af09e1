"""The data of `budget`: where click rates come from, and what features show of them."""

import math
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ..contracts.checks import require_between, require_choice, require_counts
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits
from ..data.bids import LAW, BidLaw, draw_bids
from ..data.click_model import ClickModel, draw_ctr
from ..data.mixed_features import Layer, mixed_features, normal_layer, uniform_layer

BIDS, CLICKS = "bids", "clicks"
PARTS = ("train", "val", "test")
CALIBRATED = ("density", "level", "popularity", "skew", "feature_noise")
FITTED = "synthetic: pairs of websites and users by a law that fits the tables of Wilder et al. (2019)"
PREDICTORS = ("scaled", "published", "linear")
_LAW = (LAW.websites, LAW.users, LAW.level)


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """Sizes, where click rates come from, what features show of them, and the predictor."""

    n_train: int = 200
    n_val: int = 200
    n_test: int = 400
    n_websites: int = 5
    n_users: int = 10
    budget: int = 2
    fake_targets: int = 500
    data: str = BIDS  # "clicks", or the path of a budget_allocation_data.pkl
    law: tuple[float, ...] = _LAW  # of bids: spread of websites, spread of users, level; see `BidLaw`
    features: str = "users"  # of bids and files: one feature for each user, or "all": for each fake one, too
    # Of clicks, as `python -m dfl_bench.studies.calibrate_budget` chose them.
    density: float = 0.5
    level: float = 0.1
    popularity: float = 0.0
    skew: float = 0.2
    feature_noise: float = 0.1  # standard deviation, beside features of about unit variance
    derivative: str = "published"  # of the decision layer; "derived": by the KKT conditions of a maximum
    predictor: str = "scaled"  # "published": ReLU, labels not scaled; "linear": scaled, no hidden layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "n_users", "budget")
        require_counts(self, "n_websites", least=2)
        require_counts(self, "fake_targets", least=0)
        if self.budget >= self.n_websites:
            raise ValueError(
                f"expected budget < n_websites, got budget={self.budget} and n_websites={self.n_websites}."
            )
        numbers = [value for value in self.law if type(value) in (int, float) and math.isfinite(value)]
        if len(numbers) != 3 or len(self.law) != 3 or min(numbers[:2]) < 0:
            raise ValueError(f"expected law to be two spreads of at least 0 and a level, got {self.law}.")
        require_between(self, 0.0, 1.0, "density")
        require_between(self, 0.0, 10.0, "level", "popularity", "skew", "feature_noise")
        require_choice(self, "features", "users", "all")
        require_choice(self, "derivative", "published", "derived")
        require_choice(self, "predictor", *PREDICTORS)
        self._require_in_use()

    def _require_in_use(self) -> None:
        """Refuse a setting of other data: it would change nothing, and nobody would notice."""
        usual = {field.name: field.default for field in fields(self)}
        wrong = {CLICKS: ("law", "features"), BIDS: CALIBRATED}.get(self.data, ("law", *CALIBRATED))
        for name in wrong:
            if getattr(self, name) != usual[name]:
                owner = BIDS if name in ("law", "features") else CLICKS
                raise ValueError(f"{name} is a setting of data={owner!r}, got it with data={self.data!r}.")

    @property
    def file(self) -> Path | None:
        """The user's file, if there is one."""
        return None if self.data in (BIDS, CLICKS) else Path(self.data)


def provenance_of(config: BudgetConfig) -> str:
    """Return what the data are."""
    usual = BudgetConfig()
    if config.file is not None:
        from ..data.click_file import recognise

        return f"user-supplied: {config.data} ({recognise(config.file)})"
    if config.data == BIDS:
        return FITTED if config.law == usual.law else "synthetic: pairs of websites and users at random"
    calibrated = all(getattr(config, name) == getattr(usual, name) for name in CALIBRATED)
    end = ", calibrated on PFL to the paper's difficulty" if calibrated else ""
    return f"synthetic: generated click-through rates{end}"


def rows_of(config: BudgetConfig, seed: int) -> Splits:
    """Return the rows of a seed: x (n, websites, features), y (n, websites, users)."""
    rates, layer = _click_rates(config, seed), _layer(config, seed)
    mean, spread = rates[0].mean((0, 1)), rates[0].std((0, 1))
    spread = np.where(spread > 0, spread, 1.0)

    def rows(part: str, y: np.ndarray) -> Split:
        rng = rng_for("budget", "features", part, seed=seed)
        fake = rng.standard_normal((*y.shape[:2], config.fake_targets))
        x = mixed_features((y - mean) / spread, fake, layer)
        if config.data == CLICKS:
            x += config.feature_noise * rng.standard_normal(x.shape)
        return Split(x, y)

    return Splits(*(rows(part, y) for part, y in zip(PARTS, rates, strict=True)))


def _click_rates(config: BudgetConfig, seed: int) -> list[np.ndarray]:
    sizes = (config.n_train, config.n_val, config.n_test)
    shape = (config.n_websites, config.n_users)
    if config.file is not None:
        from ..data.click_file import sample_click_rates

        rng = rng_for("budget", "sample", seed=seed)
        pool = sample_click_rates(config.file, rng, sum(sizes), *shape)
        return np.split(pool, np.cumsum(sizes)[:-1])
    streams = [(rng_for("budget", "ctr", part, seed=seed), n) for part, n in zip(PARTS, sizes, strict=True)]
    if config.data == BIDS:
        return [draw_bids(BidLaw(*config.law), rng, n, *shape) for rng, n in streams]
    model = ClickModel(config.density, config.level, config.popularity, config.skew)
    return [draw_ctr(model, rng, n, *shape) for rng, n in streams]


def _layer(config: BudgetConfig, seed: int) -> Layer:
    n_inputs, rng = config.n_users + config.fake_targets, rng_for("budget", "mix", seed=seed)
    if config.data == CLICKS:
        return normal_layer(rng, n_inputs)
    return uniform_layer(rng, n_inputs, config.n_users if config.features == "users" else n_inputs)
