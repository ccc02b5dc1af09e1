"""What the problems with generated polynomial costs share: settings, rows, predictor and floor."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..contracts.checks import require_between, require_choice, require_counts
from ..contracts.linear import LinearProblem
from ..contracts.problem import Network
from ..contracts.split import Split, Splits
from ..data.polynomial import Polynomial, draw, stream


@dataclass(frozen=True, slots=True, kw_only=True)
class PolynomialConfig:
    """Sizes, how wrong a linear model is (degree), how much cannot be known (noise), and the predictor."""

    n_train: int = 1000
    n_val: int = 250
    n_test: int = 1000
    n_features: int = 5
    degree: int = 6
    noise: float = 0.5
    predictor: str = "linear"  # or "scaled": with a hidden layer
    hidden: int = 10  # nodes of that layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "n_features", "degree", "hidden")
        require_between(self, 0.0, 1.0, "noise")
        require_choice(self, "predictor", "linear", "scaled")


class PolynomialProblem(LinearProblem):
    """A linear cost whose coefficients are a polynomial of the features, times noise."""

    config: PolynomialConfig
    sweeps: ClassVar[tuple[str, ...]] = ("degree", "noise", "n_train")
    search_part = "test"  # generated for each seed

    def __init__(self, config: PolynomialConfig | None = None) -> None:
        super().__init__(config)
        c = self.config
        self.network = Network(
            outputs=self.n_costs,
            activation="linear",
            hidden=c.hidden if c.predictor == "scaled" else 0,
            batch=32,
            learning_rate=1e-2,
            passes=True,
        )

    @property
    @abstractmethod
    def n_costs(self) -> int:
        """How many costs an instance has."""

    def drawn(self, rng: np.random.RandomState, n: int) -> Polynomial:
        """Draw rows; a problem that draws something else before them replaces this."""
        c = self.config
        return draw(rng, n, c.n_features, self.n_costs, degree=c.degree, noise=c.noise)

    def outcomes(self, rows: Polynomial) -> tuple[np.ndarray, np.ndarray]:
        """Return the outcomes of drawn rows, and their means given the features."""
        return rows.expected * rows.noise, rows.expected

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: x (n, features), y (n, costs).

        `context["expected"]` is the mean of y given x: the floor needs it, a method must not read it.
        """
        c = self.config
        rows = self.drawn(stream(seed), c.n_train + c.n_val + c.n_test)
        y, expected = self.outcomes(rows)
        whole = Split(rows.x, y, {"expected": expected})
        first, second = c.n_train, c.n_train + c.n_val
        return Splits(whole[:first], whole[first:second], whole[second:])

    def floor(self, split: Split) -> Any:
        """Return the mean outcome given the features: the cost is linear, so nothing else matters."""
        return split.context["expected"]
