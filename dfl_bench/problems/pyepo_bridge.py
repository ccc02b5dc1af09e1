"""PyEPO's models as problems, and linear problems as PyEPO's models."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..contracts.arrays import A, namespace
from ..contracts.checks import require_choice, require_counts
from ..contracts.fingerprint import array_digest
from ..contracts.linear import LinearProblem
from ..contracts.problem import Context, Network
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits
from ..errors import DflBenchError


@dataclass(frozen=True, slots=True, kw_only=True)
class PyEPOConfig:
    """How the rows are divided, and the predictor."""

    train: float = 0.6  # share of the rows
    val: float = 0.2
    predictor: str = "linear"  # or "scaled": with a hidden layer
    hidden: int = 10  # nodes of that layer

    def __post_init__(self) -> None:
        require_choice(self, "predictor", "linear", "scaled")
        require_counts(self, "hidden")
        if not (0.0 < self.train and 0.0 < self.val and self.train + self.val < 1.0):
            raise ValueError(
                f"expected positive shares train + val < 1, got train={self.train} and val={self.val}: "
                "the rest are test rows."
            )


class PyEPOProblem(LinearProblem):
    """A PyEPO model with rows of features and costs; a seed shuffles the rows into three parts.

    Models keep a state and serve one process at a time, so every process builds its own. They are asked row
    by row: the problem is as fast as its solver.
    """

    name = "pyepo"
    version = 1
    Config = PyEPOConfig
    provenance = "user-supplied: a PyEPO model and its rows"
    holds_its_rows = True

    def __init__(self, model: Any, x: np.ndarray, y: np.ndarray, config: PyEPOConfig | None = None) -> None:
        super().__init__(config)
        self.sign = float(model.modelSense)  # type: ignore[misc]  # 1 to minimise, -1 to maximise
        self._spec, self._rows = model.to_spec(), Split(x, y)
        self._digest = array_digest(x, y)
        self._constant = float(getattr(getattr(model, "problem", None), "obj_offset", 0.0))
        self._built: tuple[int, Any] = (os.getpid(), model)
        self.network = Network(
            outputs=y.shape[1],
            activation="linear",
            hidden=self.config.hidden if self.config.predictor == "scaled" else 0,
            batch=32,
            learning_rate=1e-2,
            passes=True,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": (0, None)}  # a solver's model cannot be sent to another process

    @property
    def source_digest(self) -> str:
        """Sixteen hex digits of the rows."""
        return self._digest

    @property
    def model(self) -> Any:
        """The model of this process."""
        if self._built[0] != os.getpid():
            self._built = (os.getpid(), self._spec.build())
        return self._built[1]

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: a part to train on, one to choose on, one to be scored on."""
        n = len(self._rows)
        order = rng_for(self.name, "split", seed=seed).permutation(n)
        cuts = np.round(np.cumsum([self.config.train, self.config.val]) * n).astype(int)
        return Splits(*(self._rows[part] for part in np.split(order, cuts)))

    def solve(self, costs: A) -> A:
        """Return the model's solution for every row of costs."""
        given: Any = costs
        rows = given if namespace(given) is np else given.detach().cpu().numpy()
        flat = self.sign * rows.reshape(-1, rows.shape[-1])
        z = np.stack([self._solve_row(row, i) for i, row in enumerate(flat)]).reshape(rows.shape)
        return z if namespace(given) is np else given.new_tensor(z)  # type: ignore[return-value]

    def _solve_row(self, costs: np.ndarray, row: int) -> np.ndarray:
        self.model.setObj(costs)
        solution, value = self.model.solve()
        z = np.asarray(solution, dtype=np.float64)
        if z.shape != costs.shape or not np.isfinite(z).all() or not np.isfinite(value):
            raise DflBenchError(
                f"the PyEPO model gave no solution for row {row}: expected {len(costs)} finite numbers, got "
                f"shape {z.shape} with objective {value}; it may be infeasible or unbounded there."
            )
        return z

    def cost(self, z: A, y: A, context: Context) -> A:
        """Return the objective with the sign that makes lower better, the model's constant included."""
        return super().cost(z, y, context) + self.sign * self._constant

    def known(self, z: A, context: Context) -> float:
        """Return the model's constant."""
        return self.sign * self._constant


def from_pyepo(
    model: Any, x: np.ndarray | Sequence[Any], y: np.ndarray | Sequence[Any], **settings: Any
) -> PyEPOProblem:
    """Make a problem from a PyEPO model: every method for linear costs then runs on it.

    Args:
        model: an optModel whose objective is linear in predicted costs, one for each variable.
        x: features, one row for each instance.
        y: the costs of each instance (n, model.num_cost).
        **settings: of `PyEPOConfig`: shares of the rows, the predictor.
    """
    features, costs = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if getattr(getattr(model, "problem", None), "obj_Q", None) is not None:
        raise ValueError("expected a linear objective, got a PyEPO model with a quadratic term.")
    if model.c_pred_index is not None:
        raise ValueError(
            "expected a model that predicts the cost of every variable, got one with known costs."
        )
    if costs.shape != (len(features), model.num_cost):
        raise ValueError(
            f"expected y of shape ({len(features)}, {model.num_cost}) for this model, got {costs.shape}."
        )
    for label, values in (("x", features), ("y", costs)):
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(1))[0])
            raise ValueError(f"expected finite numbers in {label}, got NaN or infinity in row {row}.")
    return PyEPOProblem(model, features, costs, PyEPOConfig(**settings))


def to_pyepo(problem: LinearProblem) -> Any:
    """Make a PyEPO model from a linear problem: PyEPO's losses then use its exact kernel as their solver.

    The model takes y as PyEPO does: costs to minimise, or values to maximise where `problem.sign` is -1.
    """
    if not isinstance(problem, LinearProblem):
        raise ValueError(f"expected a problem with a linear cost, got {type(problem).__name__}.")
    if find_spec("pyepo") is None:
        raise DflBenchError("to_pyepo needs PyEPO: pip install 'dfl-bench[peers]'.")
    from ._pyepo_model import KernelModel

    return KernelModel(problem)
