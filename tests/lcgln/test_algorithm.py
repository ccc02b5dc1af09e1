import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import lcgln
from lcgln import Config, SurrogateConfig
from tests.lcgln import toy

QUICK = Config(
    samples=12,
    sampling_rates=(0.05, 0.5),
    checkpoints="log",
    surrogate=SurrogateConfig(hidden=(8,), learning_rate=1e-2, steps=800, batch=256),
    steps=600,
    learning_rate=1e-2,
)


def mean_regret(y_hat, rows):
    return toy.regret(y_hat, rows).mean().item()


def test_decides_better_than_the_untrained_network():
    train, val, test = toy.rows(200, 0), toy.rows(100, 1), toy.rows(1000, 2)
    start = toy.predictor(3)
    trained = lcgln.train(start, train, val, regret=toy.regret, config=QUICK)
    assert mean_regret(trained.predictor(test.x), test) < 0.6 * mean_regret(start(test.x), test)


@pytest.mark.slow
def test_decides_better_than_least_squares():
    """Least squares predicts the mean; the cheap decision is the 75 % quantile."""
    wide = replace(
        QUICK, samples=32, steps=2000, surrogate=replace(QUICK.surrogate, hidden=(16, 16), steps=3000)
    )
    ours, theirs = [], []
    for seed in (0, 10, 20):
        train, val, test = toy.rows(200, seed), toy.rows(100, seed + 1), toy.rows(1000, seed + 2)
        trained = lcgln.train(toy.predictor(seed), train, val, regret=toy.regret, config=wide)
        affine = lambda x: torch.cat([x, torch.ones_like(x[:, :1])], 1)  # noqa: E731
        weights = torch.linalg.lstsq(affine(train.x), train.y).solution
        ours.append(mean_regret(trained.predictor(test.x), test))
        theirs.append(mean_regret(affine(test.x) @ weights, test))
    assert np.mean(ours) < np.mean(theirs)


def test_leaves_the_given_predictor_alone_and_reports_what_it_did():
    train, val = toy.rows(60, 0), toy.rows(40, 1)
    start = toy.predictor(3)
    before = [p.clone() for p in start.parameters()]
    trained = lcgln.train(start, train, val, regret=toy.regret, config=QUICK)
    assert all(torch.equal(p, q) for p, q in zip(before, start.parameters(), strict=True))
    assert trained.sampling_rate in QUICK.sampling_rates
    assert trained.validation_regret == pytest.approx(
        toy.regret(trained.predictor(val.x), val).mean().item(), rel=1e-9
    )


def test_same_stream_same_predictor_to_the_bit():
    train, val = toy.rows(40, 0), toy.rows(20, 1)
    runs = [
        lcgln.train(
            toy.predictor(3), train, val, regret=toy.regret, config=QUICK, rng=np.random.default_rng(1)
        )
        for _ in range(2)
    ]
    for p, q in zip(runs[0].predictor.parameters(), runs[1].predictor.parameters(), strict=True):
        assert torch.equal(p, q)


@pytest.mark.parametrize(("regret", "message"), [
    (lambda y_hat, rows: toy.regret(y_hat, rows) * torch.nan, "regret returned NaN for 480 of 480 rows"),
    (lambda y_hat, rows: toy.regret(y_hat, rows)[..., None], r"shape \(12, 40\), got \(12, 40, 1\)"),
])  # fmt: skip
def test_a_bad_regret_is_named(regret, message):
    with pytest.raises(ValueError, match=message):
        lcgln.train(toy.predictor(0), toy.rows(40, 0), toy.rows(20, 1), regret=regret, config=QUICK)


def test_knows_no_problem():
    code = "import lcgln, sys; sys.exit(any(m.startswith(('dfl_bench', 'kernels')) for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
