"""The write-ahead log beside a results file, checked before SQLite reads it.

SQLite uses a log up to its first damaged frame and drops the rest without a word: that is right after a
power cut, and wrong for a log whose bytes have changed, because finished records would vanish. The layout
is that of SQLite's file format, https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

_HEADER, _FRAME = 32, 24
_BYTE_ORDERS = {0x377F0682: "<u4", 0x377F0683: ">u4"}


@dataclass(frozen=True, slots=True)
class Log:
    """What a log holds. Frames are counted from one; a frame is one page of the file."""

    salts: bytes = b""  # of this log; frames of an earlier one have others
    whole: int = 0  # the last finished write that SQLite will use
    marked: int = 0  # the last finished write that was there
    first_page: bytes = b""  # the newest first page among the whole frames
    is_log: bool = True  # the header is one


def read_log(data: bytes) -> Log:
    """Return what the bytes of a log hold."""
    if len(data) < _HEADER:
        return Log()
    magic, _, page_size = struct.unpack_from(">III", data)
    order, salts = _BYTE_ORDERS.get(magic), data[16:24]
    if order is None or page_size not in {2**power for power in range(9, 17)}:
        return Log(is_log=False)
    start = _checksums(np.frombuffer(data[:24], order)[None])[0]
    if tuple(start) != struct.unpack_from(">II", data, 24):
        return Log(is_log=False)
    size = _FRAME + page_size
    count = (len(data) - _HEADER) // size
    frames = np.frombuffer(data, np.uint8, count * size, _HEADER).reshape(count, size)
    numbers = frames[:, :_FRAME].copy().view(">u4")  # page, pages after a finished write else 0, salts, sums
    same_log = (numbers[:, 2:4] == np.frombuffer(salts, ">u4")).all(axis=1)
    finished = same_log & (numbers[:, 1] > 0)
    chain = _unbroken(frames, numbers, same_log, start, order)
    whole = _last(finished[:chain])
    firsts = np.flatnonzero(numbers[:whole, 0] == 1)
    page = frames[firsts[-1], _FRAME:].tobytes() if firsts.size else b""
    return Log(salts, whole, _last(finished), page)


def fault(path: Path, data: bytes, index: bytes) -> str:
    """Return what is wrong with a log, "" when nothing is.

    Args:
        path: the log, for the message.
        data: its bytes, none when there is no such file.
        index: the first bytes of SQLite's index of the log (the file that ends in -shm), none without one.
    """
    log, (salts, indexed, copied) = read_log(data), _read_index(index)
    if not log.is_log:
        return f"{path} is damaged: it does not begin like a log"
    if log.marked > log.whole:
        return f"{path} is damaged: finished writes end at frame {log.marked}, it is whole up to {log.whole}"
    lost = indexed > log.whole if salts == log.salts else indexed > copied and not log.salts
    if lost:
        return f"{path} is missing or cut short: {indexed} frames were written, {log.whole} are there"
    return ""


def _unbroken(
    frames: np.ndarray, numbers: np.ndarray, same_log: np.ndarray, start: np.ndarray, order: str
) -> int:
    """How many frames from the first on carry the sums that their content and all before them make."""
    words = np.concatenate([frames[:, :8], frames[:, _FRAME:]], axis=1).view(order)
    own, (a, b, c) = _checksums(words), _weights(words.shape[1] // 2 + 1)[0]
    sums = (int(start[0]), int(start[1]))
    for i, (first, second) in enumerate(own.tolist()):
        sums = ((a * sums[0] + b * sums[1] + first) % 2**32, (b * sums[0] + c * sums[1] + second) % 2**32)
        if not same_log[i] or sums != (numbers[i, 4], numbers[i, 5]):
            return i
    return len(frames)


def _checksums(words: np.ndarray) -> np.ndarray:
    """The two sums of each row of words, shape (rows, 2), for a start at zero.

    SQLite adds pairs in turn: s0 += x0 + s1, s1 += x1 + s0. That is linear: (s0, s1) becomes
    M (s0, s1) + (x0, x0 + x1) with M = [[1, 1], [1, 2]], so each pair enters with a power of M.
    """
    first = words[:, 0::2].astype(np.uint32)
    both = first + words[:, 1::2].astype(np.uint32)
    a, b, c = np.array(_weights(first.shape[1]), dtype=np.uint32).T
    columns = (first * a + both * b, first * b + both * c)
    return np.stack([column.sum(axis=1, dtype=np.uint32) for column in columns], axis=1)


@cache
def _weights(count: int) -> list[tuple[int, int, int]]:
    """The symmetric powers M^(count - 1), …, M, 1 as (top left, top right, bottom right), modulo 2³²."""
    powers = [(1, 0, 1)]
    for _ in range(count - 1):
        a, b, c = powers[-1]
        powers.append(((a + b) % 2**32, (b + c) % 2**32, (b + 2 * c) % 2**32))
    return powers[::-1]


def _last(finished: np.ndarray) -> int:
    return int(np.flatnonzero(finished)[-1]) + 1 if finished.any() else 0


def _read_index(index: bytes) -> tuple[bytes, int, int]:
    """The salts of the log an index is of, its last frame, and how many frames the file itself has."""
    if len(index) < 100 or index[:48] != index[48:96]:
        return b"", 0, 0
    return index[32:40], *struct.unpack_from("=I", index, 16), *struct.unpack_from("=I", index, 96)
