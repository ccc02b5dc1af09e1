"""A pool of solutions: the distinct decisions that losses compare with the best one (NCE, LTR, MAP)."""

from typing import Self

import numpy as np

from ..contracts.task import Task


class Pool:
    """Distinct decisions in the order they came, (P, ...): an earlier pool is a prefix of a later one."""

    def __init__(self, decisions: np.ndarray) -> None:
        self._known: set[bytes] = set()
        self._decisions: list[np.ndarray] = []
        self.add(decisions)
        if not self._decisions:
            raise ValueError("expected at least one decision to begin a pool with, got none.")

    @classmethod
    def of(cls, task: Task) -> Self:
        """Return the best decisions for the training outcomes as a pool; the solves are charged to labels."""
        with task.ledger.phase("label"):
            best = task.problem.in_training.decide(task.train.y, task.train.context)
            task.ledger.count(len(task.train))
        return cls(best)

    def add(self, decisions: np.ndarray) -> int:
        """Take over the decisions (n, ...) that are new; return how many."""
        before = len(self._decisions)
        for decision in np.asarray(decisions, dtype=np.float64):
            content = (decision + 0.0).tobytes()  # -0.0 and 0.0 are one decision
            if content not in self._known:
                self._known.add(content)
                self._decisions.append(decision.copy())
        return len(self._decisions) - before

    def __len__(self) -> int:
        return len(self._decisions)

    @property
    def decisions(self) -> np.ndarray:
        """All decisions, (P, ...)."""
        return np.stack(self._decisions)

    def costs(self, task: Task, y: np.ndarray) -> np.ndarray:
        """Return what every decision costs under outcomes or predictions y of the training rows, (n, P)."""
        decisions = self.decisions
        shape = (len(decisions), len(y), *decisions.shape[1:])
        every = np.broadcast_to(decisions[:, None], shape)  # (P, n, ...) against outcomes (n, ...)
        return task.problem.cost(every, y, task.train.context).T
