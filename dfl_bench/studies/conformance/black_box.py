"""The losses of family "black box": DBB and NID."""

from collections.abc import Iterator
from dataclasses import replace

from ...methods.dbb import blackbox
from ...methods.nid import negative_identity, projected
from ._cases import Case, linear_cases
from ._compare import Loss, Maker, with_differences, with_mirror, with_pyepo, with_rows
from ._layers import SHIFT, TASKS, interpolated, shift_of, truth_of
from .bound import all_paths
from .check import Check, gradient, relative


def of_dbb(task_loss: str) -> Maker:
    """Return the maker of DBB."""

    def make(given: Case) -> Loss:
        problem, truth, shift = given.problem, truth_of(given), shift_of(given, task_loss)
        return lambda y_hat: blackbox(problem, y_hat, truth, shift=shift, task_loss=task_loss)

    return make


def of_nid(task_loss: str, projection: str = "none") -> Maker:
    """Return the maker of NID."""

    def make(given: Case) -> Loss:
        problem, truth = given.problem, truth_of(given)
        return lambda y_hat: negative_identity(
            problem, projected(y_hat, projection, 1), truth, task_loss=task_loss
        )

    return make


def checks() -> Iterator[Check]:
    """Yield the checks of both losses."""
    linear = linear_cases()
    yield from _on_all_paths(linear[0])
    for task_loss in ("regret", "distance"):
        dbb, nid, task = of_dbb(task_loss), of_nid(task_loss), TASKS[task_loss]
        for given in (replace(one, label=f"{one.label}, {task_loss}") for one in linear):
            yield with_differences("dbb", given, dbb, interpolated(task_loss, lambda _, y_hat: y_hat[None]))
            for name, make in (("dbb", dbb), ("nid", nid)):
                yield with_rows(name, given, make)
                yield with_mirror(name, given, make)
            # PyEPO adds 1e-8 to λ.
            yield with_pyepo(
                "dbb", given, dbb, "blackboxOpt", lambda of: (), task=task, tolerance=1e-7,
                lambd=SHIFT[task_loss],
            )  # fmt: skip
            yield with_pyepo("nid", given, nid, "negativeIdentity", lambda of: (), task=_absolute(task_loss))
    for projection in ("norm", "mean-and-norm"):
        given = replace(linear[0], label=f"{linear[0].label}, projected: {projection}")
        yield with_mirror("nid", given, of_nid("regret", projection))
        yield with_rows("nid", given, of_nid("regret", projection))


def _absolute(task_loss: str):  # type: ignore[no-untyped-def]
    """PyEPO's examples take |regret|, whose slope is zero at an optimal decision."""
    return lambda given, w: TASKS[task_loss](given, w).abs()


def _on_all_paths(given: Case) -> Iterator[Check]:
    """Compare with the six paths tried one after the other."""
    paths = all_paths(3, 3)
    best_of = lambda costs: paths[(costs @ paths.mT).argmin(-1)]  # noqa: E731
    w, y, best = best_of(given.y_hat), given.y, given.best
    wrong = ((y * (w - best)).sum(-1, keepdim=True) > 0).double()
    slopes = {"regret": y * wrong, "distance": (w - best).sign() / w.shape[-1]}
    for task_loss, slope in slopes.items():
        shift = SHIFT[task_loss]
        moved = (best_of(given.y_hat + shift * slope) - w) / shift
        for name, make, expected in (("dbb", of_dbb, moved), ("nid", of_nid, -slope)):
            loss = make(task_loss)(given)
            yield Check(
                method=name,
                case=f"{given.label}, {task_loss}",
                against="all 6 paths tried",
                value_error=relative(loss(given.y_hat), TASKS[task_loss](given, w)),
                gradient_error=relative(gradient(loss, given.y_hat), expected),
                tolerance=1e-12,
            )
