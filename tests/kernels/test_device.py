"""The watchdog itself: it must bark."""

import pytest
import torch

from tests.support.device import DeviceViolation, StayOnDevice, assert_stays_on_device, fake_accelerator

X = torch.linspace(-1, 1, 6, dtype=torch.float64)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x.sum().item(),
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x * float(x[0]),
        lambda x: x[x > 0],
        lambda x: x.nonzero(),
        lambda x: torch.unique(x),
    ],
    ids=["item", "branch", "float", "mask", "nonzero", "unique"],
)
def test_host_reads_are_rejected(function):
    with pytest.raises(DeviceViolation, match="host"), StayOnDevice():
        function(X)


@pytest.mark.parametrize(
    "function",
    [lambda x: x.cpu(), lambda x: x.to("cpu") + 1, lambda x: torch.zeros(6).copy_(x)],
    ids=["cpu", "to", "copy"],
)
def test_copies_to_the_host_are_rejected(function):
    with pytest.raises(DeviceViolation, match="mixes"), fake_accelerator() as fake:
        function(fake(X))


def test_mixed_devices_are_rejected():
    with pytest.raises((DeviceViolation, RuntimeError)), fake_accelerator() as fake:
        fake(X) + torch.ones(6, dtype=torch.float64)


def test_a_clean_function_passes():
    out = assert_stays_on_device(lambda x: torch.where(x > 0, x * 2, 0.0).cumsum(0) + x.new_ones(()), X)
    torch.testing.assert_close(out, torch.where(X > 0, X * 2, 0.0).cumsum(0) + 1)
