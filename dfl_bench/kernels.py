"""The kernels under a name of our own: `from dfl_bench.kernels import inventory, budget, portfolio`.

`kernels` is also the import name of another package on the index. What is here is the same modules. Importing
this module imports Numba; `import dfl_bench` alone does not.
"""

from kernels import budget, inventory, portfolio
from kernels.errors import SolverError

__all__ = ["SolverError", "budget", "inventory", "portfolio"]
