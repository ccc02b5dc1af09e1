"""What must hold of a tensor function before an accelerator sees it, checked on a machine without one."""

from contextlib import contextmanager

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Each of these makes the host wait for a value, or makes a shape depend on one.
_READS = {
    "aten::_local_scalar_dense",
    "aten::item",
    "aten::is_nonzero",
    "aten::equal",
    "aten::nonzero",
    "aten::masked_select",
    "aten::unique_dim",
    "aten::_unique2",
    "aten::repeat_interleave",
}


class DeviceViolation(AssertionError):
    """An operation copied between devices or read a value on the host."""


class StayOnDevice(TorchDispatchMode):
    """Reject host reads and every operation whose tensors live on more than one device."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._schema.name
        indexes = [i for a in args if isinstance(a, (list, tuple)) for i in a if isinstance(i, torch.Tensor)]
        if name in _READS or (
            name.startswith("aten::index") and any(i.dtype in (torch.bool, torch.uint8) for i in indexes)
        ):
            raise DeviceViolation(f"{name} reads a value on the host.")
        out = func(*args, **(kwargs or {}))
        inputs, outputs = (
            [t for t in tree_leaves(tree) if isinstance(t, torch.Tensor)] for tree in ((args, kwargs), out)
        )
        # A 0-d CPU input is a Python scalar in disguise: kernels take it as an argument, nothing is copied.
        arrays = [t for t in inputs if t.dim() or t.device.type != "cpu"]
        devices = {t.device for t in arrays + outputs}
        if len(devices) > 1:
            raise DeviceViolation(f"{name} mixes {sorted(map(str, devices))}.")
        return out


@contextmanager
def fake_accelerator():
    """Yield a function that turns CPU tensors into fake ones of another device, where all is watched.

    That device is "meta", because indexing a fake CUDA tensor needs a torch built with CUDA.
    """
    with FakeTensorMode(), StayOnDevice():
        yield lambda tensor: torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")


def assert_stays_on_device(function, *tensors):
    """Run function on tensors of a fake device, then on real ones; return what the real run gave.

    The fake run proves that no operation mixes devices, the real one that nothing is read on the host.
    """
    with fake_accelerator() as fake:
        for leaf in tree_leaves(function(*map(fake, tensors))):
            assert leaf.device.type == "meta", f"a result came back on {leaf.device}."
    with StayOnDevice():
        return function(*tensors)
