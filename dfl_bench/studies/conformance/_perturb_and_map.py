"""The checks of I-MLE and AI-MLE."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...methods._decision_loss import Truth
from ...methods.aimle import Adaptive, adaptive_mle
from ...methods.imle import implicit_mle
from ._cases import Case
from ._compare import Loss, Maker, with_differences, with_mirror, with_pyepo, with_rows
from ._layers import SHIFT, TASKS, interpolated, shift_of, truth_of
from ._noise import DRAWS, SIGMA, Copied, called, perturbed
from .check import Check

# PyEPO adds 1e-8 to λ.
THEIRS: dict[str, Any] = {"n_samples": DRAWS, "sigma": SIGMA, "distribution": Copied(), "tolerance": 1e-7}


def of_imle(task_loss: str, turned: bool = True) -> Maker:
    """Return the maker of I-MLE."""

    def make(given: Case) -> Loss:
        problem, truth, shift = given.problem, truth_of(given), shift_of(given, task_loss)
        return lambda y_hat: implicit_mle(
            problem, perturbed(given, y_hat, turned), truth, shift=shift, task_loss=task_loss
        )

    return make


def of_aimle(task_loss: str, turned: bool = True) -> Maker:
    """Return the maker of the first step of AI-MLE: all rows are those of one seed."""

    def make(given: Case) -> Loss:
        truth = Truth(given.y[None], given.best[None], {})

        def loss(y_hat: Tensor) -> Tensor:
            points, state = perturbed(given, y_hat, turned).unsqueeze(1), Adaptive(y_hat.new_ones(1))
            return adaptive_mle(given.problem, y_hat[None], points, truth, task_loss=task_loss, state=state)[
                0
            ]

        return loss

    return make


def checks_of_imle(linear: list[Case], known: list[Case]) -> Iterator[Check]:
    """Compare I-MLE on linear problems, and on some with a known part of the cost."""
    for task_loss in ("distance", "regret"):
        make, unturned = of_imle(task_loss), of_imle(task_loss, turned=False)
        for given in (called(one, task_loss) for one in linear):
            yield with_mirror("imle", given, make)
            theirs = {**THEIRS, "task": TASKS[task_loss], "lambd": SHIFT[task_loss]}
            yield with_pyepo("imle", given, unturned, "implicitMLE", lambda of: (), **theirs)
        for given in (called(one, task_loss) for one in [*linear, *known]):
            yield with_differences("imle", given, make, interpolated(task_loss, perturbed))
            yield with_rows("imle", given, make)


def checks_of_aimle(linear: list[Case]) -> Iterator[Check]:
    """Compare the first step of AI-MLE with PyEPO's, and its later steps with the authors' rule."""
    for task_loss in ("distance", "regret"):
        make, unturned = of_aimle(task_loss), of_aimle(task_loss, turned=False)
        for given in (called(one, f"{task_loss}, first step") for one in linear):
            yield with_mirror("aimle", given, make)
            module, task = "adaptiveImplicitMLE", TASKS[task_loss]
            yield with_pyepo("aimle", given, unturned, module, lambda of: (), task=task, **THEIRS)
    yield _authors_rule()


def _authors_rule() -> Check:
    """PyEPO's rule is another one after the first step: compare the steps with the authors', in a loop."""
    rng, steps = np.random.default_rng(0), 400
    state, beta, count, expected, ours = Adaptive(torch.ones(1).double(), 0.02), 1.0, 1.0, [], []
    for step in range(steps):
        density = 0.02 if step < steps // 4 else 0.2  # of 12 entries: below one in a draw, then above
        differences = rng.choice([0.0, 1.0, -1.0], (3, 1, 8, 12), p=[1 - density, density / 2, density / 2])
        state.update(torch.from_numpy(differences))
        draws = [np.count_nonzero(differences[m, 0, i]) for m in range(3) for i in range(8)]
        count = 0.9 * count + 0.1 * sum(draws) / len(draws)
        beta = max(0.0, beta + (0.02 if count < 1.0 else -0.02))
        expected.append(beta)
        ours.append(float(state.beta))
    assert min(expected) == 0.0 < max(expected), "the rule was not put to the test"
    return Check(
        method="aimle", case=f"β over {steps} steps", against="the authors' rule",
        value_error=float(np.abs(np.subtract(ours, expected)).max()), gradient_error=None, tolerance=1e-12,
    )  # fmt: skip
