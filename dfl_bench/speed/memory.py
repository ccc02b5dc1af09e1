"""How much memory a call needs beyond what the process holds already."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def with_growth(call: Callable[[], T]) -> tuple[T, float]:
    """Return what a call returns and by how many megabytes resident memory peaked above its start (Linux)."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        raise OSError("expected a Linux /proc that can reset the memory high-water mark; none is here.")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _megabytes("VmRSS")
    result = call()
    return result, _megabytes("VmHWM") - before


def _megabytes(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))
