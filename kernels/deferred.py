"""When to ask a device whether inputs were valid and solvers done: at once, or later for many calls together.

Asking makes the host wait for the device. A training step must not wait, so a loop collects the questions of
its steps and asks them together before it trusts any result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


class Pending:
    """Answers that are still on the device, each with the function that explains a "no"."""

    def __init__(self) -> None:
        self._open: list[tuple[Any, Callable[[], None]]] = []

    def add(self, ok: "Tensor", explain: Callable[[], None]) -> None:
        """Keep a 0-d bool tensor and the function that raises the error when it is false."""
        self._open.append((ok, explain))

    def settle(self) -> None:
        """Read all answers at once. Raise the error of the first "no"."""
        if not self._open:
            return
        import torch

        asked, self._open = self._open, []
        if not bool(torch.stack([ok for ok, _ in asked]).all()):
            next(explain for ok, explain in asked if not bool(ok))()


_PENDING: ContextVar[Pending | None] = ContextVar("pending", default=None)


@contextmanager
def deferred() -> Iterator[Pending]:
    """Collect the checks of tensor kernels called inside. The caller settles them before using results."""
    pending = Pending()
    token = _PENDING.set(pending)
    try:
        yield pending
    finally:
        _PENDING.reset(token)


def require(ok: "Tensor", explain: Callable[[], None]) -> None:
    """Call explain, which raises, unless ok is true: now, or when the collecting caller settles.

    Args:
        ok: 0-d bool tensor.
        explain: raises the error. It must raise whenever ok is false.
    """
    pending = _PENDING.get()
    if pending is not None:
        pending.add(ok, explain)
    elif not bool(ok):
        explain()
