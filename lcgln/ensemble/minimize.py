"""The training loop of all methods: Adam, regular validation, and the best state of every member kept.

Losses and validation values are () for one model and (S,) for S members, members first as everywhere.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .adam import Adam, gradients_of


@dataclass(frozen=True, slots=True)
class Fit:
    """How a minimisation went; `*batch` is (S,) for S members and empty for one model."""

    best: Tensor  # the lowest validation value, (*batch)
    best_step: Tensor  # the step it was reached at, (*batch); 0 is the initial state
    lost: Tensor  # whether a validation value was not finite, (*batch)
    steps: int  # steps taken

    @property
    def diverged(self) -> Tensor:
        """Members whose values stopped being finite before any improved on the initial state, (*batch)."""
        return self.lost & (self.best_step == 0)


@dataclass(frozen=True, slots=True)
class Gradients:
    """A loss that the caller differentiates, in place of one that torch does."""

    at: Callable[[int], Sequence[Tensor | None]]  # step number to a gradient for each parameter


def minimize(
    parameters: Iterable[Tensor],
    loss: Callable[[int], Tensor] | Gradients,
    validate: Callable[[], Tensor],
    *,
    steps: int,
    learning_rate: float,
    every: int = 50,
    patience: int = 500,
    weight_decay: float = 0.0,
    observe: Callable[[Tensor], None] | None = None,
    keep: str = "best",
) -> Fit:
    """Minimise a loss by Adam and leave the parameters at their best validated state, or at their last.

    Members of an ensemble (leading dimensions of every parameter, of the loss and of the validation value)
    never influence each other: their losses are summed, Adam is elementwise, and each keeps its own best
    state and its own patience. A member whose patience has run out keeps its best state from then on.

    Args:
        parameters: what to train; each has the batch as its leading dimensions.
        loss: step number to the loss of each member, (*batch), or to the gradients of their sum.
        validate: the value that selects states, (*batch); lower is better, non-finite is never selected.
        steps: the largest number of steps.
        learning_rate: of Adam.
        every: steps between validations; the initial state is validated too.
        patience: steps without improvement after which a member stops.
        weight_decay: decoupled (AdamW); 0 is plain Adam.
        observe: called with each validation value.
        keep: "best", or "last": then all steps are taken, and the last state with a finite value is left.
    """
    params = list(parameters)
    optimizer = Adam(params, learning_rate, weight_decay)
    best_state = [p.detach().clone() for p in params]
    value = _finite_or_inf(validate())
    best, best_step = value.clone(), torch.zeros_like(value)
    lost = torch.isinf(value)
    running = ~lost
    gradients = loss.at if isinstance(loss, Gradients) else _by_torch(params, loss, best.shape)
    step = 0
    while step < steps:
        optimizer.step(gradients(step))
        step += 1
        if step % every and step != steps:
            continue
        value = _finite_or_inf(validate())
        if observe is not None:
            observe(value)
        lost |= running & torch.isinf(value)
        better = running & ((value < best) if keep == "best" else torch.isfinite(value))
        best = torch.where(better, value, best)
        best_step = torch.where(better, float(step), best_step)
        with torch.no_grad():
            for kept, p in zip(best_state, params, strict=True):
                kept.copy_(torch.where(better.view(better.shape + (1,) * (p.ndim - better.ndim)), p, kept))
        running &= (step - best_step < patience) & ~lost
        if not bool(running.any()):
            break
    with torch.no_grad():
        for kept, p in zip(best_state, params, strict=True):
            p.copy_(kept)
    return Fit(best, best_step, lost, step)


def _by_torch(
    params: Sequence[Tensor], loss: Callable[[int], Tensor], shape: torch.Size
) -> Callable[[int], Sequence[Tensor | None]]:
    def gradients(step: int) -> Sequence[Tensor | None]:
        total = loss(step)
        if total.shape != shape:
            raise ValueError(
                f"expected one loss for each member, shape {tuple(shape)}, got {tuple(total.shape)}."
            )
        return gradients_of(total, params)

    return gradients


def _finite_or_inf(value: Tensor) -> Tensor:
    value = value.detach()
    return torch.where(torch.isfinite(value), value, torch.inf)
