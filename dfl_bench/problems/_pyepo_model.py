"""The PyEPO model of a linear problem; importing this needs PyEPO."""

from typing import Any

import numpy as np
from pyepo import EPO
from pyepo.model.opt import optModel

from ..contracts.linear import LinearProblem


class KernelModel(optModel):
    """Solves one row of costs at a time with the problem's own kernel."""

    def __init__(self, problem: LinearProblem) -> None:
        self.problem_of_ours = problem
        self.modelSense = EPO.MINIMIZE if problem.sign > 0 else EPO.MAXIMIZE
        super().__init__()

    def _getModel(self) -> tuple[None, list[int]]:
        polytope = self.problem_of_ours.polytope()
        size = self.problem_of_ours.network.outputs if polytope is None else len(polytope)
        return None, list(range(size))

    def setObj(self, c: Any) -> None:
        """Take the costs of one instance."""
        self._costs = np.asarray(c.detach().cpu() if hasattr(c, "detach") else c, dtype=np.float64)

    def solve(self) -> tuple[np.ndarray, float]:
        """Return the best decision and its objective."""
        z = self.problem_of_ours.decide(self._costs, {})
        return z, float(self._costs @ z)
