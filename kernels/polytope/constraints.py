"""The polytope that all rows of costs share."""

from dataclasses import dataclass, field

import numpy as np

from .._shared.arrays import Array
from . import given
from .form import Form, prepare
from .outward import Normals


@dataclass(frozen=True, kw_only=True, eq=False)
class Polytope:
    """All z of n entries with A z = b, G z ≤ h and 0 ≤ z ≤ upper.

    It is made ready here, once: rows of A that others imply are removed, and a point with room to all
    inequalities is found. Of all that is given, arrays are kept, so make one polytope for many calls.

    Attributes:
        equal: A (rows, n) and b (rows,), or None.
        at_most: G (rows, n) and h (rows,), or None.
        upper: one number or (n,), infinite where there is no bound; None for no bounds.

    Raises:
        ValueError: no z meets all constraints, or some inequalities hold with equality for every z.
    """

    equal: tuple[Array, Array] | None = None
    at_most: tuple[Array, Array] | None = None
    upper: Array | float | None = None
    form: Form = field(init=False, repr=False)
    normals: Normals = field(init=False, repr=False)
    limits: np.ndarray = field(init=False, repr=False)  # (k,): normals.matrix z ≤ limits

    def __post_init__(self) -> None:
        n = given.n_entries(self.equal, self.at_most, self.upper)
        equal = given.rows(self.equal, n, "equal", "A, b")
        at_most = given.rows(self.at_most, n, "at_most", "G, h")
        upper = given.upper(self.upper, n)
        bounded = np.isfinite(upper)
        matrix = np.vstack([equal[0], -equal[0], at_most[0], -np.eye(n), np.eye(n)[bounded]])
        made = {
            "equal": equal,
            "at_most": at_most,
            "upper": upper,
            "form": prepare(equal, at_most, upper),
            "normals": Normals(matrix, len(equal[0])),
            "limits": np.concatenate([equal[1], -equal[1], at_most[1], np.zeros(n), upper[bounded]]),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.form.given.upper)
