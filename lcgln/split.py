"""Which labelled samples are fitted, and which select the state of the fit."""

import numpy as np
import torch
from torch import Tensor

from .ensemble.layers import Streams

HOLD_OUT = ("samples", "instances")


def split(rngs: Streams, instances: int, samples: int, share: float, by: str) -> tuple[Tensor, Tensor]:
    """Return the fitted and the held-out samples, as numbers instance · K + sample.

    A learned loss is asked at the outcomes it was fitted on, and at new predictions. So "samples" are what to
    hold out. Held-out "instances" ask how the loss does at outcomes that it never meets in training.

    Args:
        rngs: one stream, or S of them.
        instances: n, how many outcomes there are.
        samples: K, how many samples each of them has.
        share: of the samples or instances, how much is held out.
        by: a name in `HOLD_OUT`; "instances" are held out with all their samples.

    Returns:
        Both parts, (rows,) for one stream and (S, rows) for S.
    """
    if not isinstance(rngs, np.random.Generator):
        parts = [split(rng, instances, samples, share, by) for rng in rngs]
        return torch.stack([fit for fit, _ in parts]), torch.stack([held for _, held in parts])
    each = samples if by == "instances" else 1  # samples that stay together
    n = instances * samples // each
    order = torch.from_numpy(rngs.permutation(n)).unsqueeze(1) * each + torch.arange(each)
    n_held = min(max(1, round(share * n)), n - 1)
    return order[n_held:].flatten(), order[:n_held].flatten()
