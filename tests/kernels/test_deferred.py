import pytest
import torch

from kernels import budget, inventory
from kernels.deferred import deferred

GOOD = torch.full((3, 5), 0.2, dtype=torch.float64, requires_grad=True)
BAD = torch.full((3, 5), 0.3, dtype=torch.float64, requires_grad=True)


def test_a_check_is_made_at_once_by_default():
    with pytest.raises(ValueError, match="probabilities"):
        inventory.order_quantity(BAD)


def test_deferred_checks_wait_until_they_are_settled():
    with deferred() as checks:
        inventory.order_quantity(GOOD)
        checks.settle()
        inventory.order_quantity(BAD)
        budget.value(torch.full((2,), 7.0, requires_grad=True), torch.ones(2, 3))
        with pytest.raises(ValueError, match="probabilities"):
            checks.settle()
        checks.settle()  # what was told is not told again


def test_the_first_failure_is_the_one_told():
    with deferred() as checks:
        inventory.order_quantity(GOOD)
        budget.value(torch.full((2,), 7.0, requires_grad=True), torch.ones(2, 3))
        inventory.order_quantity(BAD)
        with pytest.raises(ValueError, match="z"):
            checks.settle()


def test_outside_the_block_checks_are_made_at_once_again():
    with deferred():
        inventory.order_quantity(BAD)
    with pytest.raises(ValueError, match="probabilities"):
        inventory.order_quantity(BAD)
