"""One compute thread for a fit in the user's own process, as the workers of a run have it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch and Numba compute in one thread inside the block, and give them their numbers back.

    Two threads wait for each other at every step of our small networks: many times slower on busy cores.
    """
    # Who has not been imported yet is not used by the fit: methods and kernels import them first.
    used = [module for name in ("torch", "numba") if (module := sys.modules.get(name)) is not None]
    before = [module.get_num_threads() for module in used]
    for module in used:
        module.set_num_threads(1)
    try:
        yield
    finally:
        for module, threads in zip(used, before, strict=True):
            module.set_num_threads(threads)
