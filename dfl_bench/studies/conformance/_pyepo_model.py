"""PyEPO's losses with our kernels as their solver."""

from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ._cases import Case

PRESENT = find_spec("pyepo") is not None


@cache
def peer() -> str:
    """Return the name and version of the package."""
    from importlib.metadata import version

    return f"PyEPO {version('pyepo')}" if PRESENT else "PyEPO"


def module_of(loss: str, given: Case, **settings: Any) -> Any:
    """Return a module of PyEPO, one answer for each row, with the best decisions as its fixed pool.

    Args:
        loss: its name in `pyepo.func`.
        given: the rows.
        **settings: of the module.
    """
    with suppress(ImportError):  # before PyEPO: OR-Tools brings symbols of its own HiGHS
        import highspy  # noqa: F401
    import pyepo
    from pyepo.data.dataset import optDataset
    from pyepo.model.opt import optModel

    problem: Any = given.problem

    class Ours(optModel):
        modelSense = pyepo.EPO.MINIMIZE if problem.sign > 0 else pyepo.EPO.MAXIMIZE

        def _getModel(self) -> tuple[None, list[int]]:
            return None, list(range(given.y.shape[-1]))

        def setObj(self, c: Any) -> None:
            self.costs = np.asarray(c, dtype=np.float64)

        def solve(self) -> tuple[np.ndarray, float]:
            z = problem.decide(self.costs, {})
            return z, float(self.costs @ z)

    model = Ours()
    dataset = optDataset(model, np.zeros((len(given.y), 1)), given.y.numpy())
    module = getattr(pyepo.func, loss)
    # A module that gives decisions reduces nothing, and one without a pool takes no rows.
    options = {"reduction": "none", "dataset": dataset}
    known = signature(module).parameters
    return module(model, **{k: v for k, v in options.items() if k in known}, **settings)


def objective(given: Case) -> Tensor:
    """Return ⟨y, z*⟩ (n, 1), in PyEPO's sign."""
    return torch.einsum("nd,nd->n", given.y, given.best).unsqueeze(-1)
