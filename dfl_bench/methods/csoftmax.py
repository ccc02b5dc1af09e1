"""Constrained softmax: the entropy of shares that have caps makes one choice smooth."""

import torch
from torch import Tensor

from kernels.deferred import require

from .. import methods
from ..contracts.problem import Problem
from ._layer import Layer, Layered
from ._relaxed import sign_of, sum_of
from .lml import LML, EntropyConfig

ENOUGH = 1e-9  # how far the caps may miss a sum of one


def constrained_softmax(x: Tensor, caps: Tensor) -> Tensor:
    """Return the z of least -x·z + Σ_i z_i ln z_i, Σ z = 1, 0 ≤ z ≤ caps: (..., n) -> (..., n).

    Entries A are at their caps, the others have softmax shares of what is left. Torch differentiates it with
    respect to both: with m = Σ_{i not in A} z_i g_i / (1 - Σ_A caps), a gradient g comes back as
    z_i (g_i - m) for x_i not in A, and as g_i - m for the caps in A.

    Args:
        x: (..., n), finite.
        caps: (n,) or (..., n), not negative, with a sum of one or more.
    """
    ok = (caps >= 0).all() & (caps.sum(-1) >= 1 - ENOUGH).all()
    require(ok, lambda: _explain(caps))
    caps = caps.expand_as(x)
    capped = _capped(x.detach(), caps.detach())
    left = 1 - torch.where(capped, caps, 0.0).sum(-1, keepdim=True)
    full = capped.all(-1, keepdim=True)  # nothing is left, and a softmax of no entry is not a number
    return torch.where(capped, caps, left * x.masked_fill(capped & ~full, -torch.inf).softmax(-1))


def _capped(x: Tensor, caps: Tensor) -> Tensor:
    """Return which entries are at their caps: the first by x - ln caps, until the next fits below its own."""
    order = (x - caps.log()).argsort(-1, descending=True)
    x, caps = x.gather(-1, order), caps.gather(-1, order)
    left = (1 - caps.cumsum(-1) + caps).clamp_min(0)
    others = x.flip(-1).logcumsumexp(-1).flip(-1)
    fits = left * (x - others).exp() <= caps
    return torch.zeros_like(fits).scatter(-1, order, fits.cumsum(-1) == 0)


def _explain(caps: Tensor) -> None:
    raise ValueError(
        f"expected caps of at least 0 with a sum of at least 1, got a smallest cap of {float(caps.min()):g} "
        f"and a smallest sum of {float(caps.sum(-1).min()):g}."
    )


@methods.register("csoftmax", version=1, family="smoothing")
class ConstrainedSoftmax(Layered):
    """Regret of the entropy-smoothed choice of one, shares capped (Martins and Kreutzer 2017)."""

    Config = EntropyConfig
    search = LML.search

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse what is not a choice of one."""
        if sum_of(problem) != 1:
            return f"the decisions of {problem.name} are not one of n items (top-k with k=1 is)"
        return None

    def layer(self, problem: Problem) -> Layer:
        """Return the shares; without a cap below one this is the softmax with a temperature."""
        given, factor = problem.polytope(), -sign_of(problem) / self.config.temperature
        assert given is not None, "see not_applicable"
        caps = given.upper.clip(max=1.0)  # an infinite cap is none
        return lambda y_hat: constrained_softmax(factor * y_hat, torch.as_tensor(caps, device=y_hat.device))
