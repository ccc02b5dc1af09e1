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
    loss = make(given)
    slope = gradient(loss, given.y_hat)
    error = relative(slope, finite_differences(loss, given.y_hat))
    yield Check(
        method=name, case=given.label, against="finite differences", value_error=None, gradient_error=error,
        tolerance=1e-6,
    )  # fmt: skip
    parts = [one_row(given, row) for row in range(len(given.y))]
    values = torch.cat([make(part)(part.y_hat) for part in parts])
    slopes = torch.cat([gradient(make(part), part.y_hat) for part in parts])
    yield with_reference(name, given, "one row at a time", loss, (values, slopes))


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
    name: str, given: Case, make: Maker, module: str, arguments: Callable[[Case], tuple], **settings: object
) -> Check:
    """Compare with a loss of PyEPO.

    Args:
        name: of the method.
        given: the rows.
        make: case to loss.
        module: the name of PyEPO's loss.
        arguments: case to what that loss takes beside predictions.
        **settings: of that loss.
    """
    if not pyepo_model.PRESENT:
        return Check(
            method=name, case=given.label, against=pyepo_model.peer(), value_error=None, gradient_error=None,
            tolerance=1e-9, absent="pyepo",
        )  # fmt: skip
    given = in_label_scales(given)
    theirs, rest = pyepo_model.module_of(module, given, **settings), arguments(given)
    reference = theirs(given.y_hat, *rest), gradient(lambda y_hat: theirs(y_hat, *rest), given.y_hat)
    return with_reference(name, given, pyepo_model.peer(), make(given), reference, tolerance=1e-9)


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
