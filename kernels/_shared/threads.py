"""When a batch is worth several threads."""

import sys

import numba

# More chunks than threads, so that a thread slowed down by a neighbour leaves its share to the others.
_CHUNKS_A_THREAD = 4


def n_chunks(n_rows: int, threaded_from: int) -> int:
    """Return how many chunks to cut a batch into; 1 means the serial kernel."""
    n_threads = _available()
    return n_threads * _CHUNKS_A_THREAD if n_threads > 1 and n_rows >= threaded_from else 1


def _available() -> int:
    """Return Numba's threads, which its first answer starts, and leave torch the number it had.

    Numba's OpenMP layer sets the number of threads of the whole process. Torch would then cut its small
    tensors in two and wait for both halves at every step: six times slower when the cores were busy.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else None
    n_threads = numba.get_num_threads()
    if torch and torch.get_num_threads() != before:
        torch.set_num_threads(before)
    return n_threads
