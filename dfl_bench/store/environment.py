"""Where a number was measured: processor, threads, versions and commit; gathered without importing torch."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..contracts import devices
from ..contracts.fingerprint import fingerprint

PACKAGES = ("dfl-bench", "numpy", "torch", "numba", "osqp")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


def environment(device: str = "cpu") -> dict[str, Any]:
    """Return the facts that timings depend on, as plain values."""
    facts = {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "threads": {name: os.environ.get(name, "default") for name in THREAD_VARIABLES},
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "commit": _commit(),
        "device": device,
    }
    if not devices.is_cpu(device):
        facts["gpu"] = devices.name(device)
    return facts


def machine_digest(facts: Mapping[str, Any]) -> str:
    """Return 16 hex digits of the facts without our own commit: timings are ranked within one machine."""
    return _digest_of_text(json.dumps(facts))


@cache  # thousands of records share one environment
def _digest_of_text(facts: str) -> str:
    return fingerprint({name: fact for name, fact in json.loads(facts).items() if name != "commit"})


@cache
def _cpu_model() -> str:
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


@cache
def _commit() -> str:
    """The commit of the checkout this package runs from, "+" when files differ from it; "" when installed."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return ""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=10
        )
        changed = subprocess.run(
            ["git", "diff", "--quiet", "HEAD", "--", "*.py"], cwd=folder, capture_output=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return head.stdout.strip() + ("+" if changed.returncode else "") if head.returncode == 0 else ""
