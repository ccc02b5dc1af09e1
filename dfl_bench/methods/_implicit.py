"""The derivative of an outer loss through the minimum of an inner one, by the implicit function theorem.

θ*(φ) minimises the inner loss, and the outer loss sees φ through θ* alone. Then ∇_φ = −∂_φ⟨∇_θ inner, v⟩ with
H v = ∇_θ outer, H the Hessian of the inner loss. Parameters of S seeds are (S, ...), and seeds stay apart.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

TINY = 1e-300  # a residual of zero is divided by this


def hypergradient(
    theta: Sequence[Tensor],
    phi: Sequence[Tensor],
    inner: Tensor,
    outer: Tensor,
    *,
    iterations: int,
    ridge: float,
) -> list[Tensor]:
    """Return the gradient of the outer loss with respect to φ, one tensor for each of φ.

    Args:
        theta: what the inner loss was minimised over, each (S, ...).
        phi: what the inner loss depends on beside it, each (S, ...).
        inner: the inner loss at θ* (S,), in a graph of θ and φ.
        outer: the outer loss at θ* (S,), in a graph of θ.
        iterations: of conjugate gradients.
        ridge: as in `solve_normal_equations`.
    """
    right = _flat(torch.autograd.grad(outer.sum(), theta, retain_graph=True))
    slope = _flat(torch.autograd.grad(inner.sum(), theta, create_graph=True))

    def hessian(v: Tensor) -> Tensor:
        grads = torch.autograd.grad(slope, theta, v, retain_graph=True, materialize_grads=True)
        return _flat(grads)

    v = solve_normal_equations(hessian, right, iterations=iterations, ridge=ridge)
    return list(torch.autograd.grad(-(slope * v).sum(), phi))


def solve_normal_equations(
    product: Callable[[Tensor], Tensor], right: Tensor, *, iterations: int, ridge: float
) -> Tensor:
    """Return conjugate gradients' answer to (H² + ridge·I) v = H·right, from v = 0.

    H need not be definite: far from a minimum, or with ReLU nodes, the Hessian of a network is not.

    Args:
        product: v to H v, both (S, P); H is symmetric.
        right: (S, P).
        iterations: how many; each asks for two products.
        ridge: keeps the answer small along directions in which H is flat.
    """
    residual = product(right)
    v, direction, size = torch.zeros_like(residual), residual, _dot(residual, residual)
    for _ in range(iterations):
        image = product(product(direction)) + ridge * direction
        step = size / _dot(direction, image).clamp_min(TINY)
        v, residual = v + step * direction, residual - step * image
        before, size = size, _dot(residual, residual)
        direction = residual + size / before.clamp_min(TINY) * direction
    return v


def _flat(parts: Sequence[Tensor]) -> Tensor:
    return torch.cat([part.flatten(1) for part in parts], dim=1)  # (S, P)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum(1, keepdim=True)
