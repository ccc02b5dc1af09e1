"""A method is one file, a problem is one file: added to a copy of the suite, they pass the contract tests."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from dfl_bench.cli.new import write_start
from tests.conftest import ROOT


@pytest.mark.slow
def test_a_new_file_is_enough(tmp_path):
    for folder in ("dfl_bench", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("kernels", "lcgln"):  # links keep what Numba has compiled
        (tmp_path / folder).symlink_to(ROOT / folder)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    write_start("method_torch", "throwaway-loss", tmp_path / "dfl_bench" / "methods")
    write_start("method", "throwaway-fit", tmp_path / "dfl_bench" / "methods")
    write_start("problem_linear", "throwaway-items", tmp_path / "dfl_bench" / "problems")
    contracts = ["tests/methods/test_contract.py", "tests/problems/test_contract.py", "tests/experiment"]
    contracts += ["tests/methods/test_device.py"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *contracts,
            "-q",
            "-k",
            # No score of theirs is kept; and the bits are a matter of methods, not of one more problem.
            "(throwaway or every) and not raises_a_version and not (to_the_bit and items)",
            "-p",
            "no:cacheprovider",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_XDIST_WORKER": ""},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    assert passed > 40, done.stdout[-500:]  # three names on every contract
