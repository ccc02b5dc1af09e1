"""LAVA: the best decision is to beat the vertices next to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from kernels.polytope import Polytope
from kernels.polytope.edges import neighbours
from lcgln.ensemble.batches import take

from .. import methods
from ..contracts.checks import require_between, require_counts
from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ._relaxed import constraints, labelled, sign_of, without_vertex


@dataclass(frozen=True, slots=True, kw_only=True)
class LAVAConfig(TrainingConfig):
    """How clearly a neighbour must be beaten, in label scales, and which vertices count as neighbours."""

    margin: float = 0.1
    changes: int | None = None  # leave out neighbours that differ in more entries; None: all of them

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_between(self, 0.0, 1e6, "margin")
        require_counts(self, "changes")


def adjacent_vertex(costs: Tensor, edges: Tensor, counts: Tensor, margin: float) -> Tensor:
    """Return the mean over vertices v next to z* of max(c·(z* - v), -margin): (...).

    Args:
        costs: predicted costs c (..., d).
        edges: z* - v (..., m, d); rows from `counts` on are not read.
        counts: how many of the m are neighbours, (...).
        margin: not negative.
    """
    gaps = (edges @ costs.unsqueeze(-1)).squeeze(-1).clamp_min(-margin)
    counted = torch.arange(gaps.shape[-1], device=gaps.device) < counts.unsqueeze(-1)
    return torch.where(counted, gaps, 0.0).sum(-1) / counts


class Edges:
    """The edges at some vertices (..., d): those of each distinct vertex are found once."""

    def __init__(self, polytope: Polytope, vertices: Tensor, changes: int | None = None) -> None:
        flat = vertices.reshape(-1, vertices.shape[-1]).cpu().numpy()
        distinct, which = np.unique(flat, axis=0, return_inverse=True)
        found = [z - neighbours(polytope, z, changes=changes) for z in distinct]
        counts = np.array([len(edges) for edges in found], dtype=np.float64)
        if not counts.all():
            raise ValueError(
                f"expected neighbours of all vertices, got none with changes={changes}; raise it."
            )
        padded = np.zeros((len(found), int(counts.max()), flat.shape[-1]))
        for row, edges in zip(padded, found, strict=True):
            row[: len(edges)] = edges
        device = vertices.device
        self.edges, self.counts = (torch.as_tensor(a, device=device) for a in (padded, counts))
        self.which = torch.as_tensor(which.reshape(vertices.shape[:-1]), device=device)

    def of(self, index: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the edges (S, n, m, d) of some rows of seeds and how many they are (S, n)."""
        which = take(self.which, index)
        return self.edges[which], self.counts[which]


@methods.register("lava", version=1, family="geometry")
class LAVA(SeedBatched):
    """Hinge over the vertices next to the best decision, found once (Berden et al. 2025)."""

    Config = LAVAConfig
    # A matching of ten has 1,112,073 neighbours. 45 of them change four pairs, those that swap two jobs.
    paper = {"matching": {"changes": 4}}
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "margin": Range(1e-2, 1e1),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose best decisions are no vertices of a linear program."""
        return without_vertex(problem)

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Find the neighbours of all best decisions once; then no step solves anything."""
        batch, c = SeedBatch(tasks), self.config
        sign, network, vertices = sign_of(batch.problem), batch.new_network(), labelled(batch)
        with batch.ledger.phase("label"):
            edges = Edges(constraints(batch.problem), vertices, c.changes)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            costs = sign * keep_finite(y_hat, rows.y)[0] / batch.scale_like(rows.y)
            return adjacent_vertex(costs, *edges.of(rows.index), c.margin)

        return batch.predictors(network, batch.fit(network, loss, c))
