"""One thread for torch while small networks train."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute in one thread inside the block; give it back its number of threads afterwards.

    The networks here are small, and two threads wait for each other at every step: a little slower on idle
    cores, many times slower on busy ones.
    The number belongs to the whole process: blocks that overlap in several Python threads disturb each other.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
