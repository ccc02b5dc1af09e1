"""A grid of 2 × 2 has two paths: what smoothing by normal noise does to them has a closed form."""

from collections.abc import Iterator

import numpy as np
import torch
from scipy.stats import norm
from torch import Tensor

from ...methods._decision_loss import Truth
from ...methods._perturbation import Additive
from ...methods.dpo import perturbed_optimizer
from ...methods.imle import implicit_mle
from ...methods.pfy import fenchel_young
from ._cases import Case, case
from .bound import all_paths
from .check import Check, gradient, relative

SIGMA, SHIFT, LEVELS = 0.5, 0.3, 4096
TOLERANCE = 10 / LEVELS  # levels of equal probability miss a probability by less than one of them


class TwoPaths:
    """The expected path of perturbed costs: b with probability Φ(t), t = ⟨ŷ, a - b⟩ / (σ‖a - b‖), else a."""

    def __init__(self, given: Case) -> None:
        self.given = given
        self.a, self.b = all_paths(2, 2)
        self.length = SIGMA * float((self.a - self.b).norm())

    def margin(self, y_hat: Tensor) -> Tensor:
        """Return t, (n, 1)."""
        return (y_hat @ (self.a - self.b) / self.length).unsqueeze(-1)

    def expected(self, y_hat: Tensor) -> Tensor:
        """Return the expected path, (n, D)."""
        return self.a + _of(norm.cdf, self.margin(y_hat)) * (self.b - self.a)

    def pulled_back(self, slope: Tensor) -> Tensor:
        """Return the slope of a loss of the expected path as one of the prediction."""
        change = _of(norm.pdf, self.margin(self.given.y_hat)) / self.length * (self.a - self.b)
        return (slope @ (self.b - self.a)).unsqueeze(-1) * change

    def least(self, y_hat: Tensor) -> Tensor:
        """Return the expected cost of the best path, (n,)."""
        t = self.margin(y_hat)
        return (self.expected(y_hat) * y_hat).sum(-1) - self.length * _of(norm.pdf, t)[:, 0]


def against_two_paths() -> Iterator[Check]:
    """Yield how far many draws are from the closed form."""
    given = case("shortest-path", "shortest path 2 × 2", side=2, degree=4)
    two, truth, problem = TwoPaths(given), Truth(given.y, given.best, {}), given.problem
    noise = _many_draws(two)
    w, y, best = two.expected(given.y_hat), given.y, given.best
    value = (given.y_hat * best).sum(-1) - two.least(given.y_hat)
    pfy = lambda y_hat: fenchel_young(problem, y_hat + SIGMA * noise, truth)  # noqa: E731
    yield _check("pfy", "", relative(pfy(given.y_hat), value), relative(gradient(pfy, given.y_hat), best - w))
    regret, squared = (y * (w - best)).sum(-1), (w - best).square().mean(-1)
    for task_loss, expected, slope in (("regret", regret, y), ("distance", squared, (w - best) / 2)):
        dpo = lambda y_hat, task=task_loss: perturbed_optimizer(  # noqa: E731
            problem, y_hat, noise, Additive(SIGMA), truth, task_loss=task
        )
        errors = (
            relative(dpo(given.y_hat), expected),
            relative(gradient(dpo, given.y_hat), two.pulled_back(slope)),
        )
        yield _check("dpo", f", {task_loss}", *errors)
    absolute = (w - best).abs().mean(-1)
    for task_loss, expected, slope in (("regret", regret, y), ("distance", absolute, (w - best).sign() / 4)):
        imle = lambda y_hat, task=task_loss: implicit_mle(  # noqa: E731
            problem, y_hat + SIGMA * noise, truth, shift=SHIFT, task_loss=task
        )
        moved = (two.expected(given.y_hat + SHIFT * slope) - w) / SHIFT
        errors = relative(imle(given.y_hat), expected), relative(gradient(imle, given.y_hat), moved)
        yield _check("imle", f", {task_loss}", *errors)


def _many_draws(two: TwoPaths) -> Tensor:
    """Return noise (draws, n, D): the decision depends on its part along a - b, which is taken at quantiles.

    The other parts are random, and come with both signs.
    """
    along = (two.a - two.b) / (two.a - two.b).norm()
    quantiles = torch.from_numpy(norm.ppf((np.arange(LEVELS) + 0.5) / LEVELS)).unsqueeze(-1) * along
    across = torch.from_numpy(np.random.default_rng(0).standard_normal((LEVELS, len(along))))
    across = across - (across @ along).unsqueeze(-1) * along
    noise = torch.cat([quantiles + across, quantiles - across])
    return noise.unsqueeze(1).expand(-1, len(two.given.y), -1)


def _check(method: str, words: str, value_error: float, gradient_error: float) -> Check:
    return Check(
        method=method,
        case=f"shortest path 2 × 2, {2 * LEVELS} draws{words}",
        against="closed form of the smoothed solver",
        value_error=value_error,
        gradient_error=gradient_error,
        tolerance=TOLERANCE,
    )


def _of(function: object, values: Tensor) -> Tensor:
    return torch.from_numpy(np.asarray(function(values.numpy())))  # type: ignore[operator]
