"""When a batch is worth several threads."""

import numba

# More chunks than threads, so that a thread slowed down by a neighbour leaves its share to the others.
_CHUNKS_A_THREAD = 4


def n_chunks(n_rows: int, threaded_from: int) -> int:
    """Return how many chunks to cut a batch into; 1 means the serial kernel."""
    n_threads = numba.get_num_threads()
    return n_threads * _CHUNKS_A_THREAD if n_threads > 1 and n_rows >= threaded_from else 1
