"""Which versions a process has of what scores depend on: a driver and its workers have to agree."""

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from ..errors import DflBenchError

PACKAGES = ("dfl-bench", "numpy", "torch", "numba", "distributed")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that scores depend on."""
    return {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Return what differs between the driver's versions and a worker's, as text; "" for nothing."""
    differ = [name for name in ours if ours[name] != theirs.get(name)]
    return ", ".join(f"{name} {ours[name]} here and {theirs.get(name)} there" for name in differ)


def require_same(workers: Mapping[str, Mapping[str, str]]) -> None:
    """Raise where a worker, by its address, has other versions than this process."""
    found = {address: difference(versions(), theirs) for address, theirs in workers.items()}
    wrong = [f"{address} ({text})" for address, text in found.items() if text]
    if wrong:
        raise DflBenchError(
            f"{len(wrong)} of {len(found)} workers have other versions than the driver: {'; '.join(wrong)}. "
            "Install the same versions on both sides: scores of different code must not be mixed."
        )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
