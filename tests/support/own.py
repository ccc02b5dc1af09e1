"""Small problems of a user's: one for each way in."""

import numpy as np

import dfl_bench

ROWS = 30


def rows(n=ROWS, outcomes=1, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, (n, 2))
    y = 3.0 + x @ rng.standard_normal((2, outcomes)) + 0.3 * rng.standard_normal((n, outcomes))
    return x, y[:, 0] if outcomes == 1 else y


def newsvendor_cost(z, y):
    return 4.0 * np.maximum(y - z, 0.0) + np.maximum(z - y, 0.0)


def newsvendor(**changes):
    """One number to predict, one to decide."""
    x, y = rows()
    return dfl_bench.problem(x, y, **{"decide": lambda d: d, "cost": newsvendor_cost} | changes)


def cheapest(costs):
    """The cheapest of some items, one row at a time as solvers work."""
    z = np.zeros(len(costs))
    z[np.argmin(costs)] = 1.0
    return z


def choice(**changes):
    """Choose one of three items whose costs are predicted, by a solver that takes one row."""
    x, y = rows(outcomes=3)
    given = {"decide": cheapest, "cost": lambda z, y: float(z @ y), "vectorized": False, "linear": True}
    return dfl_bench.problem(x, y, **given | changes)


def buying(**changes):
    """With a context: how much may be bought differs from row to row, and so does a fee."""
    x, y = rows(outcomes=2)
    given = {
        "decide": lambda y_hat, context: (y_hat < 3.0) * context["limit"][:, None],
        "cost": lambda z, y, context: ((y - 3.0) * z).sum(-1) + 0.0 * context["fee"],
        "context": {"limit": np.linspace(1.0, 2.0, len(x)), "fee": np.ones(len(x))},
        "worst": lambda y, context: (y >= 3.0) * context["limit"][:, None],
    }
    return dfl_bench.problem(x, y, **given | changes)


def mix(linear=False, **changes):
    """Shares of three assets; a quadratic program, or a linear one."""
    import cvxpy as cp

    x, y = rows(n=20, outcomes=3)
    z, gain = cp.Variable(3, name="share"), cp.Parameter(3, name="gain")
    risk = 0.0 if linear else 0.5 * cp.sum_squares(z)
    model = cp.Problem(cp.Maximize(gain @ z - risk), [cp.sum(z) == 1, z >= 0])
    return dfl_bench.from_cvxpy(model, gain, x, y, **changes)


def path(**changes):
    """The cheapest way through a small grid, as a model of PyEPO."""
    grid = dfl_bench.make_problem("shortest-path", side=3, n_train=20, n_val=1, n_test=1)
    split = grid.data(1000).train
    return dfl_bench.from_pyepo(dfl_bench.to_pyepo(grid), split.x, split.y, **changes)


TOYS = {
    "newsvendor": newsvendor,
    "choice": choice,
    "buying": buying,
    "cvxpy-qp": mix,
    "cvxpy-lp": lambda: mix(linear=True),
    "pyepo": path,
}
