"""The wheel holds every file that the package reads, and nothing that is not for users."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.documents.test_documents import ROOT

PACKAGES = ("dfl_bench", "kernels", "lcgln")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, because building leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    build = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(folder / done.stdout.splitlines()[-1])


def test_it_holds_all_files_of_the_packages_and_no_others(wheel):
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == there


def test_it_has_the_command_the_licence_and_the_readme(wheel):
    texts = {name.rpartition("/")[2]: name for name in wheel.namelist() if ".dist-info/" in name}
    assert "dfl-bench = dfl_bench.cli:main" in wheel.read(texts["entry_points.txt"]).decode()
    assert "LICENSE" in texts
    assert "# dfl_bench" in wheel.read(texts["METADATA"]).decode()
