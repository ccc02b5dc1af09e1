"""The checksum of SQLite's write-ahead log, as its file format describes it: one pair of words at a time."""

import struct


def log_checksum(data: bytes, start: tuple[int, int], byte_order: str) -> tuple[int, int]:
    """Return the two sums after some bytes, a multiple of eight; "<" or ">" is the order of the bytes."""
    first, second = start
    words = struct.unpack(f"{byte_order}{len(data) // 4}I", data)
    for i in range(0, len(words), 2):
        first = (first + words[i] + second) % 2**32
        second = (second + words[i + 1] + first) % 2**32
    return first, second
