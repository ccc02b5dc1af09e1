"""A problem from a user's arrays and two functions: what to decide, and what a decision costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..contracts.arrays import A, Tensor
from ..contracts.code_digest import code_digest
from ..contracts.meter import Meter
from ..contracts.problem import Context
from ..contracts.split import Split
from ._own_base import OwnProblem, Rows
from ._own_calls import CallError, RowFunction
from ._own_rows import read_rows
from ._own_solver import KeptSolver, in_a_run
from ._own_split import SHARES, Division

PROBED = 3  # rows that show whether functions do what they should
COMPARED = 50  # rows whose decisions are tried on each other
OPTIMAL = 1e-6  # of the mean cost: by how much a decision may miss the best
CHECK_SECONDS = 5.0  # at most, for solving all outcomes when a problem is made: mistakes are found at once


class UserSolver:
    """The user's `decide` with outcomes in the shape that the user gave; it can be sent to processes."""

    def __init__(self, decide: RowFunction, squeezed: bool) -> None:
        self.decide, self.squeezed = decide, squeezed
        self.parts = (decide.function,)

    def __call__(self, y: np.ndarray, context: Rows, numbers: np.ndarray | None = None) -> np.ndarray:
        """Return the decisions (m, ...) for predictions (m, D).

        Args:
            y: predictions or outcomes.
            context: what belongs to each row, by name.
            numbers: what errors call the rows.
        """
        return self.decide([y[..., 0] if self.squeezed else y], context, numbers)


class ArrayProblem(OwnProblem):
    """Rows with two functions of NumPy arrays; see `problem`."""

    def __init__(
        self,
        rows: Split,
        division: Division,
        *,
        decide: Callable[..., Any],
        cost: Callable[..., Any],
        worst: Callable[..., Any] | None,
        layer: Callable[..., Any] | None,
        linear: bool,
        vectorized: bool,
        workers: int | None,
        **named: Any,
    ) -> None:
        """Keep rows and functions, and try them on some rows; `problem` says what they are.

        Args:
            rows: all rows.
            division: into parts.
            decide: predictions to decisions.
            cost: decisions and outcomes to costs.
            worst: outcomes to reference decisions, or None.
            layer: `decide` for torch, differentiable, or None.
            linear: whether the cost is ⟨y, z⟩ or its negative.
            vectorized: whether the functions take many rows.
            workers: processes for `decide`.
            **named: name, squeezed, bounds, predictor of `OwnProblem`.
        """
        code = code_digest(decide, cost, worst, layer, linear, vectorized)
        super().__init__(rows, division, code=code, **named)
        self._cost_function = RowFunction("cost", cost, vectorized, gives_number=True)
        self._worst_function = None if worst is None else RowFunction("worst", worst, vectorized)
        self._layer = layer
        self._runs_on_torch: bool | None = None  # whether torch can compute the cost; found out by trying
        solver = UserSolver(RowFunction("decide", decide, vectorized), self.squeezed)
        kept = not vectorized or workers is not None
        self.meter = Meter() if kept else None
        self._solver: Any = KeptSolver(solver, workers) if kept else solver
        self.sign = 1.0
        self._check(solver.decide)
        if linear:
            self._check_linear()
        self._linear = linear

    @property
    def solver_calls(self) -> int | None:
        """How often `decide` was really asked by this process; None where its decisions are not kept."""
        return self._solver.calls if isinstance(self._solver, KeptSolver) else None

    def solve_rows(self, y: np.ndarray, context: Rows, numbers: np.ndarray | None = None) -> np.ndarray:
        """Return the user's decisions."""
        if isinstance(self._solver, KeptSolver):
            z = self._solver(y, context, self.meter, numbers)
        else:
            z = self._solver(y, context, numbers)
        if z.shape[1:] != self.decision_shape:
            raise CallError(
                f"decide returned decisions of shape {z.shape[1:]}, and {self.decision_shape} when the "
                "problem was "
                "made; expected the same shape always."
            )
        return z

    def cost_rows(self, z: np.ndarray, y: np.ndarray, context: Rows) -> np.ndarray:
        """Return the user's costs."""
        return self._cost_function([z, self.user_shape(y)], context)

    def worst_rows(self, y: np.ndarray, context: Rows) -> np.ndarray | None:
        """Return the user's reference decisions."""
        return None if self._worst_function is None else self._worst_function([self.user_shape(y)], context)

    @property
    def offers_worst(self) -> bool:
        """Whether the user gives reference decisions."""
        return self._worst_function is not None

    def offers(self, capability: str) -> bool:
        """Return whether an optional part is there."""
        if capability == "decision_layer":
            return self._layer is not None
        if capability == "embed":
            return self._linear
        return super().offers(capability)

    def embed(self, z: A, context: Context) -> A | None:
        """Return ±z where the cost is ±⟨y, z⟩."""
        if not self._linear:
            return None
        return self.sign * z.reshape(*z.shape, 1) if not self.decision_shape else self.sign * z

    def decision_layer(self, y_hat: Tensor, context: Context) -> Tensor | None:
        """Return the user's differentiable decision."""
        if self._layer is None:
            return None
        own = {name: context[name] for name in self._context_shapes}
        z = self._layer(y_hat[..., 0] if self.squeezed else y_hat, *([own] if own else []))
        return z.reshape(*y_hat.shape[:-1], *self.decision_shape)

    def cost_with_gradient(self, z: Tensor, y: Tensor, context: Context) -> Tensor:
        """Return the cost so that torch differentiates it: as it is written, or by differences.

        Args:
            z: decisions, any leading axes.
            y: outcomes (..., D).
            context: what belongs to each instance, by name.
        """
        from ._own_tensors import ByDifferences

        if self._runs_on_torch is not False:
            value = self._cost_in_torch(z, y, context)
            self._runs_on_torch = value is not None
            if value is not None:
                return value
        return ByDifferences.apply(z, y, self, context)

    def _cost_in_torch(self, z: Tensor, y: Tensor, context: Context) -> Tensor | None:
        """The cost by torch, or None where the function is for NumPy alone."""
        import torch

        if not self._cost_function.vectorized:
            return None
        axes = [(z, len(self.decision_shape)), (y, 1)] + [
            (context[n], len(s)) for n, s in self._context_shapes.items()
        ]
        lead = torch.broadcast_shapes(*(a.shape[: a.ndim - own] for a, own in axes))
        flat = [
            a.broadcast_to(*lead, *a.shape[a.ndim - own :]).reshape(-1, *a.shape[a.ndim - own :])
            for a, own in axes
        ]
        last = [dict(zip(self._context_shapes, flat[2:], strict=True))] if context else []
        try:
            value = self._cost_function.function(flat[0], self.user_shape(flat[1]), *last)
        except Exception:  # whatever NumPy says of a tensor
            return None
        usable = isinstance(value, torch.Tensor) and value.requires_grad and value.shape == flat[0].shape[:1]
        if self._runs_on_torch is None and usable:
            exact = torch.as_tensor(self._cost(z, y, context), device=value.device).reshape(-1)
            usable = bool(torch.allclose(value.detach().double(), exact, rtol=1e-6, atol=1e-9))
        return value.reshape(lead) if usable else None

    # Whether the functions do what they should.

    def _check(self, decide: RowFunction) -> None:
        rows = self._rows[:PROBED]
        y = self.user_shape(rows.y)
        start = time.perf_counter()
        z = decide([y], rows.context)
        seconds = (time.perf_counter() - start) / len(rows)
        self.decision_shape = z.shape[1:]
        decide.check_rows_apart([y], rows.context)
        self.cost_rows(z, rows.y, rows.context)
        self._cost_function.check_rows_apart([z, y], rows.context)
        if self._worst_function is not None:
            worst = self._worst_function([y], rows.context)
            if worst.shape != z.shape:
                raise CallError(
                    f"worst returned shape {worst.shape} for {len(rows)} rows; expected {z.shape}, as "
                    "decide does."
                )
        if not in_a_run() and seconds * len(self._rows) < CHECK_SECONDS:
            numbers = np.arange(len(self._rows))
            z = self.solve_rows(self._rows.y, self._rows.context, numbers)
            self._cost_function([z, self.user_shape(self._rows.y)], self._rows.context, numbers)
            if not self._context_shapes:  # which may say that a decision of one row is none of another
                self._check_best(z[:COMPARED])

    def _check_best(self, z: np.ndarray) -> None:
        """Raise where a row is served better by the decision for another outcome than by its own."""
        costs = self._cost(z[:, None], self._rows.y[: len(z)], {})  # decision by row
        excess = np.diag(costs) - costs.min(0)
        row = int(excess.argmax())
        if excess[row] > OPTIMAL * np.abs(costs).mean():
            raise CallError(
                f"decide and cost disagree: under the outcome of row {row}, its own decision costs "
                f"{costs[row, row]:g} and that of row {int(costs[:, row].argmin())} costs "
                f"{costs[:, row].min():g}. "
                "The cost is to be low: negate a profit; and decide is to find the best decision."
            )

    def _check_linear(self) -> None:
        rows = self._rows
        z = self.solve_rows(rows.y, rows.context)
        y = self.user_shape(rows.y)
        if z.shape != y.shape:
            raise ValueError(
                f"linear=True: expected decisions of the shape of y, {y.shape[1:]}, got {z.shape[1:]}."
            )
        others = np.roll(rows.y, 1, 0)  # other outcomes than the decisions were made for
        costs = self.cost_rows(z, others, rows.context)
        products = (z.reshape(len(z), -1) * others.reshape(len(z), -1)).sum(1)
        for sign in (1.0, -1.0):
            if np.allclose(costs, sign * products, rtol=1e-9, atol=1e-12 * np.abs(products).max()):
                self.sign = sign
                return
        row = int(np.argmax(np.abs(np.abs(costs) - np.abs(products))))
        raise ValueError(
            f"linear=True: expected cost(z, y) to be ⟨y, z⟩ or its negative, got {costs[row]:g} and ⟨y, z⟩ = "
            f"{products[row]:g} for decision {row}; leave linear out."
        )


def problem(
    x: Any,
    y: Any,
    *,
    decide: Callable[..., Any],
    cost: Callable[..., Any],
    worst: Callable[..., Any] | None = None,
    context: Mapping[str, Any] | None = None,
    frame: Any = None,
    split: Any = SHARES,
    name: str = "own",
    bounds: tuple[float | None, float | None] = (None, None),
    linear: bool = False,
    layer: Callable[..., Any] | None = None,
    predictor: Any = None,
    vectorized: bool = True,
    workers: int | None = None,
) -> ArrayProblem:
    """Make a problem from arrays and two functions of NumPy arrays.

    The functions are given rows: ``decide`` takes predictions (n, D) and returns decisions (n, ...), ``cost``
    takes decisions and outcomes (n, D) and returns (n,), lower is better. An outcome that came as one number
    for each row is (n,) for them. Where there is a context, they get it last, as a dictionary of arrays.

    Args:
        x: features (n, F) or (n,); or (n, parts, F) where y is (n, parts). With `frame`: names of columns.
        y: outcomes (n, D) or (n,). With `frame`: names of columns.
        decide: the best decision for a prediction, ``decide(y_hat)``.
        cost: what a decision costs under an outcome, ``cost(z, y)``; negate a profit.
        worst: the reference decision, ``worst(y)``, whose regret scores are divided by. None: the costliest,
            by the outcome, of the decisions that are best for training outcomes.
        context: what else belongs to each row, by name, such as prices or limits that are known.
        frame: a pandas table; x, y and context then name its columns.
        split: shares of train, validation and test rows, drawn by seed; "chronological", alone or as
            ("chronological", 0.6, 0.2, 0.2); or three arrays of row numbers.
        name: what tables call the problem.
        bounds: lowest and highest admissible prediction; predictions are clipped to them.
        linear: whether the cost is ⟨y, z⟩ or its negative; methods for linear costs then apply.
        layer: `decide` for torch tensors, which torch can differentiate; `dfl` then applies.
        predictor: "linear", a `Network`, a torch module or a function that makes one, or, for `pfl`, a
            regressor of scikit-learn. None: a network with one hidden layer.
        vectorized: False where the functions take one row at a time, as most solvers do. Decisions are then
            kept by content, and several processes solve where there is much to do.
        workers: how many processes; None: one, or as many as there are cores where it is worth it.
    """
    for label, function in (("decide", decide), ("cost", cost)):
        if not callable(function):
            raise TypeError(f"expected {label} to be a function, got {function!r}.")
    rows = read_rows(x, y, context, frame)
    one = isinstance(y, str) if frame is not None else np.ndim(y) == 1
    return ArrayProblem(
        rows,
        Division.read(split, len(rows)),
        decide=decide,
        cost=cost,
        worst=worst,
        layer=layer,
        linear=linear,
        vectorized=vectorized,
        workers=checked_workers(workers),
        name=checked_name(name),
        squeezed=one,
        bounds=checked_bounds(bounds),
        predictor=predictor,
    )


def checked_name(name: str) -> str:
    """Return the name of a problem, if no problem of the suite has it."""
    from . import entries

    taken = entries().get(name)
    if taken is not None and taken.source.startswith("dfl_bench."):
        raise ValueError(f"the name {name!r} is that of a problem of the suite; choose another.")
    return name


def checked_workers(workers: int | None) -> int | None:
    """Return a number of processes, if it is one."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ValueError(f"expected workers to be a whole number of at least 1, got {workers!r}.")
    return workers


def checked_bounds(bounds: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the lowest and the highest prediction, None for no bound."""
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ValueError(f"expected bounds to be (low, high), with None for no bound, got {bounds!r}.")
    low, high = (None if b is None else float(b) for b in bounds)
    if low is not None and high is not None and low > high:
        raise ValueError(f"expected bounds (low, high) with low <= high, got {bounds!r}.")
    return low, high
