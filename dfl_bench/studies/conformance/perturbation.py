"""The losses of family "perturbation": DPO, perturbed Fenchel-Young, I-MLE and AI-MLE."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from ...methods._perturbation import Additive, Multiplicative
from ...methods.dpo import perturbed_optimizer
from ...methods.pfy import fenchel_young
from ._cases import Case, case, linear_cases
from ._compare import Loss, Maker, with_itself, with_mirror, with_pyepo, with_rows, with_values
from ._layers import TASKS, truth_of
from ._noise import DRAWS, SIGMA, called, noise_of, perturbed
from ._perturb_and_map import checks_of_aimle, checks_of_imle
from ._two_paths import against_two_paths
from .bound import all_paths
from .check import Check

# PyEPO adds 1e-8 to a divisor of DPO.
THEIRS: dict[str, Any] = {"n_samples": DRAWS, "sigma": SIGMA, "tolerance": 1e-8}


def of_pfy(given: Case) -> Loss:
    """Return the Fenchel-Young loss of a case, with additive noise."""
    return lambda y_hat: fenchel_young(given.problem, perturbed(given, y_hat), truth_of(given))


def of_multiplied(given: Case) -> Loss:
    """Return the Fenchel-Young loss of a case, with multiplicative noise."""
    move, noise = Multiplicative(SIGMA).move, noise_of(given)
    return lambda y_hat: fenchel_young(given.problem, y_hat + move(y_hat, noise), truth_of(given))


def of_published_pfy(kind: Additive | Multiplicative) -> Maker:
    """Return the maker of the loss as PyEPO has it: ⟨ŷ, w*⟩ instead of mean ⟨ỹ, w*⟩."""

    def make(given: Case) -> Loss:
        def loss(y_hat: Tensor) -> Tensor:
            moved = y_hat + kind.move(y_hat, noise_of(given, turned=False))
            under = lambda weights: given.problem.cost_under(given.best, weights, given.context)  # noqa: E731
            return fenchel_young(given.problem, moved, truth_of(given)) - under(moved).mean(0) + under(y_hat)

        return loss

    return make


def of_dpo(task_loss: str, kind: Additive | Multiplicative | None = None, **options: Any) -> Maker:
    """Return the maker of DPO.

    Args:
        task_loss: "distance" or "regret".
        kind: of the noise, in PyEPO's sense; None for additive noise in ours.
        **options: of the loss.
    """

    def make(given: Case) -> Loss:
        noise, how = noise_of(given, turned=kind is None), kind or Additive(SIGMA * given.scale)
        problem, truth = given.problem, truth_of(given)
        return lambda y_hat: perturbed_optimizer(
            problem, y_hat, noise, how, truth, task_loss=task_loss, **options
        )

    return make


def checks() -> Iterator[Check]:
    """Yield the checks of all four."""
    linear = linear_cases()
    known = [case("inventory", "inventory"), case("portfolio-synthetic", "portfolio, 6 stocks", n_stocks=6)]
    yield from against_two_paths()
    yield from _of_pfy(linear, known)
    yield from _of_dpo(linear, [*known, case("budget", "budget", data="clicks")])
    yield from checks_of_imle(linear, known)
    yield from checks_of_aimle(linear)


def _of_pfy(linear: list[Case], known: list[Case]) -> Iterator[Check]:
    first, paths = linear[0], all_paths(3, 3)
    gaps = (perturbed(first, first.y_hat).unsqueeze(-2) * (first.best.unsqueeze(-2) - paths)).sum(-1)
    yield with_values("pfy", first, of_pfy, "all 6 paths tried", gaps.amax(-1).mean(0))
    for given in linear:
        yield from with_itself("pfy", _named(given, Multiplicative(SIGMA)), of_multiplied)
        yield with_mirror("pfy", given, of_pfy)
        for kind, module in (
            (Additive(SIGMA), "perturbedFenchelYoung"),
            (Multiplicative(SIGMA), "perturbedFenchelYoungMul"),
        ):
            rows = _named(given, kind)
            yield with_pyepo("pfy", rows, of_published_pfy(kind), module, lambda of: (of.best,), **THEIRS)
    for given in [*linear, *known]:
        yield from with_itself("pfy", given, of_pfy)


def _of_dpo(linear: list[Case], known: list[Case]) -> Iterator[Check]:
    for task_loss, task in (("distance", TASKS["squared"]), ("regret", TASKS["regret"])):
        for given in [*linear, *known]:
            yield with_rows("dpo", called(given, task_loss), of_dpo(task_loss))
        for given in linear:
            yield with_mirror("dpo", called(given, task_loss), of_dpo(task_loss))
            for kind, module in (
                (Additive(SIGMA), "perturbedOpt"),
                (Multiplicative(SIGMA), "perturbedOptMul"),
            ):
                rows, make = called(_named(given, kind), task_loss), of_dpo(task_loss, kind)
                yield with_pyepo("dpo", rows, make, module, lambda of: (), task=task, **THEIRS)
    plain, without = called(linear[0], "distance, no variance reduction"), {"variance_reduction": False}
    make, theirs = of_dpo("distance", Additive(SIGMA), **without), {**THEIRS, **without}
    yield with_pyepo("dpo", plain, make, "perturbedOpt", lambda of: (), task=TASKS["squared"], **theirs)


def _named(given: Case, kind: Additive | Multiplicative) -> Case:
    """Multiplicative noise is for predictions of one sign."""
    if isinstance(kind, Additive):
        return given
    return replace(given, label=f"{given.label}, multiplicative", y_hat=given.y_hat.abs() + 0.1 * given.scale)
