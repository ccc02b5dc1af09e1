"""What problems made of a user's rows share: the parts, the reference decision, shapes, NumPy and torch."""

import copy
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contracts.arrays import A, Tensor, namespace
from ..contracts.code_digest import code_digest
from ..contracts.fingerprint import array_digest, fingerprint
from ..contracts.problem import Context, Network, Problem
from ..contracts.split import Split, Splits
from ._own_predictor import describe_predictor, network_for
from ._own_split import Division

WORST = "reference decision"  # the context that holds it where the user gives no `worst`
OTHERS = 10  # training outcomes that a row with context is decided for, to find its reference decision
BLOCK = 1 << 18  # costs that are computed at once

Rows = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class OwnConfig:
    """What names such a problem beside its rows and functions: the predictor, where it is the user's."""

    predictor: str = ""


class OwnProblem(Problem):
    """Rows that a user has, and two functions of rows: the best decision, and what it costs.

    A subclass has `solve_rows` and `cost_rows`; here they get any leading axes, NumPy or torch.
    """

    version = 1
    Config = OwnConfig
    provenance = "user-supplied: arrays"
    holds_its_rows = True
    worst_is_costliest = False

    def __init__(
        self,
        rows: Split,
        division: Division,
        *,
        name: str,
        squeezed: bool,
        bounds: tuple[float | None, float | None],
        predictor: Any,
        code: str,
    ) -> None:
        """Keep the rows.

        Args:
            rows: all of them.
            division: into parts.
            name: what tables call the problem.
            squeezed: whether outcomes came as one number for each row.
            bounds: of admissible predictions; None for no bound.
            predictor: what is trained: None, "linear", a `Network`, or the user's own.
            code: the digest of all functions and constants.
        """
        super().__init__(OwnConfig(describe_predictor(predictor)))
        self.name = name  # type: ignore[misc]
        self._rows, self.division, self.squeezed, self.bounds = rows, division, squeezed, bounds
        self.network = network_for(predictor, rows)
        self.predictor = None if predictor is None or isinstance(predictor, str | Network) else predictor
        self.decision_shape: tuple[int, ...] = ()  # of one decision; found out by the first rows
        self._context_shapes = {key: values.shape[1:] for key, values in rows.context.items()}
        self._digest = fingerprint(
            [
                array_digest(*rows.arrays()),
                code,
                code_digest(vars_of(division)),
                bounds,
                code_digest(predictor),
            ]
        )
        self._references: dict[int, np.ndarray] = {}

    def __repr__(self) -> str:
        rows, context = self._rows, ", ".join(self._context_shapes)
        with_context = f", context {context}" if context else ""
        with_predictor = f", predictor {self.config.predictor}" if self.config.predictor else ""
        shape = "number" if not self.decision_shape else f"{self.decision_shape}"
        return (
            f"<problem {self.name}: {len(rows)} rows, x {rows.x.shape[1:]}, y "
            f"{rows.y.shape[1:]}{with_context}, "
            f"decision {shape}{with_predictor}>"
        )

    def with_predictor(self, predictor: Any) -> "OwnProblem":
        """Return the same problem with another predictor."""
        other = copy.copy(self)
        other.config = OwnConfig(describe_predictor(predictor))
        other.network = network_for(predictor, self._rows)
        other.predictor = None if predictor is None or isinstance(predictor, str | Network) else predictor
        other._digest = fingerprint([self._digest, code_digest(predictor)])
        return other

    @property
    def source_digest(self) -> str:
        """Sixteen hex digits of the rows, of how they are divided, and of the user's functions."""
        return self._digest

    # What a subclass gives.

    @abstractmethod
    def solve_rows(self, y: np.ndarray, context: Rows, numbers: np.ndarray | None = None) -> np.ndarray:
        """Return the decisions (m, ...) for predictions (m, D).

        Args:
            y: predictions or outcomes.
            context: what belongs to each row, by name.
            numbers: what errors call the rows.
        """

    @abstractmethod
    def cost_rows(self, z: np.ndarray, y: np.ndarray, context: Rows) -> np.ndarray:
        """Return the costs (m,) of decisions under outcomes (m, D).

        Args:
            z: decisions (m, ...).
            y: outcomes.
            context: what belongs to each row, by name.
        """

    @abstractmethod
    def cost_with_gradient(self, z: Tensor, y: Tensor, context: Context) -> Tensor:
        """Return the cost so that torch differentiates it.

        Args:
            z: decisions, any leading axes.
            y: outcomes (..., D).
            context: what belongs to each instance, by name.
        """

    def worst_rows(self, y: np.ndarray, context: Rows) -> np.ndarray | None:
        """Return the user's reference decisions (m, ...), or None where there are none."""
        return None

    # The contract of a problem.

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: a part to train on, one to choose on, one to be scored on."""
        parts = self.division.parts(self._rows, seed)
        return Splits(*self._with_reference(parts, seed))

    def rows_to_fit(self, seed: int) -> tuple[Split, Split]:
        """Return all rows in two parts: to train on and to choose on."""
        train, val = self._with_reference(self.division.without_test(self._rows, seed), -1 - seed)
        return train, val

    def decide(self, y_hat: A, context: Context) -> A:
        """Return the user's decisions."""
        given = self._own(context)
        (y,), (wide, lead) = self._rows_of([(y_hat, 1)], given)
        return self._like(y_hat, self.solve_rows(y, wide).reshape(*lead, *self.decision_shape))

    def cost(self, z: A, y: A, context: Context) -> A:
        """Return the user's costs."""
        given: Any = z
        if namespace(given) is np:
            return self._cost(given, y, self._own(context))
        from ._own_tensors import cost_of_tensors

        outcomes: Any = y
        return cost_of_tensors(self, given, outcomes, self._own(context))  # type: ignore[return-value]

    def _cost(self, z: Any, y: Any, context: Context) -> Any:
        (z_rows, y_rows), (wide, lead) = self._rows_of([(z, len(self.decision_shape)), (y, 1)], context)
        return self.cost_rows(z_rows, y_rows, wide).reshape(lead)

    def worst(self, y: A, context: Context) -> A:
        """Return the user's reference decisions, or the costliest of the decisions for training outcomes."""
        if WORST in context:
            worst: Any = context[WORST]
            before = tuple(worst.shape[: worst.ndim - len(self.decision_shape)])
            wider: tuple[int, ...] = np.broadcast_shapes(tuple(y.shape[:-1]), before)
            return namespace(worst).broadcast_to(worst, (*wider, *self.decision_shape))
        given = self._own(context)
        (rows,), (wide, lead) = self._rows_of([(y, 1)], given)
        found = self.worst_rows(rows, wide)
        if found is None:
            raise ValueError(
                f"{self.name} has no `worst`; take rows from `data`, which hold the reference decisions."
            )
        return self._like(y, found.reshape(*lead, *self.decision_shape))

    def project(self, y_hat: A) -> A:
        """Return the prediction within the bounds."""
        checked: Any = super().project(y_hat)
        return checked if self.bounds == (None, None) else checked.clip(*self.bounds)

    def label_scale(self, train: Split) -> float:
        """Predictions are in standard deviations of the training outcomes."""
        spread = float((train.y - train.y.mean(0)).std())
        return spread if spread > 0 else 1.0

    # Shapes.

    def user_shape(self, y: Any) -> Any:
        """Return outcomes or predictions (m, D) in the shape that the user gave them in."""
        return y[..., 0] if self.squeezed else y

    def _own(self, context: Context) -> Context:
        return {name: context[name] for name in self._context_shapes}

    def _rows_of(
        self, arrays: list[tuple[Any, int]], context: Context
    ) -> tuple[list[Any], tuple[Rows, tuple[int, ...]]]:
        """Broadcast the leading axes of arrays, each with its own axes, and of the context; flatten them."""
        values = [(_numpy(a), own) for a, own in arrays]
        extra = {name: _numpy(context[name]) for name in context}
        own_axes = {name: len(self._context_shapes[name]) for name in extra}
        leads = [a.shape[: a.ndim - own] for a, own in values] + [
            v.shape[: v.ndim - own_axes[n]] for n, v in extra.items()
        ]
        lead = np.broadcast_shapes(*leads)

        def flat(a: np.ndarray, own: int) -> np.ndarray:
            shape = a.shape[a.ndim - own :]
            return np.broadcast_to(a, (*lead, *shape)).reshape(-1, *shape)

        return [flat(*pair) for pair in values], ({n: flat(v, own_axes[n]) for n, v in extra.items()}, lead)

    def _like(self, given: Any, found: np.ndarray) -> Any:
        return found if namespace(given) is np else given.new_tensor(found)

    # The reference decision, where the user gives none.

    def _with_reference(self, parts: list[np.ndarray], seed: int) -> list[Split]:
        rows = self._rows
        if not self.offers_worst:
            if seed not in self._references:
                self._references = {seed: self._reference(parts)}  # the last seed: `data` is called twice
            rows = Split(rows.x, rows.y, {**rows.context, WORST: self._references[seed]})
        return [rows[part] for part in parts]

    @property
    def offers_worst(self) -> bool:
        """Whether the user gives reference decisions."""
        return False

    def _reference(self, parts: list[np.ndarray]) -> np.ndarray:
        """The costliest decision under each row's outcome among those that are best for training outcomes.

        Where rows have a context it may say what is allowed, so that a decision of one row may be none of
        another: then each row is decided for some training outcomes in its own context.
        """
        x, y, train = self._rows.x, self._rows.y, parts[0]
        used = np.concatenate(parts)
        worst = np.zeros((len(x), *self.decision_shape))
        if self._context_shapes:
            others = train[np.linspace(0, len(train) - 1, min(OTHERS, len(train))).astype(int)]
            context = {name: values[used] for name, values in self._rows.context.items()}
            guesses = self.project(y[others])[:, None]
            z = np.stack([self.decide(np.broadcast_to(g, (len(used), y.shape[1])), context) for g in guesses])
            costs = self._cost(z, y[used], context)
            worst[used] = z[costs.argmax(0), np.arange(len(used))]
            return worst
        z = self.solve_rows(y[train], {}, train)
        z = z[np.sort(np.unique(z.reshape(len(z), -1) + 0.0, axis=0, return_index=True)[1])]
        size = max(1, BLOCK // len(z))
        for begin in range(0, len(used), size):
            part = used[begin : begin + size]
            worst[part] = z[self._cost(z[:, None], y[part], {}).argmax(0)]
        return worst


def vars_of(division: Division) -> dict[str, Any]:
    """Return the fields of a division by name."""
    return {name: getattr(division, name) for name in division.__slots__}


def _numpy(values: Any) -> np.ndarray:
    return values if namespace(values) is np else values.detach().cpu().numpy()
