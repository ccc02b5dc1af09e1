"""The contract of a predict-then-optimize problem."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from .arrays import A, Array, Tensor, require_finite
from .fingerprint import files_digest, plain
from .meter import Meter
from .polytope import Polytope
from .split import Split, Splits

Context = Mapping[str, Any]  # what belongs to each instance, by name, as arrays


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The predictor every method trains on a problem, and how: part of the problem, the same for all.

    A network with one hidden layer, or none, maps the last axis of x to `outputs` numbers; the prediction is
    ``label_scale * activation(raw)``, reshaped to y. How labels are scaled moves every method more than the
    choice of method does, hence it is fixed here.
    """

    outputs: int
    activation: str  # "softmax", "softplus", "relu", "tanh" or "linear"
    hidden: int = 10  # nodes of the hidden layer; 0: no such layer
    steps: int = 2000
    batch: int | None = None  # instances of a step; None is all of them
    learning_rate: float = 1e-3  # for the methods that do not say otherwise
    passes: bool = (
        False  # whether batches go through the rows in passes, or are drawn from all rows each time
    )
    # Whether features come as they were measured: the network sees them in standard units of the training
    # rows, and its predictions begin at the mean outcome.
    standardize: bool = False


class Problem(ABC):
    """Data, a decision, and what a decision costs. Arrays are float64, batch dimensions first.

    Arrays may be NumPy or torch; a problem passes them on to kernels that give back the same kind.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Config: ClassVar[type]  # a frozen dataclass with a default for every field

    provenance: ClassVar[str]  # what the data is: "synthetic: ...", "real: ...", "user-supplied: ..."
    target_dims: ClassVar[int] = 1  # trailing axes of y that belong to one instance
    # What a search scores on its own seeds. "val" rows select the state of a fit too, which flatters settings
    # with noisy fits; "test" rows do not, but are free only where no scoring seed can hold the same rows.
    search_part: ClassVar[Literal["val", "test"]] = "val"
    # Whether `worst` is the costliest decision; else a declared one, and a score may exceed 1.
    worst_is_costliest: ClassVar[bool] = True
    # Whether tables also show Σ regret / Σ |optimal cost|, the divisor of papers on linear problems.
    shows_relative_regret: ClassVar[bool] = False
    # Settings that experiments vary: boards name them always, figures draw against them.
    sweeps: ClassVar[tuple[str, ...]] = ()
    # Settings that make another problem of it: what a search found with one value does not serve another.
    searched_apart: ClassVar[tuple[str, ...]] = ()
    # Whether `source_digest` covers the rows themselves, wherever they were read from.
    holds_its_rows: ClassVar[bool] = False
    network: Network
    predictor: Any = None  # a user's torch module, a function that makes one, or a scikit-learn regressor
    meter: Meter | None = None  # counts the calls of a solver whose solutions are kept

    def __init__(self, config: Any = None) -> None:
        self.config = self.Config() if config is None else config

    def __repr__(self) -> str:
        settings = plain(self.settings)
        usual = plain(type(self.settings)())
        shown = "".join(f", {k}={v!r}" for k, v in settings.items() if v != usual[k])
        return f"<problem {self.name}{shown}: {self.provenance}>"

    @abstractmethod
    def data(self, seed: int) -> Splits:
        """Return the train, validation and test rows of a seed."""

    def rows_to_fit(self, seed: int) -> tuple[Split, Split]:
        """Return the rows to train and to choose on where nothing will be scored: a fit for use."""
        return self.data(seed)[:2]

    @property
    def settings(self) -> Any:
        """The configuration that names this problem in keys and tables."""
        return self.config

    def with_predictor(self, predictor: Any) -> "Problem":
        """Return the same problem with a user's predictor in place of its network."""
        if isinstance(predictor, str | Network):
            raise ValueError(
                "expected a torch module, a function that makes one, or a regressor as the predictor of "
                f"{self.name}, "
                f"got {predictor!r}; a predictor by name is a setting of `make_problem`."
            )
        other = copy.copy(self)
        other.predictor = predictor
        return other

    def offers(self, capability: str) -> bool:
        """Return whether an optional part is there, such as "embed" or "decision_layer"."""
        return getattr(type(self), capability) is not getattr(Problem, capability)

    @abstractmethod
    def decide(self, y_hat: A, context: Context) -> A:
        """Return the decision that is optimal for an admissible prediction (see `project`)."""

    @abstractmethod
    def cost(self, z: A, y: A, context: Context) -> A:
        """Return what decision z costs under outcome y, shape (...); lower is better, always.

        Args:
            z: decisions, one for each leading index.
            y: outcomes (..., *targets).
            context: what belongs to each instance, by name.
        """

    @abstractmethod
    def worst(self, y: A, context: Context) -> A:
        """Return the declared reference decision under the true outcome, whose regret normalizes scores."""

    def project(self, y_hat: A) -> A:
        """Return the nearest prediction a kernel admits; labels are never projected.

        A NaN or an infinity is an error: whoever overrides this calls `require_finite` first.
        """
        require_finite(y_hat)
        return y_hat

    def regret(self, y_hat: A, y: A, context: Context) -> A:
        """Return the excess cost of acting on y_hat instead of y, shape (...).

        Leading dimensions broadcast: samples (K, N, ...) against outcomes (N, ...).

        Args:
            y_hat: predictions (..., *targets).
            y: outcomes (..., *targets).
            context: what belongs to each instance, by name.
        """
        self._check_shape("y_hat", y_hat, y)
        return self._regret(self.project(y_hat), y, context)

    def _regret(self, y_hat: A, y: A, context: Context) -> A:
        """Regret of an admissible prediction; a problem with a fused kernel replaces this."""
        return self.cost(self.decide(y_hat, context), y, context) - self.optimal_cost(y, context)

    def optimal_cost(self, y: A, context: Context) -> A:
        """Return the cost of the best decision under the true outcome."""
        return self.cost(self.decide(y, context), y, context)

    def worst_regret(self, y: A, context: Context) -> A:
        """Return the regret of the reference decision, the denominator of normalized regret."""
        return self.cost(self.worst(y, context), y, context) - self.optimal_cost(y, context)

    def _check_shape(self, label: str, given: Array, y: Array) -> None:
        expected: tuple[int, ...] = tuple(y.shape[y.ndim - self.target_dims :])
        if tuple(given.shape[-self.target_dims :]) != expected:
            want = ", ".join(["...", *map(str, expected)])
            raise ValueError(
                f"expected {label} of shape ({want}) for {type(self).__name__}, got {tuple(given.shape)}."
            )

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's files that `data` reads: their content is part of every record's key."""
        return ()

    @property
    def source_digest(self) -> str:
        """Sixteen hex digits of the content of `data_files`, "" where there are none."""
        return files_digest(self.data_files)

    @property
    def in_training(self) -> "Problem":
        """The same problem with the solver meant for validation and for steps that solve."""
        return self

    def label_scale(self, train: Split) -> float:
        """Return the factor between a network's activation and a prediction."""
        return 1.0

    def prediction_loss(self, y_hat: Tensor, y: Tensor, scale: Tensor) -> Tensor:
        """Return the per-instance prediction error PFL minimizes: the mean squared error in label scales.

        Args:
            y_hat: predictions (..., *targets).
            y: outcomes (..., *targets).
            scale: the label scale; it broadcasts against y.
        """
        error = ((y_hat - y) / scale) ** 2
        return error.flatten(-self.target_dims).mean(-1)

    def prediction_gradient(self, y_hat: Tensor, y: Tensor, scale: Tensor, weight: float) -> Tensor:
        """Return the gradient of weight times `prediction_loss` in y_hat, faster than torch finds it.

        A problem may replace the loss alone: torch differentiates it then, and this is not called.

        Args:
            y_hat: predictions (..., *targets).
            y: outcomes (..., *targets).
            scale: the label scale; it broadcasts against y.
            weight: what the loss of one instance counts.
        """
        entries = math.prod(y.shape[y.ndim - self.target_dims :])
        return (y_hat - y).div_(scale).mul_(2.0 * weight / entries).div_(scale)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Tensor | None:
        """Return a decision that torch differentiates with respect to y_hat, or None where there is none."""
        return None

    def sample(self, y_hat: A, noise: A) -> A:
        """Return y_hat moved by noise, made admissible; torch differentiates it with respect to both.

        Leading dimensions broadcast: noise (M, N, ...) gives M moved copies of predictions (N, ...). A
        training step calls it, so on a device nothing may be read on the host.
        """
        return self.project(y_hat + noise)

    def embed(self, z: A, context: Context) -> A | None:
        """Return φ(z), of the shape of y, where cost(z, y) = ⟨y, φ(z)⟩ + known(z); None where it is not so.

        Leading dimensions are those of z and of the context, as in `cost`.
        """
        return None

    def known(self, z: A, context: Context) -> A | float:
        """Return the part of the cost that no outcome changes, shape (...); see `embed`."""
        return 0.0

    def cost_under(self, z: A, weights: A, context: Context) -> A:
        """Return ⟨weights, φ(z)⟩ + known(z): the cost under numbers that need not be an admissible outcome.

        Args:
            z: decisions, one for each leading index.
            weights: of the shape of outcomes (..., *targets).
            context: what belongs to each instance, by name.
        """
        embedded = self.embed(z, context)
        assert embedded is not None, "a method that asks for this refuses problems without `embed`"
        return (weights * embedded).sum(tuple(range(-self.target_dims, 0))) + self.known(z, context)

    def lowest(self, weights: A, context: Context) -> A:
        """Return the decision with the least `cost_under` weights, such as 2ŷ - y of SPO+.

        A problem with `embed` replaces this where `decide` takes admissible predictions only.
        """
        return self.decide(weights, context)

    def polytope(self) -> Polytope | None:
        """Return the set of decisions as linear constraints, or None where it is not such a set."""
        return None

    def nearest_decision(self, z: A) -> A | None:
        """Return the nearest point of the smallest convex set that holds all decisions, or None.

        None is for problems without a fast exact projection. z has the shape of decisions, (...) before it.
        """
        return None

    def floor(self, split: Split) -> np.ndarray | None:
        """Return the prediction no policy can beat in expectation, or None where nobody knows it."""
        return None
