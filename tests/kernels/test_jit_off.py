"""The kernels as plain Python: what Numba compiles must also be right, and seen by coverage, uncompiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Here nothing is compiled in the first place: tensors on a device, imports, threads.
OTHERS = ("_torch", "/test_device", "/test_devices_mixed", "/test_deferred", "/test_imports", "/test_threads")


@pytest.mark.slow
def test_kernel_tests_pass_without_compilation():
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "tests/kernels", "-q", "-x", "-p", "no:cacheprovider"]
    command += [f"--ignore-glob=*{name}.py" for name in OTHERS]
    run = subprocess.run(
        [*command, "-m", "not slow and not cuda and not network and not browser"],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
