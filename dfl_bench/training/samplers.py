"""Where the predictions of a sample bank come from. Each sampler is its own configuration."""

from dataclasses import dataclass

import numpy as np

from ..contracts.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBased:
    """States of networks like the predictor while they learn to predict (EGL, LCGLN)."""

    learning_rate: float = 0.1
    checkpoints: str = "every"
    trajectories: int = 1

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return the truth and the states of the trajectories in turn, (K, n, *targets)."""
        from lcgln.sampling import model_based

        from .seed_batch import SeedBatch

        batch = SeedBatch([task])
        models = [batch.new_network(f"sampling-{i}") for i in range(self.trajectories)]
        drawn = model_based(
            models,
            batch.train.x,
            batch.train.y,
            samples,
            learning_rate=self.learning_rate,
            checkpoints=self.checkpoints,
        )
        return drawn[:, 0].cpu().numpy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbed:
    """The truth with noise in a few entries (LODL); `width` is in standard deviations of the labels."""

    entries: int = 2
    width: float = 1.0

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return the truth and its perturbations made admissible, (K, n, *targets)."""
        from lcgln.sampling import perturbed

        y = task.train.y
        std = self.width * float(y.std()) + 1e-5
        drawn = perturbed(y, samples, entries=self.entries, std=std, rng=task.rng("perturbed"))
        drawn[1:] = task.problem.project(drawn[1:])
        return drawn
