"""What a fitted surrogate and its samples are measured by; predictions are (K, n, *targets)."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ..contracts.problem import Problem
from ..contracts.split import Split

DIRECTIONS = 64  # antithetic pairs of a smoothed gradient
STEP = 0.3  # of the smoothing, in standard deviations of the samples
ALIKE = (
    0.1  # predictions of one step that deviate less between instances, in units of the outcomes' deviation
)


def alike(y_hat: Tensor, y: Tensor) -> float:
    """Return the share of the steps at which the predictions hardly differ between instances."""
    deviations = [values.flatten(-y.ndim + 1).var(-2).sum(-1).sqrt() for values in (y_hat, y)]
    return float((deviations[0] < ALIKE * deviations[1]).double().mean())


def label_means(y: Tensor, regret: Tensor, held: Tensor) -> Tensor:
    """Return what is the best that a predictor of the label alone could say: each label's mean regret.

    Args:
        y: outcomes (n, *targets).
        regret: of the samples (K, n).
        held: which samples are meant (K, n).
    """
    _, label = np.unique(y.flatten(1).numpy(), axis=0, return_inverse=True)
    index = torch.from_numpy(label.reshape(-1))
    zero = torch.zeros(int(index.max()) + 1, dtype=regret.dtype)
    totals, counts = (zero.index_add(0, index, values.sum(0)) for values in (regret * held, held.double()))
    return (totals / counts.clamp_min(1.0))[index]


def cosines(
    problem: Problem,
    loss: Callable[[Tensor], Tensor],
    y_hat: Tensor,
    held: Tensor,
    rows: Split,
    rng: np.random.Generator,
) -> list[float]:
    """Return the mean cosines of ∇L and of ŷ − y with the gradient of the smoothed regret, where it has one.

    Each instance is asked at the last of its held-out samples. The truth is not asked.

    Args:
        problem: whose regret it is.
        loss: predictions (k, n, *targets) to losses (k, n).
        y_hat: the samples, the truth first.
        held: which of them the loss was not fitted on (K, n).
        rows: the training rows of one seed, (1, n, ...).
        rng: where the directions come from.
    """
    last = (held * torch.arange(len(held))[:, None]).amax(0)
    at = y_hat[last, torch.arange(len(last))].clone().requires_grad_()
    (slope,) = torch.autograd.grad(loss(at[None]).sum(), at)
    at = at.detach()
    noise = torch.from_numpy(rng.standard_normal((DIRECTIONS, *at.shape)))
    width = STEP * y_hat.std()  # of all samples: those of one step may be alike
    context = {name: values[0] for name, values in rows.context.items()}
    fast = problem.in_training
    rise = fast.regret(at + width * noise, rows.y[0], context) - fast.regret(
        at - width * noise, rows.y[0], context
    )
    smoothed = (rise.reshape(*rise.shape, *[1] * (at.ndim - 1)) * noise).mean(0).flatten(1)
    some = (smoothed.norm(dim=1) > 0.0) & (last > 0)
    return [
        float(torch.nn.functional.cosine_similarity(g.flatten(1)[some], smoothed[some], dim=1).mean())
        for g in (slope, at - rows.y[0])
    ]
