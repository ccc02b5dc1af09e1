"""What is done once for a polytope: which rows say something new, and a point away from all inequalities."""

import numpy as np
from scipy.linalg import qr
from scipy.optimize import linprog

NEW = 1e-10
"""A row of length one is new if its distance to the combinations of the others is larger."""
MEETS = 1e-9
"""A right-hand side is met if it is missed by no more, in units of the largest."""
ROOM = 1e-9
"""A polytope has an interior if some point is farther from all inequalities, in units of its size."""


def independent(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return which equalities (rows, n) to keep: as many as are independent; raise if they contradict."""
    lengths = np.linalg.norm(rows, axis=1)
    if (bad := np.flatnonzero((lengths == 0) & (right != 0))).size:
        raise ValueError(f"expected equalities that some z meets, got row {bad[0]} of A with zeros alone.")
    if not lengths.any():
        return np.empty(0, np.int64)
    safe = np.where(lengths > 0, lengths, 1.0)
    short, goal = rows / safe[:, None], right / safe
    _, triangle, order = qr(short.T, mode="economic", pivoting=True)
    kept = np.sort(order[: int((abs(triangle.diagonal()) > NEW).sum())])
    z = np.linalg.lstsq(short[kept], goal[kept], rcond=None)[0]
    missed = abs(short @ z - goal)
    if (missed > MEETS * max(1.0, abs(goal).max())).any():
        raise ValueError(
            f"expected equalities that some z meets, but row {int(missed.argmax())} of A contradicts others."
        )
    return kept


def not_empty(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return which inequalities (rows, n) to keep: those with an entry; raise if another cannot hold."""
    empty = ~rows.any(1)
    if (bad := np.flatnonzero(empty & (right < 0))).size:
        raise ValueError(
            f"expected inequalities that some z meets, got row {bad[0]} of G with zeros alone and h < 0."
        )
    return np.flatnonzero(~empty)


def point_inside(
    rows: np.ndarray, right: np.ndarray, n_equal: int, upper: np.ndarray, names: np.ndarray
) -> np.ndarray:
    """Return z (n,) that meets all constraints and is as far from all inequalities as a ball can be.

    Args:
        rows: (m, n), rows of length one.
        right: (m,), their right-hand sides.
        n_equal: how many of the rows are equalities; they come first.
        upper: (n,), upper bounds.
        names: the number of each inequality row in G.
    """
    n, bounded = len(upper), np.flatnonzero(np.isfinite(upper))
    size = max(abs(right).max(initial=0.0), upper[bounded].max(initial=0.0)) or 1.0
    less = np.vstack([rows[n_equal:], -np.eye(n), np.eye(n)[bounded]])
    room = np.concatenate([right[n_equal:], np.zeros(n), upper[bounded]]) / size
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.column_stack([less, np.ones(len(less))]),
        b_ub=room,
        A_eq=np.column_stack([rows[:n_equal], np.zeros(n_equal)]),
        b_eq=right[:n_equal] / size,
        bounds=[(None, None)] * n + [(None, 1.0)],
        method="highs",
    )
    if found.status == 2 or (found.success and found.x[-1] < -ROOM):
        raise ValueError("expected a polytope that is not empty, but no z meets all constraints.")
    if not found.success:
        raise ValueError(f"HiGHS found no point inside the polytope: {found.message}")
    if found.x[-1] <= ROOM:
        raise ValueError(_no_interior(found.ineqlin.marginals, n, bounded, names))
    return size * _on_rows(rows[:n_equal], right[:n_equal] / size, found.x[:n])


def _on_rows(rows: np.ndarray, right: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Move z to where it meets the equalities to the last digits; HiGHS stops at 10⁻⁷."""
    for _ in range(2 if len(rows) else 0):
        z = z - np.linalg.lstsq(rows, rows @ z - right, rcond=None)[0]
    return z


def _no_interior(prices: np.ndarray, n: int, bounded: np.ndarray, names: np.ndarray) -> str:
    """Name the inequalities that have a price: only those that can never be loose have one."""
    called = [f"row {row} of G" for row in names]
    called += [f"z[{j}] >= 0" for j in range(n)] + [f"z[{j}] <= upper" for j in bounded]
    tight = [called[k] for k in np.flatnonzero(prices < -1e-9)]
    return (
        f"expected a polytope with an interior, but these inequalities hold with equality for every z: "
        f"{', '.join(tight[:5])}{', ...' if len(tight) > 5 else ''}; write them as rows of A, or leave out "
        "the entries of z that cannot move."
    )
