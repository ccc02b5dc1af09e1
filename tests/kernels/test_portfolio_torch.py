import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from kernels import portfolio
from kernels.portfolio import tensors
from tests.kernels.portfolio_cases import FAMILIES, UNIQUE, batch, matrix


class NoHost(TorchDispatchMode):
    """Refuses what reads a value on the host or copies between devices or precisions."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        assert name not in {"_local_scalar_dense", "item", "_to_copy", "copy_", "nonzero", "equal"}, name
        return function(*args, **(kwargs or {}))


def folded(y, sigma):
    """(K, G, N) returns as the (G, K, N) tensors the implementation takes."""
    return torch.tensor(y.transpose(1, 0, 2).copy()), torch.tensor(sigma)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_torch_solver_is_optimal_and_agrees_with_osqp(family, n):
    y, sigma = batch(family, n, np.random.default_rng(n))
    weights, status = tensors.solve(*folded(y, sigma), 0.1, 1e-8)
    assert (status == tensors.SOLVED).all()
    a = weights.numpy().transpose(1, 0, 2)
    assert a.min() >= 0.0
    np.testing.assert_allclose(a.sum(-1), 1.0, atol=1e-9)
    assert portfolio.kkt_residual(a, y, sigma).max() <= 1e-6
    best = portfolio.solve(y, sigma)
    np.testing.assert_allclose(
        portfolio.cost(a, y, sigma), portfolio.cost(best, y, sigma), rtol=1e-9, atol=1e-6
    )
    if family in UNIQUE:
        np.testing.assert_allclose(a, best, atol=1e-5)


def test_without_risk_aversion_and_without_rows():
    y, sigma = folded(*batch("correlation", 5, np.random.default_rng(0)))
    weights, status = tensors.solve(y, sigma, 0.0, 1e-8)
    assert (status == tensors.SOLVED).all()
    torch.testing.assert_close(weights.argmax(-1), y.argmax(-1))
    for empty in (y[:0], y[:, :0]):
        weights, status = tensors.solve(empty, sigma[: len(empty)], 0.1, 1e-8)
        assert weights.shape == empty.shape and status.shape == empty.shape[:2]


def test_chunks_do_not_change_the_answer(monkeypatch):
    y, sigma = folded(*batch("correlation", 8, np.random.default_rng(1)))
    whole, _ = tensors.solve(y, sigma, 0.1, 1e-8)
    monkeypatch.setattr(tensors, "CHUNK", 5 * 64)
    parts, _ = tensors.solve(y, sigma, 0.1, 1e-8)
    torch.testing.assert_close(parts, whole, atol=1e-12, rtol=0)


def test_cost_residual_and_derivative_agree_with_numba():
    rng = np.random.default_rng(2)
    y, sigma = batch("correlation", 12, rng)
    a, grad = portfolio.solve(y, sigma), rng.normal(size=y.shape)
    ta, ts = folded(a, sigma)
    ty, tg = folded(y, sigma)[0], folded(grad, sigma)[0]
    pairs = (
        (tensors.cost(ta, ty, ts, 0.1).T, portfolio.cost(a, y, sigma)),
        (tensors.kkt_residual(ta, ty, ts, 0.1).T, portfolio.kkt_residual(a, y, sigma)),
        (
            tensors.derivative_vjp(ta, tg, ts, 0.1, 1e-10).transpose(0, 1),
            portfolio.derivative_vjp(a, sigma, grad),
        ),
    )
    for ours, expected in pairs:
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-9, atol=1e-9)


def everything(y, sigma, grad):
    weights, status = tensors.solve(y, sigma, 0.1, 1e-8)
    cost = tensors.cost(weights, y, sigma, 0.1)
    residual = tensors.kkt_residual(weights, y, sigma, 0.1)
    return weights, status, cost, residual, tensors.derivative_vjp(weights, grad, sigma, 0.1, 1e-10)


def test_no_value_is_read_on_the_host():
    y, sigma = folded(*batch("correlation", 6, np.random.default_rng(3)))
    with NoHost():
        results = everything(y, sigma, y)
    assert all(r.isfinite().all() for r in results)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_no_operation_mixes_devices(device):
    with FakeTensorMode():
        y = torch.empty(3, 7, 6, dtype=torch.float64, device=device)
        sigma = torch.empty(3, 6, 6, dtype=torch.float64, device=device)
        results = everything(y, sigma, y)
    assert {r.device.type for r in results} == {device}
    assert [tuple(r.shape) for r in results] == [(3, 7, 6), (3, 7), (3, 7), (3, 7), (3, 7, 6)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cpu_tensors_in_tensors_out(dtype):
    y, sigma = (torch.tensor(v, dtype=dtype) for v in batch("correlation", 7, np.random.default_rng(5)))
    a = portfolio.solve(y, sigma)
    assert a.dtype == dtype and a.shape == y.shape
    np.testing.assert_array_equal(a.numpy(), portfolio.solve(y.numpy(), sigma.numpy()))
    for result in (portfolio.regret(y, y[0], sigma), portfolio.worst(y), portfolio.derivative(a, sigma)):
        assert isinstance(result, torch.Tensor) and result.dtype == dtype


def test_cost_is_differentiable():
    rng = np.random.default_rng(6)
    a, y, root = (
        torch.tensor(rng.normal(size=s), requires_grad=True) for s in ((4, 3, 5), (3, 5), (3, 5, 5))
    )
    assert torch.autograd.gradcheck(
        lambda a, y, root: portfolio.cost(a, y, root @ root.mT, 0.2), (a, y, root), atol=1e-6
    )


def test_device_path_of_the_front_on_the_host(monkeypatch):
    rng = np.random.default_rng(7)
    y, sigma = batch("correlation", 10, rng)
    expected = portfolio.solve(y, sigma), portfolio.regret(y, y[1], sigma)
    jacobian = portfolio.derivative(expected[0], sigma)
    worst = portfolio.worst(y)
    monkeypatch.setattr(portfolio, "wants_torch", lambda *arrays: True)
    ty, ts = torch.tensor(y), torch.tensor(sigma)
    np.testing.assert_allclose(portfolio.solve(ty, ts).numpy(), expected[0], atol=1e-5)
    np.testing.assert_allclose(portfolio.regret(ty, ty[1], ts).numpy(), expected[1], rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(
        portfolio.derivative(torch.tensor(expected[0]), ts).numpy(), jacobian, atol=1e-7
    )
    np.testing.assert_array_equal(portfolio.worst(ty).numpy(), worst)
    with pytest.raises(ValueError, match="NaN or an infinity in 3 of"):
        portfolio.solve(torch.where(ty == ty[2], torch.nan, ty), ts)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_osqp():
    rng = np.random.default_rng(8)
    sigma = np.stack([matrix("correlation", 50, rng) for _ in range(4)])
    y = 0.05 * rng.normal(size=(32, 4, 50))
    a = portfolio.solve(torch.tensor(y, device="cuda"), torch.tensor(sigma, device="cuda"))
    assert a.device.type == "cuda"
    np.testing.assert_allclose(a.cpu().numpy(), portfolio.solve(y, sigma), atol=1e-5)
