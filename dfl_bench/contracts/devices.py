"""Everything that differs between a CPU and a GPU outside the kernels; torch is imported for a GPU alone."""

import os
import sys
from pathlib import Path

from ..errors import DflBenchError


def is_cpu(device: str) -> bool:
    """Return whether a device is the CPU."""
    return device == "cpu"


def require(device: str) -> None:
    """Refuse a device that this machine does not have, before any work is planned."""
    if is_cpu(device):
        return
    import torch

    if not device.startswith("cuda"):
        raise DflBenchError(f"expected the device cpu or cuda, got {device!r}.")
    if not torch.cuda.is_available():
        raise DflBenchError(
            f"--device {device}: this machine has no usable CUDA device (torch {torch.__version__}); "
            "use --device cpu, or install a CUDA build of torch on a machine with a GPU."
        )


def name(device: str) -> str:
    """Return what the maker calls a GPU; "" for the CPU, whose name the environment has."""
    if is_cpu(device):
        return ""
    import torch

    return torch.cuda.get_device_name(device)


def synchronize(device: str) -> None:
    """Wait for work that a GPU has been given: it belongs to the phase that started it."""
    if not is_cpu(device):
        import torch

        torch.cuda.synchronize(device)


def reset_peak_memory(device: str) -> None:
    """Start a new measurement of the most memory in use."""
    if not is_cpu(device):
        import torch

        torch.cuda.reset_peak_memory_stats(device)
    elif os.access("/proc/self/clear_refs", os.W_OK):
        # 5 resets the high-water mark of resident memory (Linux).
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory(device: str) -> int:
    """Return the most bytes in use since the last reset; without /proc, since the process began."""
    if not is_cpu(device):
        import torch

        return int(torch.cuda.max_memory_allocated(device))
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        status = ""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return _peak_of_process()


def _peak_of_process() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # bytes on macOS, kilobytes elsewhere
