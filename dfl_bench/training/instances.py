"""One small model for each instance, all fitted as one batch; those that have stopped cost no more time."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from lcgln.ensemble.adam import Adam, gradients_of

# Parameters that are fitted at once. Instances are independent, so this changes memory, not time: gradients
# and moments of a thousand networks of lodl-nn would take a gigabyte.
BLOCK_BYTES = 2**24
EVERY = 5  # steps between two looks at the error that selects the state


def fit_each(
    start: Tensor,
    data: Sequence[Tensor],
    error: Callable[..., Tensor],
    held_error: Callable[..., Tensor],
    *,
    steps: int,
    learning_rate: float,
    patience: int,
) -> Tensor:
    """Return the parameters of n instances after full-batch Adam, each in its best state.

    Instances are independent: what one gets does not depend on the others, beyond rounding.

    Args:
        start: parameters before the fit, (n, ...).
        data: what the errors read, each (n, ...).
        error: parameters (m, ...) and data (m, ...) of some instances to what they minimise, (m,).
        held_error: the same for what selects the state.
        steps: at most this many.
        learning_rate: of Adam.
        patience: steps without a lower held-out error after which an instance stops.
    """
    bytes_each = start[0].numel() * start.element_size()
    size = max(1, BLOCK_BYTES // bytes_each) if start.device.type == "cpu" else len(start)
    blocks = zip(*(values.split(size) for values in (start, *data)), strict=True)
    fitted = []
    for block_start, *block_data in blocks:
        block = _Block(block_start, block_data, learning_rate)
        block.minimise(error, held_error, steps, patience)
        fitted.append(block.best_state)
    return torch.cat(fitted)


class _Block:
    """Some instances; those that still run are `members`, and only they are computed."""

    def __init__(self, start: Tensor, data: Sequence[Tensor], learning_rate: float) -> None:
        self.best_state = start.clone()
        self.members = torch.arange(len(start), device=start.device)
        self.free, self.data = nn.Parameter(start.clone()), list(data)
        self.optimizer = Adam([self.free], learning_rate)

    def minimise(
        self, error: Callable[..., Tensor], held_error: Callable[..., Tensor], steps: int, patience: int
    ) -> None:
        best = self._value(held_error)
        since = torch.zeros_like(best)  # steps since the best state
        for step in range(1, steps + 1):
            self.optimizer.step(gradients_of(error(self.free, *self.data), [self.free]))
            if step % EVERY and step != steps:
                continue
            value = self._value(held_error)
            better = value < best
            self.best_state[self.members[better]] = self.free.detach()[better]
            best, since = torch.where(better, value, best), torch.where(better, 0.0, since + EVERY)
            running = (since < patience) & torch.isfinite(value)
            if not bool(running.any()):
                break
            if not bool(running.all()):
                best, since = best[running], since[running]
                self._keep(running)

    @torch.no_grad()
    def _value(self, held_error: Callable[..., Tensor]) -> Tensor:
        return held_error(self.free, *self.data)

    def _keep(self, running: Tensor) -> None:
        self.members, self.data = self.members[running], [values[running] for values in self.data]
        (kept,) = self.optimizer.keep(running)
        self.free = nn.Parameter(kept)
