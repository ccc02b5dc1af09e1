"""Decisions that rows are compared on, where what a decision costs is linear in the outcome.

Tensors have S members first, as many as losses that are fitted as one batch; below, n rows of each, D entries
of an outcome and P decisions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .ensemble.batches import take


@dataclass(frozen=True, slots=True)
class Decisions:
    """Some decisions v by what they cost, f(v; ŷ) = ⟨ŷ, φ(v)⟩ + r(v): those of each row, or one set for all.

    Where members or rows have fewer decisions than others, the places that are left are not `real`.
    """

    embedded: Tensor  # φ, (S, n or 1, P, D)
    known: Tensor  # r, (S, n or 1, P)
    real: Tensor  # whether there is a decision, (S, n or 1, P)

    def costs(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return what decisions cost under k predictions of each row, (S, m, k, P).

        Args:
            y_hat: (S, m, k, D).
            rows: which rows these are, (S, m); None for all.
        """
        if self.embedded.shape[1] == 1:  # one product for all rows takes a tenth of the time
            flat = y_hat.flatten(1, 2) @ self.embedded.squeeze(1).mT
            product = flat.unflatten(1, y_hat.shape[1:3])
        else:
            product = y_hat @ take(self.embedded, rows).mT
        return product + _of(self.known, rows).unsqueeze(2)

    def mixed(self, weights: Tensor, rows: Tensor | None) -> Tensor:
        """Return Σ_v w_v φ(v), (S, m, D).

        Args:
            weights: (S, m, P).
            rows: which rows these are, (S, m); None for all.
        """
        if self.embedded.shape[1] == 1:
            return weights @ self.embedded.squeeze(1)
        return (weights.unsqueeze(2) @ take(self.embedded, rows)).squeeze(2)


class Pool:
    """The decisions of several sets beside the best one of each row, and what each costs too much.

    `regret` (S, n, P) is ρ_v = f(v; y) − f(z*(y); y), never negative; `real` (S, n, P) says where v is.

    Args:
        best: z*(y), one for each row: (S, n, 1, D).
        parts: the decisions; one that stands in two parts counts twice.
        y: outcomes (S, n, D).
    """

    def __init__(self, best: Decisions, parts: Sequence[Decisions], y: Tensor) -> None:
        if not parts:
            raise ValueError("expected at least one set of decisions, got none.")
        self._best, self._parts = best, list(parts)
        self._sizes = [part.known.shape[-1] for part in parts]
        n = y.shape[1]
        self.real = torch.cat([part.real.expand(-1, n, -1) for part in parts], -1)
        # Rounding may find a decision better than the best one.
        self.regret = -self.gaps(y.unsqueeze(2), None).squeeze(2).clamp_max(0.0)

    def gaps(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return d_v(ŷ) = f(z*(y); ŷ) − f(v; ŷ), > 0 where a prediction prefers v to the best decision.

        Args:
            y_hat: k predictions of each row, (S, m, k, D).
            rows: which rows these are, (S, m); None for all.

        Returns:
            (S, m, k, P), affine in ŷ.
        """
        costs = [part.costs(y_hat, rows) for part in self._parts]
        return self._best.costs(y_hat, rows) - torch.cat(costs, -1)

    def gradient(self, weights: Tensor, rows: Tensor | None) -> Tensor:
        """Return the gradient of Σ_v w_v d_v(ŷ) in ŷ: Σ_v w_v (φ(z*) − φ(v)).

        Args:
            weights: (S, m, P).
            rows: which rows these are, (S, m); None for all.

        Returns:
            (S, m, D).
        """
        parts = zip(self._parts, weights.split(self._sizes, -1), strict=True)
        theirs = sum(part.mixed(each, rows) for part, each in parts)
        return self._best.mixed(weights.sum(-1, keepdim=True), rows) - theirs


def _of(values: Tensor, rows: Tensor | None) -> Tensor:
    return values if values.shape[1] == 1 else take(values, rows)
