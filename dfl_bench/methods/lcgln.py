"""LCGLN in the suite: the library's loss network on the shared bank, the shared predictor and loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from torch import Tensor

from lcgln.derivative import gradient_of_prediction
from lcgln.fit import fit_surrogate
from lcgln.surrogate import FORMS, HELD_ERRORS, Surrogate, SurrogateConfig

from .. import methods
from ..contracts.checks import require_choice
from ..contracts.method import Predictor, SeedBatched
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import SampledConfig
from ..training.samplers import sampler_of
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.surrogates import Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class LCGLNConfig(SampledConfig):
    """The paper's shape (one hidden layer, two nodes) and rates; `sampling_rate` is searched in its grid."""

    form: str = "paper"  # or "authors": the network of their code, one hidden layer as wide as a prediction
    hidden: tuple[int, ...] = (2,)  # of the form "paper"
    convex: bool = True  # False: weights between hidden layers are free, as in the authors' code
    scaled: bool = True  # predictions and regrets at scale one; False: as they are, as in the authors' code
    anchored: bool = False  # whether the loss is zero at the truth and nowhere less
    hold_out: str = "samples"  # what selects the loss's state: "samples", or "instances" with all of theirs
    held_error: str = "samples"  # "pairs": of all pairs of held-out samples, as in the authors' code
    surrogate_rate: float = 1e-3
    surrogate_steps: int = 3000

    def __post_init__(self) -> None:
        SampledConfig.__post_init__(self)
        require_choice(self, "form", *FORMS)
        require_choice(self, "held_error", *HELD_ERRORS)
        if self.anchored and not self.convex:
            raise ValueError("an anchored loss must be convex; leave one of anchored=true, convex=false out.")


@methods.register("lcgln", version=2, family="learned loss")
class LCGLN(SeedBatched):
    """Locally convex global loss network: a learned loss, convex in the prediction."""

    Config = LCGLNConfig
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "sampling_rate": Range(1e-2, 1.0),
        "checkpoints": Choice(("every", "log")),
        "trajectories": Choice((1, 4)),
        "hidden": Choice(((2,), (8,), (32,), (16, 16))),
        "surrogate_rate": Range(1e-3, 3e-2),
    }

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Algorithm 1: sample, fit the loss, train on it."""
        batch = SeedBatch(tasks)
        samples = self.sample(batch)
        surrogate = self.fit_loss(batch, samples.y_hat, samples.regret, rngs)
        network = batch.new_network()
        fit = batch.fit(network, SurrogateLoss(surrogate), self.config)
        return batch.predictors(network, fit)

    def sample(self, batch: SeedBatch) -> Samples:
        """Return the shared bank of samples."""
        return Samples(batch, sampler_of(self.config), self.config.samples)

    def fit_loss(
        self, batch: SeedBatch, y_hat: Tensor, regret: Tensor, rngs: Sequence[np.random.Generator]
    ) -> Surrogate:
        """Return the loss network of every seed, fitted to labelled samples.

        Args:
            batch: the seeds, S of them, trained together.
            y_hat: sampled predictions (S, K, n, *targets).
            regret: their regrets (S, K, n).
            rngs: one stream for each seed.
        """
        with batch.ledger.phase("surrogate"):
            return fit_surrogate(batch.train.y, y_hat, regret, config=self.surrogate_config(batch), rng=rngs)

    def surrogate_config(self, batch: SeedBatch) -> SurrogateConfig:
        """Return shape and fit of the loss network."""
        return SurrogateConfig(
            form=self.config.form,
            hidden=self.config.hidden,
            convex=self.config.convex,
            scaled=self.config.scaled,
            anchored=self.config.anchored,
            hold_out=self.config.hold_out,
            held_error=self.config.held_error,
            learning_rate=self.config.surrogate_rate,
            steps=self.config.surrogate_steps,
        )


class SurrogateLoss:
    """A fitted surrogate as a loss of the shared loop, with its gradient where that is written out."""

    def __init__(self, surrogate: Surrogate) -> None:
        self._surrogate = surrogate
        of_network = gradient_of_prediction(surrogate.network)
        self.gradient = None if of_network is None else partial(self._gradient, of_network)

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the surrogate of each row, (S, n)."""
        return self._surrogate(y_hat, rows.y)

    def _gradient(
        self,
        of_network: Callable[[Tensor, Tensor, Tensor], Tensor],
        y_hat: Tensor,
        rows: Minibatch,
        weight: float,
    ) -> Tensor:
        surrogate = self._surrogate
        slope = (weight * surrogate.scale).unsqueeze(-1).expand(y_hat.shape[:2])
        scaled = of_network(surrogate.standardize(y_hat), surrogate.standardize(rows.y), slope)
        return (scaled / surrogate.spread.view(-1, 1, 1)).view(y_hat.shape)
