"""Predictions to label with regrets: states of a model in training, or the truth with noise.

Every sampler returns the truth first, and its first samples do not depend on how many are asked for.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from .ensemble.adam import Adam, gradients_of


def model_based(
    models: Sequence[nn.Module],
    x: Tensor,
    y: Tensor,
    samples: int,
    *,
    learning_rate: float,
    loss: Callable[[Tensor, Tensor], Tensor] = nn.functional.mse_loss,
    checkpoints: str = "every",
) -> Tensor:
    """Return the truth and the predictions of models on their way from random to trained, (K, n, *targets).

    Args:
        models: trained in place, one trajectory for each; their states are taken in turn.
        x: features (n, ...).
        y: outcomes (n, *targets).
        samples: K, the truth included.
        learning_rate: of full-batch Adam; the states of a slow trajectory are all alike.
        loss: what the models minimise.
        checkpoints: "every" step, as in the paper, or "log": the number of the step grows by a quarter each
            time, so that few samples cover a whole training.
    """
    _check_samples(samples)
    paths = [_states(model, x, y, learning_rate, loss, checkpoints) for model in models]
    drawn = [y, *(next(paths[k % len(paths)]) for k in range(samples - 1))]
    return torch.stack(drawn)


def _states(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    learning_rate: float,
    loss: Callable[[Tensor, Tensor], Tensor],
    checkpoints: str,
) -> Iterator[Tensor]:
    parameters = list(model.parameters())
    optimizer = Adam(parameters, learning_rate)
    stops = _schedule(checkpoints)
    step, stop = 0, next(stops)
    while True:
        # The prediction a step starts from is the state before it: one forward pass serves both.
        prediction = model(x)
        if step == stop:
            yield prediction.detach()
            stop = next(stops)
        optimizer.step(gradients_of(loss(prediction, y), parameters))
        step += 1


def _schedule(checkpoints: str) -> Iterator[int]:
    if checkpoints not in ("every", "log"):
        raise ValueError(f"expected checkpoints 'every' or 'log', got {checkpoints!r}.")
    step = 0
    while True:
        yield step
        step += 1 if checkpoints == "every" else max(1, round(step / 4))


def gaussian(y: np.ndarray, samples: int, *, std: float, rng: np.random.Generator) -> np.ndarray:
    """Return the truth and K − 1 copies with independent noise in every entry, (K, *y.shape).

    Args:
        y: outcomes (n, *targets).
        samples: K, the truth included.
        std: standard deviation of the noise.
        rng: where the noise comes from.
    """
    _check_samples(samples)
    return np.stack([y, *(y + std * rng.standard_normal(y.shape) for _ in range(samples - 1))])


def perturbed(
    y: np.ndarray, samples: int, *, entries: int, std: float, rng: np.random.Generator
) -> np.ndarray:
    """Return the truth and K − 1 copies with noise in a few random entries of each instance, (K, *y.shape).

    These are the samples of LODL. One entry shows the diagonal of the loss, two show its interactions. An
    entry that is drawn twice gets both noises.

    Args:
        y: outcomes (n, *targets).
        samples: K, the truth included.
        entries: how many entries of each instance to draw.
        std: standard deviation of the noise.
        rng: where entries and noise come from.
    """
    _check_samples(samples)
    flat = y.reshape(len(y), -1)
    rows = np.arange(len(flat))
    drawn = [flat]
    for _ in range(samples - 1):
        sample = flat.copy()
        for _ in range(entries):
            sample[rows, rng.integers(0, flat.shape[1], len(flat))] += std * rng.standard_normal(len(flat))
        drawn.append(sample)
    return np.stack(drawn).reshape(samples, *y.shape)


def _check_samples(samples: int) -> None:
    if samples < 2:
        raise ValueError(f"expected K ≥ 2 samples, the truth and one more, got {samples}.")
