"""Watch the steps of optimizers: a step that reads a value on the host is an error."""

from collections import Counter
from contextlib import contextmanager
from unittest import mock

from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils._python_dispatch import _disable_current_modes

from dfl_bench.methods._pool import _Pools
from lcgln.ensemble.adam import Adam
from tests.support.device import StayOnDevice

# The steps after these are the first and the first no longer watched; loops validate later.
FIRST, LAST = 1, 3


class WatchSteps:
    """Watch the second and third step of every optimizer, from the end of one step to that of the next.

    An optimizer is ours, which all loops of the suite use, or one of torch, which a method may use.
    """

    def __init__(self):
        self.taken, self.watched, self.mode = Counter(), 0, None
        self.kept = []  # an optimizer that is gone could give its number to the next one

    def __call__(self, optimizer, *args):
        self.taken[id(optimizer)] += 1
        self.kept.append(optimizer)
        self.unwatch()
        if FIRST <= self.taken[id(optimizer)] < LAST:
            self.mode = StayOnDevice()
            self.mode.__enter__()
            self.watched += 1

    def unwatch(self):
        if self.mode is not None:
            self.mode.__exit__(None, None, None)
            self.mode = None

    def saw(self, loops):
        """Whether so many loops were watched; a method may train without torch."""
        return self.watched >= loops * (LAST - FIRST) or not self.taken


@contextmanager
def watched_steps():
    watch = WatchSteps()
    step, grow = Adam.step, _Pools._grow

    def step_and_tell(adam, gradients):
        step(adam, gradients)
        watch(adam)

    def grow_unwatched(*args):
        # In a few steps a pool grows: the host keeps it, and reads the decisions that join it.
        with _disable_current_modes():
            grow(*args)

    handle = register_optimizer_step_post_hook(watch)
    try:
        with (
            mock.patch.object(Adam, "step", step_and_tell),
            mock.patch.object(_Pools, "_grow", grow_unwatched),
        ):
            yield watch
    finally:
        handle.remove()
        watch.unwatch()
        watch.kept.clear()
