"""Training steps stay on their device: nothing is read on the host, nothing is copied to it.

No accelerator is needed. A whole fit runs on the CPU with its steps watched for reads of values; then the
same closures run on fake tensors of another device, where every mixture of devices is an error. A whole fit
cannot run on fake tensors: between steps it validates, and validation may and must read.
"""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from dfl_bench.contracts.task import Task
from dfl_bench.methods.egl_dq import EGLDQ
from dfl_bench.methods.egl_dq_published import EGLDQPublished
from dfl_bench.methods.egl_wmse import EGLWMSE
from dfl_bench.methods.lodl_dq import directed_quadratic
from dfl_bench.training.seed_batch import SeedBatch
from kernels.deferred import deferred
from lcgln.bregman import Divergence
from lcgln.ensemble.minimize import minimize
from lcgln.exchangeable import Shared
from lcgln.picnn import PICNN
from lcgln.surrogate import Surrogate
from tests.methods.fits import PAIRS
from tests.support.device import DeviceViolation, StayOnDevice, assert_stays_on_device
from tests.support.small import OFFLINE, short_method, small_problem
from tests.support.watch import watched_steps


@pytest.fixture(params=OFFLINE)
def problem(request):
    return small_problem(request.param)


def test_the_watch_barks_at_a_loop_of_the_suite():
    weight = torch.nn.Parameter(torch.ones(3))

    def loss(step):
        float(weight.detach().sum())
        return weight.sum()

    with pytest.raises(DeviceViolation, match="host"), watched_steps():
        minimize([weight], loss, lambda: weight.detach().sum(), steps=3, learning_rate=0.1)


def test_the_watch_barks_at_an_optimizer_of_torch():
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with pytest.raises(DeviceViolation, match="host"), watched_steps():
        for _ in range(3):
            float(weight.detach().sum())
            optimizer.zero_grad()
            weight.sum().backward()
            optimizer.step()


class Uploads(StayOnDevice):
    """As `StayOnDevice`, but constants may go up: a demand vector is uploaded, nothing comes back."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.name == "aten::_to_copy" and args[0].device.type == "cpu":
            return func(*args, **(kwargs or {}))
        return super().__torch_dispatch__(func, types, args, kwargs)


@contextmanager
def fake_device():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(), Uploads():
        yield lambda tensor: torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")


def rows_of(problem):
    """Two seeds' training rows as real tensors: x, y and context, (2, n, ...)."""
    tasks = [Task(problem, (d := problem.data(seed)).train, d.val, seed) for seed in (0, 1)]
    return SeedBatch(tasks)


DIFFERENTIABLE = [p for m, p in PAIRS if m == "dfl"]
with_derivative = pytest.mark.parametrize("problem", DIFFERENTIABLE, indirect=True)


@with_derivative
@pytest.mark.parametrize("weight", [0.0, 1.0], ids=["dfl", "dfl-reg"])
def test_a_decision_step_mixes_no_devices(problem, weight):
    """The loss of DFL and of DFL with the prediction error, and its gradient, on a fake device."""
    group = rows_of(problem)
    train, solver, network = group.train, problem.in_training, group.new_network()
    parameters = dict(network.named_parameters())
    with fake_device() as fake, deferred():
        x, y, scale = fake(train.x), fake(train.y), fake(group.scale)
        context = {name: fake(values) for name, values in train.context.items()}
        leaves = {name: fake(p).requires_grad_() for name, p in parameters.items()}
        y_hat = torch.func.functional_call(network, {**leaves, "scale": scale}, (x,))
        z = solver.decision_layer(y_hat, context)
        loss = solver.cost(z, y, context)
        loss = loss + weight * problem.prediction_loss(y_hat, y, scale.view(-1, *[1] * (y.ndim - 1)))
        loss.sum().backward()
        assert loss.shape == y.shape[:2] and loss.device.type == "meta"
        assert all(leaf.grad.device.type == "meta" for leaf in leaves.values())


@with_derivative
def test_a_solver_is_read_later_where_asked_to(problem):
    """Without deferring, the same decision reads its status: the test above would see it."""
    train = rows_of(problem).train
    with fake_device() as fake, pytest.raises(DeviceViolation, match="host"):
        context = {name: fake(values) for name, values in train.context.items()}
        problem.in_training.decision_layer(fake(train.y).requires_grad_(), context)


@pytest.mark.parametrize("cls", [EGLWMSE, EGLDQ, EGLDQPublished])
def test_steps_of_global_losses_stay_on_the_device(cls, problem):
    group = rows_of(problem)
    method = short_method(cls.name, problem)
    network = method.parametrize(group, [np.random.default_rng(0) for _ in range(2)])
    difference = torch.ones(2, len(group.tasks[0].train), 8, group.train.y.flatten(2).shape[-1]).double()
    state, trained = network.state_dict(), dict(network.named_parameters())

    def step(x, d, *values):
        tensors = dict(zip(state, values, strict=True))
        leaves = {name: tensors[name].detach().requires_grad_() for name in trained}
        out = method.form(torch.func.functional_call(network, {**tensors, **leaves}, (x,)), d)
        return torch.autograd.grad(out.square().sum(), list(leaves.values()))

    assert_stays_on_device(step, group.train.x, difference, *state.values())


STREAMS = [np.random.default_rng(seed) for seed in (0, 1)]


@pytest.mark.parametrize(
    "network",
    [
        PICNN(6, (4,), STREAMS),
        PICNN(6, (6,), STREAMS, gated=False),
        Shared(6, 3, (4,), STREAMS, "softplus"),
        Divergence(PICNN(6, (4,), STREAMS, "softplus")),
        Divergence(Shared(6, 3, (4,), STREAMS, "softplus")),
    ],
    ids=["lcgln", "the authors' form", "shared", "divergence", "shared divergence"],
)
def test_steps_of_learned_losses_stay_on_the_device(network):
    parameters = dict(network.named_parameters())

    def step(y_hat, y, *values):
        leaves = dict(zip(parameters, (v.detach().requires_grad_() for v in values), strict=True))
        one = y.new_ones(2)
        surrogate = Surrogate(network, 1, 0 * one, one, one)
        tensors = {f"network.{name}": leaf for name, leaf in leaves.items()}
        out = torch.func.functional_call(surrogate, tensors, (y_hat, y))
        return torch.autograd.grad(out.sum(), list(leaves.values()), materialize_grads=True)

    assert_stays_on_device(step, *two_predictions(), *(p.detach() for p in parameters.values()))


def test_a_step_of_lodl_stays_on_the_device():
    def step(y_hat, y, factors):
        d = (y_hat - y).unsqueeze(2).requires_grad_()
        return torch.autograd.grad(directed_quadratic(factors, d, 1e-3).sum(), d)[0]

    assert_stays_on_device(step, *two_predictions(), torch.ones(2, 6, 12, 12).double())


def two_predictions():
    rng = np.random.default_rng(0)
    return [torch.from_numpy(rng.random((2, 6, 6))) for _ in range(2)]
