"""Messages between the driver and its processes: pickled, the length first. Both ends are our own code."""

import pickle
from typing import IO, Any


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write a pickled message, its length first."""
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Return the next message, or None where the stream ends, be it in the middle of a message.

    The stream is unbuffered: a buffer that has read ahead would hide the next message from `select`.
    """
    head = _read(stream, 8)
    data = _read(stream, int.from_bytes(head, "little")) if head else None
    return pickle.loads(data) if data else None


def _read(stream: IO[bytes], size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = stream.read(min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
