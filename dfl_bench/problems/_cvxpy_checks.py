"""Whether a cvxpy model can be a problem, and which solver is for it."""

from collections.abc import Mapping
from typing import Any

from ..contracts.settings import did_you_mean
from ..errors import DflBenchError


def checked_model(model: Any) -> None:
    """Raise unless cvxpy can compile a model once for all values of its parameters."""
    from cvxpy import Problem

    if not isinstance(model, Problem):
        raise TypeError(f"expected a cvxpy.Problem, got {type(model).__name__}.")
    if not model.is_dcp():
        raise ValueError(
            "the cvxpy model is not convex by cvxpy's rules (DCP), so nothing can be solved; "
            f"see model.is_dcp() of its parts: {_culprits(model, dpp=False)}."
        )
    if not model.is_dcp(dpp=True):  # type: ignore[call-arg]
        raise ValueError(
            f"the cvxpy model is not DPP in {_culprits(model, dpp=True)}: a parameter may be added, or "
            "multiplied "
            "with something that has no parameter; for p1 * p2 or p ** 2 declare a new parameter and give "
            "its values."
        )


def _culprits(model: Any, dpp: bool) -> str:
    parts = {"its objective": model.objective} | {
        f"constraint {i} ({c})": c for i, c in enumerate(model.constraints)
    }
    wrong = [label for label, part in parts.items() if not part.is_dcp(dpp=dpp)]
    return ", ".join(wrong) or "the model as a whole"


def checked_parameters(model: Any, parameter: Any, context: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the model's other parameters that rows have values for, with these values.

    Args:
        model: the model.
        parameter: the one that is predicted.
        context: values by parameter or by its name.
    """
    known = {p.name(): p for p in model.parameters()}
    if not any(parameter is p for p in known.values()):
        raise ValueError(
            f"expected a parameter of the model, got {parameter!r}; the model has "
            f"{', '.join(known) or 'none'}."
        )
    extra = {}
    for key, values in context.items():
        name = key if isinstance(key, str) else key.name()
        if name not in known or known[name] is parameter:
            hint = did_you_mean(name, known)
            raise ValueError(
                f"context: the model has no other parameter {name!r}.{hint} It has {', '.join(known)}."
            )
        extra[known[name]] = values
    for name, p in known.items():
        if p is not parameter and p not in extra and p.value is None:
            raise ValueError(
                f"the parameter {name} of the model has no value: set it, or give "
                f"context={{{name!r}: values}}."
            )
    return extra


def chosen_solver(model: Any, wanted: str | None) -> str:
    """Return the solver of a model: the one that is wanted, or one that is exact enough for regrets."""
    import cvxpy as cp

    installed = cp.installed_solvers()
    if wanted is not None:
        if wanted.upper() not in installed:
            hint = did_you_mean(wanted.upper(), installed)
            raise DflBenchError(
                f"the solver {wanted} is not installed.{hint} Installed: {', '.join(installed)}."
            )
        choices = [wanted.upper()]
    elif model.is_mixed_integer():
        choices = [name for name in ("HIGHS", "SCIP", "GUROBI", "MOSEK", "CPLEX") if name in installed]
    else:
        linear = model.objective.expr.is_affine() and model.is_qp()
        choices = [name for name in (("HIGHS",) if linear else ()) + ("CLARABEL", "SCS") if name in installed]
    reason = "none is installed"
    for name in choices:
        try:
            model._construct_chain(solver=name)
            return name
        except (cp.error.SolverError, cp.error.DCPError) as error:
            reason = str(error).splitlines()[0]
    kind = "integer variables" if model.is_mixed_integer() else "these cones"
    raise DflBenchError(
        f"no solver for a cvxpy model with {kind} (tried {', '.join(choices) or 'nothing'}: {reason}); "
        "install one "
        "that cvxpy lists for it (HiGHS for linear, SCIP or Gurobi for other integer models) and pass "
        "solver=."
    )
