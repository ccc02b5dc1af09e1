"""The asv suite: speed, memory and quality over the history of the repository."""

import os

# Before NumPy or torch is imported: a benchmark of one thread must not wait for others.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
