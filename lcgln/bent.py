"""A loss for decisions that move with the prediction: SPO+ with the curvature it has where it was solved.

A pool of planes bounds SPO+ from below. Continuous decisions hardly ever come twice, so the planes of a few
solves are loose as soon as the predictor moves. One plane that bends is not.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from .ensemble.batches import take


class BentLoss:
    """ℓ(ŷ) = f(z*; c) − f(v; c) + ½ (c − c₀)ᵀ J (c − c₀) with c = 2ŷ − y, for f(v; y) = ⟨y, φ(v)⟩ + r(v).

    v is the best decision at c₀ and J = −∂φ(v)/∂c₀. Value, gradient and curvature at c₀ are those of SPO+.
    J is positive semidefinite, because min_v f(v; c) is concave in c; so ℓ is convex in ŷ. No step solves.

    Args:
        y: outcomes (S, n, D).
        best: z*(y) as φ (S, n, D) and r (S, n).
        at: c₀, where the decisions are solved, (S, n, D).
        decide: c (S, n, D) to φ (S, n, D), which torch differentiates, and r (S, n) of the best decisions.
    """

    def __init__(
        self,
        y: Tensor,
        best: tuple[Tensor, Tensor],
        at: Tensor,
        decide: Callable[[Tensor], tuple[Tensor, Tensor]],
    ) -> None:
        self._y, self._at = y, at.detach()
        embedded, known, self._curvature = _with_curvature(decide, self._at)
        self._slope = best[0] - embedded  # of f(z*; c) − f(v; c) in c
        self._height = best[1] - known

    def __call__(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the loss of one prediction for each row, (S, m, D) -> (S, m).

        Args:
            y_hat: predictions (S, m, D).
            rows: which rows these are, (S, m); None for all.
        """
        c = 2.0 * y_hat - take(self._y, rows)
        away = c - take(self._at, rows)
        bend = (away.unsqueeze(-2) @ take(self._curvature, rows) @ away.unsqueeze(-1)).flatten(-3)
        return (c * take(self._slope, rows)).sum(-1) + take(self._height, rows) + 0.5 * bend

    def gradient(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the gradient in ŷ, (S, m, D): 2 (φ(z*) − φ(v) + J (c − c₀)).

        Args:
            y_hat: predictions (S, m, D).
            rows: which rows these are, (S, m); None for all.
        """
        away = 2.0 * y_hat - take(self._y, rows) - take(self._at, rows)
        bend = (take(self._curvature, rows) @ away.unsqueeze(-1)).squeeze(-1)
        return 2.0 * (take(self._slope, rows) + bend)


def _with_curvature(
    decide: Callable[[Tensor], tuple[Tensor, Tensor]], at: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """φ and r of the decisions at c, and −∂φ/∂c (S, n, D, D), the same from both sides."""
    with torch.enable_grad():
        c = at.clone().requires_grad_()
        embedded, known = decide(c)
        entries = embedded.unbind(-1)
        slopes = [torch.autograd.grad(entry.sum(), c, retain_graph=True)[0] for entry in entries]
    curvature = -torch.stack(slopes, -2)
    return embedded.detach(), known.detach(), 0.5 * (curvature + curvature.mT)
