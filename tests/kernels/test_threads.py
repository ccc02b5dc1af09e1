"""Numba's threads are its own affair."""

import subprocess
import sys

SCRIPT = """
import numba
import numpy as np
import torch
from kernels import inventory

torch.set_num_threads(1)
p = np.full((inventory._THREADED_FROM, 5), 0.2)
inventory.regret(p, p)
print(numba.get_num_threads(), torch.get_num_threads())
"""


def test_a_threaded_kernel_leaves_torch_its_threads():
    # A process of its own: Numba's layer starts once, and only then sets the number for everybody.
    threads = {"NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "1"}
    shown = subprocess.run([sys.executable, "-c", SCRIPT], env=threads, capture_output=True, text=True)
    assert shown.stdout.split() == ["2", "1"], shown.stderr
