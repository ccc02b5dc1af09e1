"""A parametrized cvxpy model that is solved for one row after the other; compiled once in every process."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._own_calls import CallError

ADVICE = {
    "infeasible": "no decision satisfies its constraints: relax them, or drop the row",
    "unbounded": "its objective has no limit: bound its variables",
}


class RowModel:
    """A model whose parameters are the outcome and the context of a row; all variables are its decision."""

    def __init__(
        self, model: Any, outcome: Any, context: Mapping[str, Any], solver: str, options: Mapping[str, Any]
    ) -> None:
        """Keep a model that is known to be DPP.

        Args:
            model: a `cvxpy.Problem`.
            outcome: the parameter that is predicted.
            context: other parameters that every row has values for, by name.
            solver: its name in cvxpy.
            options: of the solver.
        """
        self.model, self.outcome, self.context = model, outcome, dict(context)
        self.solver, self.options = solver, dict(options)
        self.variables = model.variables()
        self.parameters = [outcome, *self.context.values()]
        self.n_variables = sum(v.size for v in self.variables)
        self.n_parameters = sum(p.size for p in self.parameters)
        self.is_affine = bool(model.objective.expr.is_affine())
        self.sign = 1.0 if type(model.objective).__name__ == "Minimize" else -1.0

    def __getstate__(self) -> dict[str, Any]:
        import cvxpy as cp

        # What was compiled cannot be sent to another process, which compiles its own.
        return {**self.__dict__, "model": cp.Problem(self.model.objective, self.model.constraints)}

    def __call__(
        self, y: np.ndarray, context: Mapping[str, np.ndarray], numbers: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the decisions (m, Z) for outcomes (m, D).

        Args:
            y: outcomes or predictions.
            context: values of the other parameters, by name.
            numbers: what errors call the rows.
        """
        names = np.arange(len(y)) if numbers is None else numbers
        found = [self._solve(y[i], {k: v[i] for k, v in context.items()}, names[i]) for i in range(len(y))]
        return np.stack(found) if found else np.empty((0, self.n_variables))

    def _solve(self, y: np.ndarray, context: Mapping[str, np.ndarray], name: int) -> np.ndarray:
        import cvxpy as cp

        self._set(y, context, name)
        try:
            # Without a warm start: what a row gets must not depend on the row before it.
            self.model.solve(solver=self.solver, warm_start=False, **self.options)
        except cp.error.SolverError as error:
            raise CallError(f"{self.solver} failed for row {name} ({_shown(y)}): {error}") from error
        status = self.model.status
        if status != "optimal":
            kind = status.removesuffix("_inaccurate").removesuffix("_or_unbounded")
            advice = ADVICE.get(kind, "try another solver=, or options of it")
            raise CallError(f"the cvxpy model is {status} for row {name} ({_shown(y)}): {advice}.")
        return np.concatenate([np.asarray(v.value, dtype=np.float64).reshape(-1) for v in self.variables])

    def _set(self, y: np.ndarray, context: Mapping[str, np.ndarray], name: int) -> None:
        for parameter, value in ((self.outcome, y), *((self.context[k], v) for k, v in context.items())):
            try:
                parameter.value = value.reshape(parameter.shape)
            except ValueError as error:
                raise CallError(
                    f"row {name} ({_shown(value)}) does not suit the parameter {parameter.name()}: {error}"
                ) from error

    def value(self, z: np.ndarray, p: np.ndarray) -> float:
        """Return the objective at a decision (Z,) under all parameters (P,), as the model has it."""
        self._place(z, p)
        value = self.model.objective.expr.value
        return float("nan") if value is None else float(np.asarray(value).reshape(()))

    def gradient(self, z: np.ndarray, p: np.ndarray) -> np.ndarray | None:
        """Return the slope of the objective in the decision, (Z,), or None where there is none."""
        self._place(z, p)
        slopes = self.model.objective.expr.grad
        parts = []
        for variable in self.variables:
            slope = slopes.get(variable, 0.0)
            if slope is None:
                return None
            column = (
                slope.toarray().reshape(-1)
                if hasattr(slope, "toarray")
                else np.full(variable.size, float(slope))
            )
            # cvxpy counts the entries of a matrix by columns.
            parts.append(column.reshape(variable.shape, order="F").reshape(-1))
        return np.concatenate(parts)

    def _place(self, z: np.ndarray, p: np.ndarray) -> None:
        for leaves, values in ((self.variables, z), (self.parameters, p)):
            sizes = np.cumsum([leaf.size for leaf in leaves])[:-1]
            for leaf, part in zip(leaves, np.split(values, sizes), strict=True):
                leaf.save_value(part.reshape(leaf.shape))


def _shown(values: np.ndarray) -> str:
    with np.printoptions(precision=4, threshold=6, edgeitems=2):
        return str(values)
