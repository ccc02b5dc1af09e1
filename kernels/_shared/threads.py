"""When a batch is divided among several threads, and into how many chunks."""

import sys

import numba

# More chunks than threads: when other work slows one thread down, the others take over its chunks.
_CHUNKS_PER_THREAD = 4


def n_chunks(n_rows: int, threaded_from: int) -> int:
    """Return how many chunks to cut a batch into; 1 means the kernel of one thread.

    Args:
        n_rows: size of the batch, in the unit of threaded_from.
        threaded_from: smallest size that is worth several threads.
    """
    n_threads = _available()
    return n_threads * _CHUNKS_PER_THREAD if n_threads > 1 and n_rows >= threaded_from else 1


def _available() -> int:
    """Return the number of Numba's threads, and leave torch the number it had.

    The first call starts Numba's threads, and its OpenMP layer then sets the number of threads of the whole
    process. Torch would cut its small tensors in two and wait for both halves at every step: six times slower
    when the cores were busy.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else None
    n_threads = numba.get_num_threads()
    if torch and torch.get_num_threads() != before:
        torch.set_num_threads(before)
    return n_threads
