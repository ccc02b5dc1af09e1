import os
import subprocess
import sys
from pathlib import Path

import pytest

LABEL = """
import resource
import numpy as np
from kernels import portfolio

rng = np.random.default_rng(0)
sigma = np.stack([np.corrcoef(rng.normal(size=(50, 10))) for _ in range(400)]) + 0.1 * np.eye(50)
y = 0.05 * rng.normal(size=(400, 50))
y_hat = y + 0.05 * rng.normal(size=(32, 400, 50))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
regret = portfolio.regret(y_hat, y, sigma, solver={solver!r})
assert regret.shape == (32, 400) and regret.min() >= -1e-9
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["osqp", "active-set"])
def test_labelling_400_instances_of_32_samples_stays_below_500_mb(solver):
    # Compiled even in a pass without compilation: the memory is that of the solver, and 12,800 QPs are many.
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", LABEL.format(solver=solver)],
        capture_output=True, text=True, check=True, cwd=root, env=environment,
    )  # fmt: skip
    assert float(run.stdout) < 500.0


def test_import_and_numpy_calls_leave_torch_alone():
    code = (
        "import sys, numpy as np; from kernels import portfolio;"
        "portfolio.regret(np.zeros(3), np.ones(3), np.eye(3));"
        "portfolio.derivative(np.ones(3) / 3, np.eye(3)); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
