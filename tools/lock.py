"""Writes the lock files: every package that `make` installs, with its version and the hashes of its files.

`python tools/lock.py` keeps the versions of the present lock wherever pyproject.toml still allows them;
`--upgrade` takes the newest ones. Only pip and the standard library are needed. pip must see the CPU build of
torch: the package index has the CUDA build alone, so give pip the folder or index of the other one as you
always do (PIP_FIND_LINKS or PIP_EXTRA_INDEX_URL).
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
CPU_LOCK = ROOT / "requirements.lock"
CUDA_LOCK = ROOT / "requirements-cuda.lock"
PYTHONS = ("3.11", "3.12", "3.13")

HEADER = """\
# Made by `make lock`; do not edit. Every package for working on the project, for Linux on x86-64.
# {purpose}
# Install: pip install --require-hashes -r {name}
#          pip install --no-deps --no-build-isolation --editable .
"""
CPU_PURPOSE = """\
torch is its CPU build, which the package index does not have: pip must see it (PIP_FIND_LINKS or
# PIP_EXTRA_INDEX_URL). It is another file than the index's torch of the same version, with another hash, and
# needs no CUDA libraries. So each of the two builds has a lock of its own. Other packages are locked for
# Python {pythons}, this build of torch for {python} only."""
CUDA_PURPOSE = "torch is the build of the package index, with its CUDA libraries: several gigabytes."

Report = list[dict[str, Any]]


def main() -> None:
    """Resolve both locks, collect the hashes for every Python, and write them."""
    parser = argparse.ArgumentParser(description="Write requirements.lock and requirements-cuda.lock.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    kept = {} if parser.parse_args().upgrade else locked_versions(CPU_LOCK)

    cpu = versions(resolve(project_requirements(), kept))
    if "+cpu" not in cpu["torch"]:
        sys.exit(f"expected pip to find the CPU build of torch, got {cpu['torch']}; set PIP_FIND_LINKS.")
    # Three equal signs compare text, so that the CPU build of this version does not match.
    public = f"==={cpu['torch'].removesuffix('+cpu')}"
    known = locked_versions(CUDA_LOCK) if kept else {}
    cuda = versions(resolve([*project_requirements(), f"torch{public}"], known | cpu | {"torch": public}))

    found = hashes(resolve(pins(cpu), {}, "--no-deps"))
    for python in PYTHONS:
        options = ["--no-deps", "--only-binary", ":all:", "--python-version", python, "--target", "unused"]
        for package, digests in hashes(resolve(pins(cuda), {}, *options)).items():
            found.setdefault(package, set()).update(digests)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    write(CPU_LOCK, CPU_PURPOSE.format(pythons=", ".join(PYTHONS), python=here), cpu, found)
    write(CUDA_LOCK, CUDA_PURPOSE, cuda, found)


def project_requirements() -> list[str]:
    """Return what the project, its extras and its build need."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = settings["project"]["optional-dependencies"].values()
    needed = [settings["project"]["dependencies"], settings["build-system"]["requires"], *extras]
    return [requirement for group in needed for requirement in group]


def locked_versions(path: Path) -> dict[str, str]:
    """Return name -> version of a lock file; nothing if there is none."""
    text = path.read_text() if path.exists() else ""
    return {name: version for name, version in re.findall(r"^([\w.-]+)={2,3}([^ ;\n]+)", text, re.MULTILINE)}


def pins(chosen: dict[str, str]) -> list[str]:
    """Return requirements that ask for exactly these versions."""
    # A version with a local part, such as +cpu, is a file of its own; three equal signs keep them apart.
    return [f"{name}==={version}" for name, version in chosen.items()]


def resolve(requirements: list[str], kept: dict[str, str], *options: str) -> Report:
    """Return pip's report on what it would install.

    Args:
        requirements: What to install.
        kept: Versions to keep, by name. A version may begin with its operator.
        options: Further options for pip.
    """
    with tempfile.TemporaryDirectory() as folder:
        wanted, constraints, report = (Path(folder, name) for name in ("wanted", "constraints", "report"))
        wanted.write_text("\n".join(requirements))
        constraints.write_text("\n".join(f"{n}{v if v[0] == '=' else '==' + v}" for n, v in kept.items()))
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        files = ["--report", str(report), "--requirement", str(wanted), "--constraint", str(constraints)]
        subprocess.run([*pip, "--ignore-installed", *files, *options], check=True)
        chosen: Report = json.loads(report.read_text())["install"]
        return chosen


def name_of(package: dict[str, Any]) -> str:
    """Return the usual spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", package["metadata"]["name"]).lower()


def versions(report: Report) -> dict[str, str]:
    """Return name -> version."""
    return {name_of(package): package["metadata"]["version"] for package in report}


def hashes(report: Report) -> dict[tuple[str, str], set[str]]:
    """Return (name, version) -> SHA-256 of the files that pip chose."""
    return {
        (name_of(package), package["metadata"]["version"]): {sha256(package["download_info"])}
        for package in report
    }


def sha256(download: dict[str, Any]) -> str:
    """Return the hash that the index states, or that of a file in a folder."""
    stated = download["archive_info"].get("hashes", {}).get("sha256")
    return stated or hashlib.sha256(Path(unquote(urlsplit(download["url"]).path)).read_bytes()).hexdigest()


def write(path: Path, purpose: str, chosen: dict[str, str], found: dict[tuple[str, str], set[str]]) -> None:
    """Write one lock file.

    Args:
        path: Where.
        purpose: The reason for this lock, for its first lines.
        chosen: Name -> version.
        found: (Name, version) -> hashes.
    """
    lines = [HEADER.format(purpose=purpose, name=path.name)]
    for name, version in sorted(chosen.items()):
        exactly = "===" if name == "torch" else "=="
        digests = [f"    --hash=sha256:{digest}" for digest in sorted(found[name, version])]
        lines.append(" \\\n".join([f"{name}{exactly}{version}", *digests]) + "\n")
    path.write_text("".join(lines))


if __name__ == "__main__":
    main()
