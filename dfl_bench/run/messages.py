"""Messages between processes: the length first, then pickled or plain bytes.

What comes from a process that has run a method's code is read as JSON and one array, never unpickled.
"""

import io
import json
import pickle
from typing import IO, Any

import numpy as np

HEAD = 8  # bytes that hold the length


def framed(data: bytes) -> bytes:
    """Return bytes with their length before them."""
    return len(data).to_bytes(HEAD, "little") + data


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write a pickled message, its length first."""
    stream.write(framed(pickle.dumps(message)))
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Return the next message, or None where the stream ends, be it in the middle of a message.

    The stream is unbuffered: a buffer that has read ahead would hide the next message from `select`.
    """
    head = _read(stream, HEAD)
    data = _read(stream, int.from_bytes(head, "little")) if head else None
    return pickle.loads(data) if data else None


def pack_plain(facts: dict[str, Any], array: np.ndarray | None = None) -> bytes:
    """Return the bytes of plain values and, if there is one, of an array of numbers."""
    file = io.BytesIO()
    file.write(framed(json.dumps(facts, default=float).encode()))
    if array is not None:
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def unpack_plain(data: bytes) -> tuple[dict[str, Any], np.ndarray | None]:
    """Return what `pack_plain` was given."""
    end = HEAD + int.from_bytes(data[:HEAD], "little")
    rest = io.BytesIO(data[end:])
    facts: dict[str, Any] = json.loads(data[HEAD:end])
    return facts, np.load(rest, allow_pickle=False) if end < len(data) else None


def _read(stream: IO[bytes], size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = stream.read(min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
