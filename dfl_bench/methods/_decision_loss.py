"""What the losses share that solve at every step: the fit, the truth, and a gradient past the solver."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.task import Task
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions


@dataclass(frozen=True, slots=True)
class Truth:
    """The outcomes (*batch, *targets) of some rows, their best decisions, and their context."""

    y: Tensor
    best: Tensor
    context: Mapping[str, Tensor]


Loss = Callable[[Tensor, Truth], Tensor]  # predictions (S, n, *targets) and their truth to (S, n)


class DecisionLoss(SeedBatched):
    """A method whose loss looks at decisions for the prediction, and at the best ones for the outcome."""

    @property
    @abstractmethod
    def solves(self) -> int:
        """How often a step solves one instance."""

    @abstractmethod
    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss of one fit, with whatever it keeps from step to step."""

    def check(self, batch: SeedBatch, solutions: Solutions) -> None:
        """Raise where the settings do not suit the decisions of a problem."""

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Minimise the loss; the best decisions for the training outcomes are solved once."""
        batch = SeedBatch(tasks)
        step_loss, solutions = self.new_loss(batch, rngs), Solutions(batch)
        self.check(batch, solutions)
        network = batch.new_network()

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            y_hat, _ = keep_finite(y_hat, rows.y)
            batch.ledger.count(self.solves * rows.y.shape[0] * rows.y.shape[1])
            return step_loss(y_hat, Truth(rows.y, solutions.of(rows)[0], rows.context))

        fit = batch.fit(network, loss, self.config)
        return batch.predictors(network, fit)


class GivenGradient(torch.autograd.Function):
    """A loss whose gradient is given, not derived.

    The given gradient is that of one instance. So λ and all that stands in it mean the same for every size of
    a batch: the 1/n of a mean over rows comes afterwards.
    """

    @staticmethod
    def forward(ctx: Any, point: Tensor, value: Tensor, gradient: Tensor, target_dims: int) -> Tensor:
        """Return the value (*batch); point and gradient are (*batch, *targets), or draws of that."""
        assert point.shape == gradient.shape, f"gradient {gradient.shape} of a point {point.shape}"
        ctx.save_for_backward(gradient)
        ctx.target_dims = target_dims
        return value.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        """Return the given gradient, by what each instance counts."""
        (gradient,) = ctx.saved_tensors
        return gradient * grad.reshape(*grad.shape, *[1] * ctx.target_dims), None, None, None


def without_linear_cost(problem: Problem) -> str | None:
    """Return why a problem cannot serve a loss of ⟨y, w⟩, w = embed(z), or None when it can."""
    if not problem.offers("embed"):
        return f"the cost of {problem.name} is not linear in the outcome"
    return None


def with_known_cost(problem: Problem) -> str | None:
    """Return why a problem cannot serve a loss of ⟨y, w⟩ alone, or None when it can."""
    if problem.offers("known"):
        return f"the cost of {problem.name} has a part that no outcome changes"
    return without_linear_cost(problem)


def embedded(problem: Problem, z: Tensor, truth: Truth) -> Tensor:
    """Return w = embed(z)."""
    w = problem.embed(z, truth.context)
    assert w is not None, "see not_applicable"
    return w
