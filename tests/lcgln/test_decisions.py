"""The loss over decisions, on all sixteen choices among four things with known extra costs."""

import itertools

import numpy as np
import pytest
import torch

from lcgln.decisions import DecisionLoss, DecisionLossConfig, Shape, fit_decision_loss
from lcgln.pool import Decisions, Pool

ALL = torch.tensor(list(itertools.product([0.0, 1.0], repeat=4))).double()  # (16, 4)
EXTRA = torch.from_numpy(np.random.default_rng(0).random(16))
ROWS = 12


def streams(members=1):
    return [np.random.default_rng(seed) for seed in range(members)]


def normal(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape))


def chosen(y_hat):
    """Return the place of the cheapest choice, (..., 4) -> (...)."""
    return (y_hat @ ALL.mT + EXTRA).argmin(-1)


def decisions(places):
    """Return choices by place, (S, n or 1, P)."""
    return Decisions(ALL[places], EXTRA[places], torch.ones(places.shape, dtype=torch.bool))


def common(y, order=None):
    order = torch.arange(16) if order is None else order
    return Pool(decisions(chosen(y).unsqueeze(-1)), [decisions(order.expand(len(y), 1, 16))], y)


def wild(pool, members=1, pieces=3):
    """Return a loss whose parameters are far from SPO+."""
    shape = Shape(DecisionLossConfig(pieces=pieces, temperature=0.3), streams(members))
    with torch.no_grad():
        for seed, p in enumerate(shape.parameters()):
            p.add_(0.7 * normal(seed, *p.shape))
    return DecisionLoss(pool, shape, torch.full((members,), 2.5).double())


def samples(y, k=9):
    y_hat = y.unsqueeze(2) + 0.7 * normal(5, *y.shape[:2], k, 4)
    cost = lambda place: (ALL[place] * y.unsqueeze(2)).sum(-1) + EXTRA[place]  # noqa: E731
    return y_hat, cost(chosen(y_hat)) - cost(chosen(y).unsqueeze(-1))


def test_before_the_fit_it_is_spo_plus_in_value_and_gradient():
    y, y_hat = normal(1, 1, ROWS, 4), normal(2, 1, ROWS, 4)
    config = DecisionLossConfig(steps=0, temperature=1e-7)
    loss = fit_decision_loss(common(y), *samples(y), rngs=streams(), config=config).frozen()
    weights = 2 * y_hat - y
    best, other = chosen(y), chosen(weights)
    cost = lambda place: (ALL[place] * weights).sum(-1) + EXTRA[place]  # noqa: E731
    torch.testing.assert_close(loss(y_hat, None), cost(best) - cost(other), rtol=0, atol=1e-5)
    torch.testing.assert_close(loss.gradient(y_hat, None), 2 * (ALL[best] - ALL[other]))
    assert (loss(y_hat, None) > 0.1).any()  # at some of these predictions there is something to learn


@pytest.mark.parametrize("pieces", [1, 3])
def test_is_convex_whatever_the_parameters(pieces):
    y = normal(1, 1, ROWS, 4)
    loss = wild(common(y), pieces=pieces)
    ends, share = 3.0 * normal(3, 2, 1, ROWS, 50, 4), normal(4, 1, ROWS, 50, 1).sigmoid()
    between = share * ends[0] + (1 - share) * ends[1]
    with torch.no_grad():
        low, high, middle = (loss.at_scale_one(v, None) for v in (*ends, between))
    share = share.squeeze(-1)
    assert (middle - share * low - (1 - share) * high).max() < 1e-9


def test_neither_order_nor_place_nor_gaps_in_the_pool_change_it():
    y, y_hat = normal(1, 2, ROWS, 4), normal(2, 2, ROWS, 3, 4)
    best = decisions(chosen(y).unsqueeze(-1))
    value = wild(common(y), 2).at_scale_one(y_hat, None)
    mixed = torch.from_numpy(np.random.default_rng(4).permutation(16))
    own = mixed[10:].expand(2, ROWS, 6)
    split = [decisions(mixed[:10].expand(2, 1, 10)), decisions(own)]
    padded = Decisions(ALL[own], EXTRA[own], torch.zeros(own.shape, dtype=torch.bool))
    for pool in (common(y, mixed), Pool(best, split, y), Pool(best, [*split, padded], y)):
        torch.testing.assert_close(wild(pool, 2).at_scale_one(y_hat, None), value)


def test_the_gradient_is_that_of_the_loss():
    y = normal(1, 1, ROWS, 4)
    own = torch.from_numpy(np.random.default_rng(4).integers(0, 16, (1, ROWS, 5)))
    parts = [decisions(torch.arange(8).expand(1, 1, 8)), decisions(own)]
    loss = wild(Pool(decisions(chosen(y).unsqueeze(-1)), parts, y))
    rows = torch.tensor([[3, 3, 0, 7]])
    y_hat = normal(2, 1, 4, 4).requires_grad_()
    frozen = loss.frozen()
    assert torch.autograd.gradcheck(lambda v: frozen(v, rows), (y_hat,))
    (slope,) = torch.autograd.grad(frozen(y_hat, rows).sum(), y_hat)
    torch.testing.assert_close(frozen.gradient(y_hat.detach(), rows), slope)
    at_scale_one = loss.at_scale_one(y_hat.unsqueeze(2), rows).squeeze(2)
    torch.testing.assert_close(frozen(y_hat, rows), 2.5 * at_scale_one)


def test_a_fit_comes_nearer_to_the_regrets_than_spo_plus():
    y = normal(1, 2, ROWS, 4)
    own = torch.cat([chosen(y).unsqueeze(-1), chosen(samples(y)[0])], -1)
    real = torch.ones(own.shape, dtype=torch.bool)
    real[:, ::2, -1] = False  # a gap must not keep the fit from moving
    pool = Pool(decisions(own[..., :1]), [Decisions(ALL[own], EXTRA[own], real)], y)
    start, fitted = (
        fit_decision_loss(pool, *samples(y), rngs=streams(2), config=DecisionLossConfig(steps=steps, rows=6))
        for steps in (0, 150)
    )
    assert (fitted.r2 > start.r2 + 0.3).all() and (fitted.r2 > 0.2).all()
    assert not any(p.requires_grad for p in fitted.parameters())


def test_members_are_fitted_as_if_each_were_alone():
    y = normal(1, 2, ROWS, 4)
    y_hat, regret = samples(y)
    config = DecisionLossConfig(steps=20, rows=6, every=10)
    together = fit_decision_loss(common(y), y_hat, regret, rngs=streams(2), config=config).frozen()
    for member, rng in enumerate(streams(2)):
        one = slice(member, member + 1)
        alone = fit_decision_loss(common(y[one]), y_hat[one], regret[one], rngs=[rng], config=config).frozen()
        torch.testing.assert_close(together(y_hat[:, :, 0], None)[one], alone(y_hat[one, :, 0], None))


def test_it_has_no_unit_of_its_own():
    y = normal(1, 1, ROWS, 4)
    y_hat, regret = samples(y)
    config = DecisionLossConfig(steps=20, rows=6, every=10)
    values = []
    for unit in (1.0, 1e3):
        best, every = decisions(chosen(y).unsqueeze(-1)), decisions(torch.arange(16).expand(1, 1, 16))
        scaled = [Decisions(d.embedded, unit * d.known, d.real) for d in (best, every)]
        pool = Pool(scaled[0], scaled[1:], unit * y)
        loss = fit_decision_loss(pool, unit * y_hat, unit * regret, rngs=streams(), config=config).frozen()
        values.append(loss(unit * y_hat[:, :, 1], None) / unit)
    torch.testing.assert_close(*values)


def test_a_pool_needs_decisions():
    y = normal(1, 1, ROWS, 4)
    with pytest.raises(ValueError, match="at least one set of decisions, got none"):
        Pool(decisions(chosen(y).unsqueeze(-1)), [], y)
