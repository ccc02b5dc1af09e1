"""CaVE: predicted costs are turned towards the cone of costs for which the best decision is the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from kernels.polytope import Normals, normals, project_cone
from lcgln.ensemble.batches import take

from .. import methods
from ..contracts.checks import require_choice
from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ._relaxed import constraints, labelled, sign_of, without_vertex

STEPS = 3  # of the interior point, in "plus"
PROJECTED = 0.3  # probability of a projection, in "hybrid"
INWARDS = 0.2  # weight of the mean of normals without one
VARIANTS = ("exact", "plus", "hybrid")

Target = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaVEConfig(TrainingConfig):
    """Which point of the cone predictions are turned to."""

    variant: str = "plus"  # a point inside; "exact": the nearest; "hybrid": mostly by a mean of normals

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_choice(self, "variant", *VARIANTS)


def alignment(q: Tensor, point: Tensor) -> Tensor:
    """Return 1 - cos(q, point) of vectors (..., d), the point a constant: (...); 1 where one is zero."""
    return 1 - torch.cosine_similarity(q, point.detach(), dim=-1)


def inwards(q: Tensor, units: Tensor, tight: Tensor) -> Tensor:
    """Return 0.8 q/‖q‖ + 0.2 times the mean of the tight normals, (..., d): no projection at all.

    Args:
        q: (..., d).
        units: all normals at length one, (k, d).
        tight: which of them are tight, (..., k).
    """
    share = tight.to(q.dtype)
    mean = share @ units / share.sum(-1, keepdim=True).clamp_min(1)
    return (1 - INWARDS) * normalize(q, dim=-1) + INWARDS * mean


@methods.register("cave", version=1, family="geometry")
class CaVE(SeedBatched):
    """Angle between predicted costs and the cone of the best decision's normals (Tang and Khalil 2024)."""

    Config = CaVEConfig
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "variant": Choice(VARIANTS),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose best decisions are no vertices of a linear program."""
        return without_vertex(problem)

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Find the tight constraints of all training rows once; then no step solves anything."""
        batch = SeedBatch(tasks)
        sign, network = sign_of(batch.problem), batch.new_network()
        vectors, tight = normals(constraints(batch.problem), labelled(batch))
        target = self.target(vectors, rngs)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            q = -sign * keep_finite(y_hat, rows.y)[0]
            return alignment(q, target(q.detach(), take(tight, rows.index)))  # type: ignore[arg-type]

        return batch.predictors(network, batch.fit(network, loss, self.config))

    def target(self, vectors: Normals, rngs: Sequence[np.random.Generator]) -> Target:
        """Return the function that gives q (S, n, d) its point of the cone of tight normals (S, n, k)."""
        steps = None if self.config.variant == "exact" else STEPS

        def project(q: Tensor, tight: Tensor) -> Tensor:
            return project_cone(q, vectors, tight, steps=steps)  # type: ignore[return-value]

        if self.config.variant != "hybrid":
            return project
        units = normalize(torch.as_tensor(vectors.matrix), dim=-1).numpy()

        def hybrid(q: Tensor, tight: Tensor) -> Tensor:
            point = inwards(q, torch.as_tensor(units, device=q.device), tight)
            for seed, rng in enumerate(rngs):
                if rng.random() < PROJECTED:
                    point[seed] = project(q[seed], tight[seed])
            return point

        return hybrid
