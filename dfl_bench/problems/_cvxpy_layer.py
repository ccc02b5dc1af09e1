"""The decision of a cvxpy model as a layer that torch differentiates."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..contracts.problem import Context
from ._cvxpy_model import RowModel


class Layer:
    """cvxpylayers on a model: outcomes and context to the flat decision."""

    def __init__(self, model: RowModel) -> None:
        from cvxpylayers.torch import CvxpyLayer

        self._model = model
        self._fixed = [p for p in model.model.parameters() if all(p is not q for q in model.parameters)]
        options = {"solve_method": "Clarabel", "n_jobs_forward": 1}
        self._layer = CvxpyLayer(
            model.model,
            parameters=[*model.parameters, *self._fixed],
            variables=model.variables,
            solver_args=options,
        )

    def __call__(self, y: Tensor, context: Context) -> Tensor:
        """Return decisions (..., Z) for predictions (..., D)."""
        lead = y.shape[:-1]
        rows = y.reshape(-1, y.shape[-1])
        given = [rows.reshape(-1, *self._model.outcome.shape)]
        given += [
            context[k].expand(*lead, *p.shape).reshape(-1, *p.shape) for k, p in self._model.context.items()
        ]
        given += [rows.new_tensor(np.asarray(p.value)) for p in self._fixed]
        backward: dict[str, Any] = (
            {"n_jobs_backward": 1} if torch.is_grad_enabled() and y.requires_grad else {}
        )
        found = self._layer(*given, solver_args=backward)
        return torch.cat([z.reshape(len(rows), -1) for z in found], -1).reshape(*lead, -1)
