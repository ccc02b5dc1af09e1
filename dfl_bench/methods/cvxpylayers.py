"""The general differentiable layer of cvxpylayers, on the program of QPTL."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kernels.deferred import require
from kernels.errors import SolverError
from kernels.polytope import smoothed

from .. import methods
from ..contracts.method import Method, Predictor
from ..contracts.polytope import Polytope
from ..contracts.problem import Problem
from ..contracts.task import Task
from ._layer import Layer
from ._relaxed import constraints, given_of, sign_of
from .qptl import QPTL, SmoothedConfig

NEAR = 1e-2  # beside shares of one; a solved row is at 10⁻⁴


def compiled_layer(polytope: Polytope, mu: float, tolerance: float = 1e-10) -> Layer:
    """Return cvxpylayers' function from costs (..., n) to the z of least c·z + (μ/2)‖z‖².

    Clarabel solves one row after the other on the CPU, and diffcp differentiates. To them it is a program
    over cones: z has half of the digits that the tolerance asks for. diffcp does not look at the status of
    Clarabel: where nothing was solved, z is anything.

    Args:
        polytope: all that can be decided.
        mu: weight of the square, positive.
        tolerance: of Clarabel, for the cost and the constraints.
    """
    import cvxpy as cp
    from cvxpylayers.torch import CvxpyLayer

    z, costs = cp.Variable(len(polytope)), cp.Parameter(len(polytope))
    program = cp.Problem(cp.Minimize(costs @ z + mu / 2 * cp.sum_squares(z)), _rules(z, polytope))
    names = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
    options = {"solve_method": "Clarabel", "n_jobs_forward": 1, **dict.fromkeys(names, tolerance)}
    layer = CvxpyLayer(program, parameters=[costs], variables=[z], solver_args=options)

    def decide(given: Tensor) -> Tensor:
        # Without a gradient to come, diffcp does not know the second of these options.
        backward = {"n_jobs_backward": 1} if torch.is_grad_enabled() and given.requires_grad else {}
        (found,) = layer(given.reshape(-1, len(polytope)), solver_args=backward)
        return found.reshape(given.shape)

    return decide


def _rules(z: Any, polytope: Polytope) -> list[Any]:
    bounded = polytope.upper < float("inf")
    rules = [z >= 0, z[bounded] <= polytope.upper[bounded]]
    if polytope.equal is not None:
        rules.append(polytope.equal[0] @ z == polytope.equal[1])
    if polytope.at_most is not None:
        rules.append(polytope.at_most[0] @ z <= polytope.at_most[1])
    return rules


def checked_layer(problem: Problem, mu: float) -> Layer:
    """Return the layer of a problem, compiled once; its decisions must be near those of QPTL."""
    decide, sign, polytope = compiled_layer(given_of(problem), mu), sign_of(problem), constraints(problem)

    def checked(y_hat: Tensor) -> Tensor:
        costs = sign * y_hat
        z = decide(costs)
        exact: Tensor = smoothed(costs.detach(), polytope, mu)  # type: ignore[assignment]
        solved = ((z.detach() - exact).abs() <= NEAR).all(-1)  # false where z is not a number
        require(solved.all(), lambda: _explain(solved))
        return z

    return checked


def _explain(solved: Tensor) -> None:
    rows = [tuple(row) for row in (~solved).nonzero().tolist()]
    raise SolverError(
        f"cvxpylayers did not solve {len(rows)} of {solved.numel()} rows ({', '.join(map(str, rows[:5]))}"
        f"{', ...' if len(rows) > 5 else ''}): raise mu, or lower the learning rate."
    )


class _WithLayer(QPTL):
    def layer(self, problem: Problem) -> Layer:
        return checked_layer(problem, self.config.mu)


@methods.register("cvxpylayers", version=1, family="smoothing")
class CvxpyLayers(Method):
    """QPTL through the general layer of cvxpylayers (Agrawal et al. 2019): the same decisions, slowly.

    Seeds are trained one by one. Gradients that should be zero are small numbers here, which depend on the
    last bits of a prediction, and Adam makes steps of full size of them.
    """

    Config = SmoothedConfig
    search = QPTL.search

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse what QPTL refuses, and all where the package is absent."""
        if find_spec("cvxpylayers") is None:
            return f"a layer for {problem.name} needs cvxpylayers: install the extra [references]"
        return QPTL.not_applicable(problem)

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Train as QPTL, through the other layer."""
        return _WithLayer(self.config).fit(task, rng)
