"""A pool of solutions: the distinct decisions that losses compare with the best one (NCE, LTR, MAP)."""

import torch
from torch import Tensor

from lcgln.ensemble.batches import take

from ..contracts.problem import Context, Problem


class Pool:
    """Distinct decisions of one seed in the order they came, and what they cost; all on one device.

    An earlier pool is a prefix of a later one. `best` (n,) is the place of each training row's best decision.
    """

    def __init__(self, problem: Problem, context: Context, decisions: Tensor) -> None:
        """Begin with the best decisions (n, ...) for the training outcomes.

        Args:
            problem: what the decisions are of.
            context: that of the training rows, (n, ...) by name.
            decisions: one for each training row.
        """
        self._problem, self._context = problem, context
        self._places: dict[bytes, int] = {}
        self._embedded: Tensor | None = None  # (P, D), where the cost is linear in the outcome
        self._known: Tensor | None = None  # (n or 1, P), what the outcome does not change
        self.decisions = decisions[:0]
        self.best = torch.tensor(self.add(decisions), device=decisions.device)
        if not len(self):
            raise ValueError("expected at least one decision to begin a pool with, got none.")

    def __len__(self) -> int:
        return len(self._places)

    def add(self, decisions: Tensor, limit: int | None = None) -> list[int]:
        """Take over the decisions (n, ...) that are new; return the places of all, -1 for those left out.

        The host reads the decisions: on another device it waits for them.

        Args:
            decisions: one for each row.
            limit: how many decisions the pool may hold; None for any number.
        """
        places, new = [], []
        for row, decision in enumerate(decisions.detach().cpu().numpy() + 0):  # -0.0 and 0.0 are one decision
            content = decision.tobytes()
            if content not in self._places and (limit is None or len(self) < limit):
                self._places[content] = len(self)
                new.append(row)
            places.append(self._places.get(content, -1))
        if new:
            self._append(decisions.detach()[new])
        return places

    def _append(self, new: Tensor) -> None:
        self.decisions = torch.cat([self.decisions, new])
        each = new.unsqueeze(1)  # (k, 1, ...) against the rows (n, ...) of the context
        embedded = self._problem.embed(each, self._context)
        if embedded is None or embedded.shape[1] != 1:  # not linear, or in every row another function
            return
        # A plugin's zeros and ones may be of single precision.
        self._embedded = _joined(self._embedded, embedded.flatten(1).double(), 0)
        known = self._problem.known(each, self._context)
        if isinstance(known, Tensor):
            self._known = _joined(self._known, known.mT.double(), 1)

    def costs(self, y: Tensor, index: Tensor | None) -> Tensor:
        """Return what every decision costs under predictions or outcomes of training rows, (n, P).

        A cost that is not linear is that of the admissible prediction, by which decisions are made, too.

        Args:
            y: (n, *targets).
            index: which training rows these are, (n,); None: all of them.
        """
        if self._embedded is None:
            context = {name: take(values, index) for name, values in self._context.items()}
            return self._problem.cost(self.decisions.unsqueeze(1), self._problem.project(y), context).mT
        product = y.flatten(1) @ self._embedded.mT
        if self._known is None:
            return product
        return product + (self._known if len(self._known) == 1 else take(self._known, index))

    def differences(self, y_hat: Tensor, y: Tensor, index: Tensor | None) -> Tensor:
        """Return the costs under predictions less those under outcomes, (n, P).

        Args:
            y_hat: (n, *targets).
            y: (n, *targets).
            index: which training rows these are, (n,); None: all of them.
        """
        if self._embedded is None:
            return self.costs(y_hat, index) - self.costs(y, index)
        return (y_hat - y).flatten(1) @ self._embedded.mT


def _joined(old: Tensor | None, new: Tensor, axis: int) -> Tensor:
    return new if old is None else torch.cat([old, new], axis)
