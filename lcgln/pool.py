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

    def of(self, rows: Tensor | None) -> "Decisions":
        """Return those of some rows (S, m); all of them for None. One set for all rows stays as it is."""
        return Decisions(
            *(v if v.shape[1] == 1 else take(v, rows) for v in (self.embedded, self.known, self.real))
        )

    def costs(self, y_hat: Tensor) -> Tensor:
        """Return what decisions cost under k predictions of each row, (S, n, k, D) -> (S, n, k, P)."""
        if self.embedded.shape[1] == 1:  # one product for all rows takes a tenth of the time
            flat = y_hat.flatten(1, 2) @ self.embedded.squeeze(1).mT
            product = flat.unflatten(1, y_hat.shape[1:3])
        else:
            product = y_hat @ self.embedded.mT
        return product + self.known.unsqueeze(2)

    def mixed(self, weights: Tensor) -> Tensor:
        """Return Σ_v w_v φ(v), (S, n, P) -> (S, n, D)."""
        if self.embedded.shape[1] == 1:
            return weights @ self.embedded.squeeze(1)
        return (weights.unsqueeze(2) @ self.embedded).squeeze(2)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The best decision of each row beside the decisions of several sets."""

    best: Decisions  # z*(y), one for each row: (S, n, 1, D)
    parts: Sequence[Decisions]

    def gaps(self, y_hat: Tensor) -> Tensor:
        """Return d_v(ŷ) = f(z*(y); ŷ) − f(v; ŷ), > 0 where a prediction prefers v to the best decision.

        Args:
            y_hat: k predictions of each row, (S, n, k, D).

        Returns:
            (S, n, k, P), affine in ŷ.
        """
        return self.best.costs(y_hat) - torch.cat([part.costs(y_hat) for part in self.parts], -1)

    def gradient(self, weights: Tensor) -> Tensor:
        """Return the gradient of Σ_v w_v d_v(ŷ) in ŷ: Σ_v w_v (φ(z*) − φ(v)), (S, n, P) -> (S, n, D)."""
        sizes = [part.known.shape[-1] for part in self.parts]
        theirs = sum(
            part.mixed(each) for part, each in zip(self.parts, weights.split(sizes, -1), strict=True)
        )
        return self.best.mixed(weights.sum(-1, keepdim=True)) - theirs


class Pool:
    """Decisions that all rows are compared on, and what each costs too much.

    `regret` (S, n, P) is ρ_v = f(v; y) − f(z*(y); y), never negative; `real` (S, n, P) says where v is.

    Args:
        best: z*(y), one for each row: (S, n, 1, D).
        parts: the decisions; one that stands in two parts counts twice.
        y: outcomes (S, n, D).
    """

    def __init__(self, best: Decisions, parts: Sequence[Decisions], y: Tensor) -> None:
        if not parts:
            raise ValueError("expected at least one set of decisions, got none.")
        self._all = Comparison(best, list(parts))
        n = y.shape[1]
        self.real = torch.cat([part.real.expand(-1, n, -1) for part in parts], -1)
        # Rounding may find a decision better than the best one.
        self.regret = -self._all.gaps(y.unsqueeze(2)).squeeze(2).clamp_max(0.0)

    def of(self, rows: Tensor | None) -> Comparison:
        """Return the decisions that some rows (S, m) are compared on, fetched once; all rows for None."""
        if rows is None:
            return self._all
        return Comparison(self._all.best.of(rows), [part.of(rows) for part in self._all.parts])
