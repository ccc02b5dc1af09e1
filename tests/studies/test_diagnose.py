import numpy as np
import pytest
import torch

from dfl_bench.studies._figures import alike, cosines, label_means
from dfl_bench.studies.diagnose import diagnose
from tests.support.small import small_problem

QUICK = {"samples": 8, "surrogate_steps": 100}


def test_samples_are_alike_where_a_step_predicts_the_same_for_all():
    y = torch.from_numpy(np.random.default_rng(0).random((20, 3, 2)))
    same = torch.arange(4.0).view(4, 1, 1, 1).expand(4, 20, 3, 2)  # another number at every step
    assert alike(same, y) == 1.0
    assert alike(y.expand(4, -1, -1, -1), y) == 0.0
    assert alike(torch.cat([same, y[None]]), y) == 0.8


def test_a_sampling_rate_of_one_makes_samples_alike():
    """So does the diagnosis say; the slow rates of the paper's grid do not."""
    problem = small_problem("budget", data="clicks", n_train=60)
    fast, slow = (diagnose(problem, [1000], "paper", QUICK | {"sampling_rate": r}) for r in (1.0, 0.05))
    assert fast.alike > 0.5 > 0.2 > slow.alike


def test_the_mean_of_a_label_is_over_the_held_out_samples():
    rng = np.random.default_rng(0)
    y = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    regret, held = torch.from_numpy(rng.random((5, 4))), torch.from_numpy(rng.random((5, 4)) < 0.5)
    means = label_means(y, regret, held)
    for i in range(4):
        alike = [j for j in range(4) if torch.equal(y[i], y[j])]
        expected = np.mean([float(regret[k, j]) for j in alike for k in range(5) if held[k, j]])
        assert float(means[i]) == pytest.approx(expected)


def test_the_squared_error_has_its_own_cosine():
    """A loss that is the squared error has the same one, and its negative the opposite."""
    problem = small_problem("inventory")
    rows = problem.data(1000).train.to("cpu")[None]
    rng = np.random.default_rng(0)
    y_hat = torch.from_numpy(rng.dirichlet(np.ones(rows.y.shape[-1]), (4, rows.y.shape[1])))
    held = torch.ones(4, rows.y.shape[1], dtype=torch.bool)
    for sign in (1.0, -1.0):
        loss = lambda p, sign=sign: sign * (p - rows.y[0]).square().sum(-1)  # noqa: E731
        ours, squares = cosines(problem, loss, y_hat, held, rows, np.random.default_rng(1))
        assert ours == pytest.approx(sign * squares)
        assert squares > 0.1


@pytest.mark.parametrize("hold_out", ["samples", "instances"])
def test_a_diagnosis_is_of_held_out_samples(hold_out):
    found = diagnose(small_problem("inventory"), [1000, 1001], "paper", QUICK | {"hold_out": hold_out})
    assert found.r2 < 1.0 and 0.0 <= found.below_truth <= 1.0 and 0.0 <= found.alike <= 1.0
    assert -1.0 <= found.cosine <= 1.0 and -1.0 <= found.cosine_of_squares <= 1.0
