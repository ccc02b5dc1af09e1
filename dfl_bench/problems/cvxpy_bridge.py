"""A parametrized cvxpy model as a problem: its parameter is predicted, its variables are the decision."""

import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..contracts.arrays import A, Tensor, namespace
from ..contracts.code_digest import code_digest
from ..contracts.meter import Meter
from ..contracts.problem import Context
from ..contracts.split import Split
from ._cvxpy_model import RowModel
from ._cvxpy_objective import quadratic_of
from ._own_base import OwnProblem, Rows
from ._own_rows import read_rows
from ._own_solver import KeptSolver, in_a_run
from ._own_split import SHARES, Division
from .own import CHECK_SECONDS, checked_name, checked_workers


class CvxpyProblem(OwnProblem):
    """Rows with a cvxpy model; see `from_cvxpy`."""

    provenance = "user-supplied: arrays and a cvxpy model"

    def __init__(
        self, rows: Split, division: Division, *, model: RowModel, workers: int | None, **named: Any
    ) -> None:
        """Keep rows and model, and solve some rows.

        Args:
            rows: all rows.
            division: into parts.
            model: the compiled model.
            workers: processes that solve.
            **named: name, squeezed, bounds, predictor of `OwnProblem`.
        """
        super().__init__(rows, division, code=code_of(model), **named)
        self._model = model
        self._solver = KeptSolver(model, workers)
        self.meter = Meter()
        self.decision_shape = (model.n_variables,)
        self._objective = quadratic_of(model)
        self._layer: Any = None
        self._has_layer = (
            not self._is_linear_program and not self._is_integer and find_spec("cvxpylayers") is not None
        )
        self._check()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_layer": None}

    @property
    def solver_calls(self) -> int:
        """How often the model was really solved by this process and its workers."""
        return self._solver.calls

    @property
    def _is_integer(self) -> bool:
        return bool(self._model.model.is_mixed_integer())

    @property
    def _is_linear_program(self) -> bool:
        return self._model.is_affine and bool(
            self._model.model.is_lp() if hasattr(self._model.model, "is_lp") else self._model.model.is_qp()
        )

    def _check(self) -> None:
        rows, numbers = self._rows, np.arange(len(self._rows))
        for part in (slice(0, 1), slice(1, 3)):  # the first compiles
            start = time.perf_counter()
            self.solve_rows(rows.y[part], {k: v[part] for k, v in rows.context.items()}, numbers[part])
        if not in_a_run() and (time.perf_counter() - start) / 2 * len(rows) < CHECK_SECONDS:
            self.solve_rows(rows.y, rows.context, numbers)

    def solve_rows(self, y: np.ndarray, context: Rows, numbers: np.ndarray | None = None) -> np.ndarray:
        """Return the values of all variables."""
        return self._solver(y, context, self.meter, numbers)

    def cost_rows(self, z: np.ndarray, y: np.ndarray, context: Rows) -> np.ndarray:
        """Return the objective, negated where the model maximizes."""
        p = self._parameters(y, context)
        if self._objective is not None:
            return self._model.sign * self._objective(z, p)
        return self._model.sign * np.array([self._model.value(*pair) for pair in zip(z, p, strict=True)])

    def _parameters(self, y: Any, context: Mapping[str, Any]) -> Any:
        """All parameters of a row in one axis: the outcome, then the context."""
        flat = [
            y,
            *(
                context[k].reshape(*context[k].shape[: context[k].ndim - len(s)], -1)
                for k, s in self._context_shapes.items()
            ),
        ]
        if len(flat) == 1:
            return y
        xp = namespace(y)
        lead = np.broadcast_shapes(*(tuple(a.shape[:-1]) for a in flat))
        wide = [xp.broadcast_to(a, (*lead, a.shape[-1])) for a in flat]
        return np.concatenate(wide, axis=-1) if xp is np else xp.cat(wide, dim=-1)

    def cost_with_gradient(self, z: Tensor, y: Tensor, context: Context) -> Tensor:
        """Return the cost so that torch differentiates it.

        Args:
            z: decisions (..., Z).
            y: outcomes (..., D).
            context: what belongs to each instance, by name.
        """
        if self._objective is not None:
            return self._model.sign * self._objective(z, self._parameters(y, context))
        from ._own_tensors import ByDifferences

        return ByDifferences.apply(z, y, self, context)

    # What methods may ask for.

    def offers(self, capability: str) -> bool:
        """Return whether an optional part is there."""
        objective, n = self._objective, self._model.outcome.size
        # Linear in the outcome: no square in which the outcome has a part.
        linear = objective is not None and (
            objective.parameter_square is None or not np.abs(objective.parameter_square[:n]).max() > 0
        )
        if capability == "embed":
            return linear
        if capability == "known":
            assert objective is not None or not linear
            return not linear or objective is None or _has_known(objective, n)
        if capability == "decision_layer":
            return self._has_layer
        return super().offers(capability)

    def embed(self, z: A, context: Context) -> A | None:
        """Return φ(z), where the objective is ⟨y, φ(z)⟩ + known(z)."""
        if not self.offers("embed"):
            return None
        objective, n = self._objective, self._model.outcome.size
        assert objective is not None
        given: Any = z
        of = lambda values: values if namespace(given) is np else given.new_tensor(values)  # noqa: E731
        return self._model.sign * (given @ of(objective.mixed[:, :n]) + of(objective.by_parameter[:n]))

    def known(self, z: A, context: Context) -> A | float:
        """Return the part of the objective that no outcome changes."""
        if not self.offers("known"):
            return 0.0
        given: Any = z
        shape = (*given.shape[:-1], self._model.outcome.size)
        return self.cost(given, namespace(given).broadcast_to(given[..., :1] * 0.0, shape), context)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Tensor | None:
        """Return the decision through cvxpylayers; None without the extra, or where a model has no layer."""
        if not self._has_layer:
            return None
        if self._layer is None:
            from ._cvxpy_layer import Layer

            self._layer = Layer(self._model)
        if self.meter is not None:
            self.meter.calls += int(np.prod(y_hat.shape[:-1]))
        return self._layer(self.project(y_hat), self._own(context))


def _has_known(objective: Any, n: int) -> bool:
    parts = [objective.constant, objective.linear, objective.by_parameter[n:], objective.mixed[:, n:]]
    parts += [square for square in (objective.square, objective.parameter_square) if square is not None]
    return any(np.abs(part).max(initial=0.0) > 0 for part in map(np.asarray, parts))


def from_cvxpy(
    model: Any,
    parameter: Any,
    x: Any,
    y: Any,
    *,
    context: Mapping[Any, Any] | None = None,
    frame: Any = None,
    split: Any = SHARES,
    name: str = "cvxpy",
    predictor: Any = None,
    solver: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> CvxpyProblem:
    """Make a problem from a parametrized cvxpy model: the parameter is predicted, the variables are decided.

    The model is compiled once (DPP) and solved for every row; a decision is the values of all variables, in
    the order of ``model.variables()``, flat. The cost is the model's objective, negated where it maximizes.

    Args:
        model: a `cvxpy.Problem` that is DPP.
        parameter: the `cvxpy.Parameter` that y holds the values of.
        x: features (n, F) or (n,); or (n, parts, F) where y is (n, parts). With `frame`: names of columns.
        y: values of the parameter, (n, its size) or (n,). With `frame`: names of columns.
        context: values of the model's other parameters, (n, ...) each, by parameter or by its name. A
            parameter with a value of its own may be left out.
        frame: a pandas table; x, y and context then name its columns.
        split: shares of train, validation and test rows, drawn by seed; "chronological", alone or as
            ("chronological", 0.6, 0.2, 0.2); or three arrays of row numbers.
        name: what tables call the problem.
        predictor: see `dfl_bench.problem`.
        solver: its name in cvxpy. None: HiGHS for linear and integer models, else Clarabel.
        solver_options: of the solver, by name.
        workers: how many processes solve; None: as many as there are cores, where it is worth it.
    """
    from ._cvxpy_checks import checked_model, checked_parameters, chosen_solver

    checked_model(model)
    extra = checked_parameters(model, parameter, context or {})
    values = {p.name(): v for p, v in extra.items()}
    rows = read_rows(x, _flat_outcomes(y, frame), values, frame)
    for given, label, size in [
        (rows.y, "y", parameter.size),
        *((rows.context[p.name()], f"context[{p.name()!r}]", p.size) for p in extra),
    ]:
        if given[0].size != size:
            raise ValueError(
                f"expected {size} numbers in each row of {label}, as the parameter has, got {given[0].size}."
            )
    row_model = RowModel(
        model, parameter, {p.name(): p for p in extra}, chosen_solver(model, solver), solver_options or {}
    )
    return CvxpyProblem(
        rows,
        Division.read(split, len(rows)),
        model=row_model,
        workers=checked_workers(workers),
        name=checked_name(name),
        squeezed=isinstance(y, str) if frame is not None else np.ndim(y) == 1,
        bounds=_bounds_of(parameter),
        predictor=predictor,
    )


def _flat_outcomes(y: Any, frame: Any) -> Any:
    """Outcomes that are matrices, as the parameter is, become rows."""
    if frame is not None or np.ndim(y) <= 2:
        return y
    return np.asarray(y).reshape(len(y), -1)


def _bounds_of(parameter: Any) -> tuple[float | None, float | None]:
    """What a parameter declares of its sign: predictions are clipped to it."""
    return (0.0 if parameter.is_nonneg() else None, 0.0 if parameter.is_nonpos() else None)


def code_of(model: RowModel) -> str:
    """Return the digest of a model: its expressions, its constants, its solver."""
    constants = [
        np.asarray(c.value.toarray() if hasattr(c.value, "toarray") else c.value)
        for c in model.model.constants()
    ]
    fixed = {
        p.name(): np.asarray(p.value)
        for p in model.model.parameters()
        if all(p is not q for q in model.parameters)
    }
    leaves: Sequence[Any] = [
        (type(v).__name__, v.shape, sorted(k for k, on in v.attributes.items() if on))
        for v in model.variables
    ]
    text = _anonymous(str(model.model), model)
    return code_digest(text, constants, fixed, leaves, model.outcome.shape, model.solver, dict(model.options))


def _anonymous(text: str, model: RowModel) -> str:
    """A model's text with variables and parameters by their place: cvxpy numbers them as they are made."""
    for letter, leaves in (("z", model.variables), ("p", model.model.parameters())):
        for i, leaf in enumerate(leaves):
            text = text.replace(leaf.name(), f"{letter}{i}")
    return text
