"""The comparisons that most losses go through. A maker turns a case into its loss, predictions to (n,)."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from . import _pyepo_model as pyepo_model
from ._cases import Case, in_label_scales, mirrored, one_row
from .check import Check, finite_differences, gradient, relative

Loss = Callable[[Tensor], Tensor]
Maker = Callable[[Case], Loss]


def with_values(
    name: str, given: Case, make: Maker, against: str, expected: Tensor, tolerance: float = 1e-12
) -> Check:
    """Compare values with those of a slow reference.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
        against: what the reference is.
        expected: its values (n,).
        tolerance: how far apart they may be.
    """
    error = relative(make(given)(given.y_hat), expected)
    return Check(
        method=name, case=given.label, against=against, value_error=error, gradient_error=None,
        tolerance=tolerance,
    )  # fmt: skip


def with_itself(name: str, given: Case, make: Maker) -> Iterator[Check]:
    """Compare the gradient with differences of the loss, and all rows together with one row at a time.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
    """
    yield with_differences(name, given, make, make)
    yield with_rows(name, given, make)


def with_differences(name: str, given: Case, make: Maker, potential: Maker) -> Check:
    """Compare the gradient with differences of a function: of the loss, or of one whose gradient it claims.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
        potential: case to that function.
    """
    slope = gradient(make(given), given.y_hat)
    error = relative(slope, finite_differences(potential(given), given.y_hat))
    return Check(
        method=name, case=given.label, against="finite differences", value_error=None, gradient_error=error,
        tolerance=1e-6,
    )  # fmt: skip


def with_rows(name: str, given: Case, make: Maker) -> Check:
    """Compare all rows together with one row at a time.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
    """
    parts = [one_row(given, row) for row in range(len(given.y))]
    values = torch.cat([make(part)(part.y_hat) for part in parts])
    slopes = torch.cat([gradient(make(part), part.y_hat) for part in parts])
    return with_reference(name, given, "one row at a time", make(given), (values, slopes))


def with_mirror(name: str, given: Case, make: Maker) -> Check:
    """Compare with the same problem of the other sign: what was paid is earned.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
    """
    twin = mirrored(given)
    loss = make(twin)
    theirs = loss(twin.y_hat), -gradient(loss, twin.y_hat)
    return with_reference(name, given, "the problem of the other sign", make(given), theirs)


def with_pyepo(
    name: str,
    given: Case,
    make: Maker,
    module: str,
    arguments: Callable[[Case], tuple],
    *,
    task: Callable[[Case, Tensor], Tensor] | None = None,
    tolerance: float = 1e-9,
    **settings: object,
) -> Check:
    """Compare with a loss of PyEPO, or with a task loss of its decisions.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
        module: the name of PyEPO's loss.
        arguments: case to what that loss takes beside predictions.
        task: case and PyEPO's decisions (n, D) to the loss (n,), where the module gives decisions.
        tolerance: of value and gradient.
        **settings: of that loss.
    """
    if not pyepo_model.PRESENT:
        return Check(
            method=name, case=given.label, against=pyepo_model.peer(), value_error=None, gradient_error=None,
            tolerance=tolerance, absent="pyepo",
        )  # fmt: skip
    given = in_label_scales(given)

    def theirs(y_hat: Tensor) -> Tensor:
        fresh = pyepo_model.module_of(module, given, **settings)  # with the noise of a first call
        answer = fresh(y_hat, *arguments(given))
        return answer if task is None else task(given, answer)

    reference = theirs(given.y_hat), gradient(theirs, given.y_hat)
    return with_reference(name, given, pyepo_model.peer(), make(given), reference, tolerance)


def with_reference(
    name: str, given: Case, against: str, loss: Loss, theirs: tuple[Tensor, Tensor], tolerance: float = 1e-12
) -> Check:
    """Compare values and gradients with those of a reference.

    Args:
        name: of the method.
        given: the rows.
        against: what the reference is.
        loss: ours.
        theirs: its values (n,) and its gradients.
        tolerance: how far apart they may be.
    """
    return Check(
        method=name,
        case=given.label,
        against=against,
        value_error=relative(loss(given.y_hat), theirs[0]),
        gradient_error=relative(gradient(loss, given.y_hat), theirs[1]),
        tolerance=tolerance,
    )
