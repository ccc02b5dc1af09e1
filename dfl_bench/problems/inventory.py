"""How much to order before the demand is known."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kernels import inventory

from .. import problems
from ..contracts.arrays import Array, Tensor, namespace, require_finite
from ..contracts.checks import require_between, require_choice, require_counts
from ..contracts.problem import Context, Network, Problem
from ..contracts.seeding import first_of_its_kind
from ..contracts.split import Split, Splits
from ._demand import own_demand, published_demand
from ._simplex import nearest_in_simplex, project_simplex

_SHARED = {  # how seeds can share data, and what the provenance says of it
    "one": "one data set for all seeds",
    "published": "one data set for all seeds, that of published code",
}
# Keeps log p finite where a softmax underflows.
_SMALLEST_PROBABILITY = 1e-300


@dataclass(frozen=True, slots=True)
class InventoryConfig:
    """Sizes of the data, the demand levels, and what ordering, shortage and surplus cost."""

    n_rows: int = 400  # to learn from: four fifths to train, one fifth to validate
    n_train: int | None = None  # None: as n_rows says
    n_val: int | None = None
    n_test: int | None = None  # None: 400, or half of n_rows where that is more
    n_features: int = 20
    demand: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 20.0)
    costs: tuple[float, ...] = (10.0, 2.0, 30.0, 14.0, 10.0, 2.0)  # c0, q0, cb, qb, ch, qh
    predictor: str = "scaled"  # "published": fitted by -p, not by -log p; "linear": without a hidden layer
    # Every seed draws its data; "one": all seeds share those of the first; "published": all seeds share the
    # data set that published code draws.
    draws: str = "each"
    nonlinear: float = 0.0  # share of the variance of a demand's score that no linear score explains

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "n_features")
        require_counts(self, "n_rows", least=5)
        if len(self.demand) < 2 or any(b <= a for a, b in pairwise(self.demand)):
            raise ValueError(
                f"expected demand to be two or more strictly increasing numbers, got {self.demand}."
            )
        if len(self.costs) != 6:
            raise ValueError(f"expected the six costs (c0, q0, cb, qb, ch, qh), got {self.costs}.")
        require_choice(self, "predictor", "scaled", "published", "linear")
        require_choice(self, "draws", "each", *_SHARED)
        require_between(self, 0.0, 1.0, "nonlinear")
        if self.nonlinear and self.draws == "published":
            raise ValueError(f"expected linear scores of published data, got nonlinear={self.nonlinear}.")

        for name, usual in self._by_rows().items():
            if getattr(self, name) == usual:  # one configuration, one key
                object.__setattr__(self, name, None)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many rows there are to train, to validate and to test on."""
        n_train, n_val, n_test = (getattr(self, name) or usual for name, usual in self._by_rows().items())
        return n_train, n_val, n_test

    def _by_rows(self) -> dict[str, int]:
        n_val = self.n_rows // 5
        return {"n_train": self.n_rows - n_val, "n_val": n_val, "n_test": max(400, self.n_rows // 2)}


@problems.register("inventory", version=1)
class Inventory(Problem):
    """Order stock for a random demand, given features that move its distribution.

    min over z >= 0 of c0 z + q0/2 z² + Σ_k p_k [cb s_k + qb/2 s_k² + ch r_k + qh/2 r_k²], with the shortage
    s_k = (d_k - z)₊ and the surplus r_k = (z - d_k)₊ (Donti et al. 2017). A prediction is a probability
    for each demand level, a label is one-hot. With `nonlinear` scores are curved, see `own_demand`.
    `context["oracle_p"]` is the true p(y|x): the floor needs it, a method must not read it.
    """

    Config = InventoryConfig
    provenance = "synthetic: x ~ N(0, I), demand ~ Categorical(softmax(Θᵀx)), Θ drawn once a seed"
    worst_is_costliest = False  # no order, as in the paper
    search_part = "test"  # generated for each seed; 80 validation rows are too few to select twice on
    sweeps = ("n_rows",)  # the paper does not state it
    searched_apart = ("predictor", "nonlinear")

    def __init__(self, config: InventoryConfig | None = None) -> None:
        super().__init__(config)
        hidden = 0 if self.config.predictor == "linear" else 10
        self.network = Network(outputs=len(self.config.demand), activation="softmax", hidden=hidden)
        if shared := _SHARED.get(self.config.draws):
            self.provenance = f"{self.provenance}; {shared}"  # type: ignore[misc]
        if self.config.nonlinear:
            curved = f"{self.config.nonlinear:g} of the variance of the scores is quadratic in x"
            self.provenance = f"{self.provenance}; {curved}"  # type: ignore[misc]
        self._demand = tuple(float(d) for d in self.config.demand)
        self._costs = tuple(float(c) for c in self.config.costs)

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: x (n, features), y (n, demands) one-hot.

        With one draw for all, seeds to choose on still have other data than seeds to score on.
        """
        c = self.config
        seed = seed if c.draws == "each" else first_of_its_kind(seed)
        if c.draws == "published":
            return published_demand(seed, c.sizes, c.n_features, len(c.demand))
        return own_demand(seed, c.sizes, c.n_features, len(c.demand), nonlinear=c.nonlinear)

    def decide(self, y_hat: Array, context: Context) -> Any:
        """Return the order quantity that is best for demand probabilities (..., demands)."""
        return inventory.order_quantity(y_hat, costs=self._costs, demand=self._demand)

    def cost(self, z: Array, y: Array, context: Context) -> Any:
        """Return the expected cost of ordering z (...) under demand probabilities y."""
        return inventory.cost(z, y, costs=self._costs, demand=self._demand)

    def worst(self, y: Array, context: Context) -> Any:
        """Return the paper's reference: no order at all. It is not the costliest decision."""
        return y.sum(-1) * 0.0

    def project(self, y_hat: Array) -> Any:
        """Return the nearest point of the simplex; probabilities come back as they are."""
        require_finite(y_hat)
        return project_simplex(y_hat)

    def sample(self, y_hat: Array, noise: Array) -> Any:
        """Return the point of the simplex that is nearest to y_hat + noise."""
        moved: Any = y_hat + noise
        require_finite(moved)
        return nearest_in_simplex(moved)

    def _regret(self, y_hat: Array, y: Array, context: Context) -> Any:
        return inventory.regret(y_hat, y, costs=self._costs, demand=self._demand)

    def prediction_loss(self, y_hat: Tensor, y: Tensor, scale: Tensor) -> Tensor:
        """Return the negative log-likelihood of the demand that came; as published, its negative probability.

        The published code gives probabilities to torch's NLLLoss, which expects their logarithms.
        """
        if self.config.predictor == "published":
            return -(y * y_hat).sum(-1)
        return -(y * y_hat.clamp_min(_SMALLEST_PROBABILITY).log()).sum(-1)

    def prediction_gradient(self, y_hat: Tensor, y: Tensor, scale: Tensor, weight: float) -> Tensor:
        """Return weight times -y / p, 0 where p is below the smallest probability; as published, of -y."""
        if self.config.predictor == "published":
            return y * -weight
        return (y * -weight).div_(y_hat).masked_fill_(y_hat < _SMALLEST_PROBABILITY, 0.0)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Any:
        """Return the order with its closed-form derivative, which is 0 at a kink and at no order.

        Takes probabilities, as the network's softmax gives them: the kernel checks, nothing is projected.
        """
        return self.decide(y_hat, context)

    def embed(self, z: Array, context: Context) -> Any:
        """Return what each demand costs after an order z (...), without the order itself: (..., demands)."""
        _, _, short, short_square, over, over_square = self._costs
        demand: Any = np.asarray(self._demand)
        if (torch := namespace(z)) is not np:
            demand = torch.as_tensor(demand, device=z.device)
        gap = demand - z[..., None]
        missing, left = gap.clip(0), (-gap).clip(0)
        return (short + short_square / 2 * missing) * missing + (over + over_square / 2 * left) * left

    def known(self, z: Array, context: Context) -> Any:
        """Return what the order itself costs."""
        price, square, *_ = self._costs
        return (price + square / 2 * z) * z

    def nearest_decision(self, z: Array) -> Any:
        """Return an order that is not negative."""
        return z.clip(0.0)

    def lowest(self, weights: Array, context: Context) -> Any:
        """Return the order up to the last demand that costs least under weights of any sign."""
        return inventory.lowest_order(weights, costs=self._costs, demand=self._demand)

    def floor(self, split: Split) -> np.ndarray | None:
        """Return the true demand probabilities p(y|x)."""
        return split.context["oracle_p"]
