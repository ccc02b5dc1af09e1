"""The objective of a cvxpy model as a polynomial, where it is one: so rows are costed at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contracts.arrays import namespace

MOST_PAIRS = 4000  # of parameters that are looked at for a square in them
AGREES = 1e-9


@dataclass(frozen=True, slots=True)
class Quadratic:
    """f(z, p) = c + a·z + b·p + z·M p + ½ z·H z + ½ p·C p."""

    constant: float
    linear: np.ndarray  # a (Z,)
    by_parameter: np.ndarray  # b (P,)
    mixed: np.ndarray  # M (Z, P)
    square: np.ndarray | None  # H (Z, Z)
    parameter_square: np.ndarray | None  # C (P, P)

    def __call__(self, z: Any, p: Any) -> Any:
        """Return the objective, shape (...), for z (..., Z) and p (..., P), NumPy or torch."""
        of = lambda values: values if namespace(z) is np else z.new_tensor(values)  # noqa: E731
        value = self.constant + z @ of(self.linear) + p @ of(self.by_parameter)
        value = value + ((z @ of(self.mixed)) * p).sum(-1)
        if self.square is not None:
            value = value + 0.5 * ((z @ of(self.square)) * z).sum(-1)
        if self.parameter_square is not None:
            value = value + 0.5 * ((p @ of(self.parameter_square)) * p).sum(-1)
        return value


def quadratic_of(model: Any) -> Quadratic | None:
    """Return the objective of a `RowModel` as a polynomial of degree two, or None where it is none.

    Coefficients are read off the gradients at the origin and at the unit vectors, then compared with the
    objective itself at random points.
    """
    zero_z, zero_p = np.zeros(model.n_variables), np.zeros(model.n_parameters)
    constant, linear = model.value(zero_z, zero_p), model.gradient(zero_z, zero_p)
    if linear is None:
        return None
    mixed = np.zeros((len(zero_z), len(zero_p)))
    by_parameter = np.zeros(len(zero_p))
    for j, unit in enumerate(np.eye(len(zero_p))):
        slope, twice = model.gradient(zero_z, unit), model.value(zero_z, 2 * unit)
        if slope is None:
            return None
        mixed[:, j] = slope - linear
        # From f(0), f(e) and f(2e): the slope of a parabola at 0.
        by_parameter[j] = 2 * model.value(zero_z, unit) - 0.5 * twice - 1.5 * constant
    square = _square(model, linear, zero_p)
    found = Quadratic(constant, linear, by_parameter, mixed, square, None)
    if _agrees(model, found):
        return found
    if len(zero_p) * len(zero_p) > MOST_PAIRS:
        return None
    found = Quadratic(
        constant, linear, by_parameter, mixed, square, _parameter_square(model, constant, by_parameter)
    )
    return found if _agrees(model, found) else None


def _square(model: Any, linear: np.ndarray, zero_p: np.ndarray) -> np.ndarray | None:
    if model.is_affine:
        return None
    slopes = [model.gradient(unit, zero_p) for unit in np.eye(model.n_variables)]
    if any(slope is None for slope in slopes):
        return None
    return np.stack(slopes) - linear


def _parameter_square(model: Any, constant: float, linear: np.ndarray) -> np.ndarray:
    zero_z, units = np.zeros(model.n_variables), np.eye(model.n_parameters)
    ones = np.array([model.value(zero_z, unit) for unit in units])
    square = np.zeros((len(units), len(units)))
    for i in range(len(units)):
        for j in range(i + 1):
            if i == j:
                square[i, i] = 2 * (ones[i] - constant - linear[i])
            else:
                both = model.value(zero_z, units[i] + units[j])
                square[i, j] = square[j, i] = both - ones[i] - ones[j] + constant
    return square


def _agrees(model: Any, found: Quadratic) -> bool:
    rng = np.random.default_rng(0)
    for size in (1.0, 10.0, 100.0):
        z, p = size * rng.standard_normal(model.n_variables), size * rng.standard_normal(model.n_parameters)
        exact = model.value(z, p)
        if not np.isfinite(exact) or abs(found(z, p) - exact) > AGREES * (abs(exact) + size * size):
            return False
    return True
