import numpy as np
import torch

from dfl_bench import methods
from dfl_bench.contracts.seeding import FIRST_TUNING_SEED
from dfl_bench.experiment.protocols import configure
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.run.scoring import Result
from dfl_bench.studies.overfitting import ALONE, CASES, MEMBERS, Bagged, half_of
from tests.support.small import METHOD, small_problem

SHORT = {name: METHOD[name] for name in ("steps", "samples", "validate_every")}


class Watched(Bagged):
    """Keeps what it has fitted, and to what."""

    def _fit_to_decisions(self, labelled, rngs, earlier):
        self.fitted, self.labelled = super()._fit_to_decisions(labelled, rngs, earlier), labelled
        return self.fitted


def fitted():
    problem = small_problem("inventory")
    method = Watched(configure(Watched, problem, "paper", {**ALONE, **SHORT, "rounds": 1}))
    (result,) = evaluate_batch(method, problem, [FIRST_TUNING_SEED])
    return method, result


def test_every_case_is_another_one():
    cls, problem = methods.get("lcgln-plus"), small_problem("inventory")
    made = [(bagged, configure(cls, problem, "paper", settings)) for _, bagged, settings in CASES]
    assert len(set(made)) == len(CASES)


def test_the_mean_of_losses_has_their_mean_value_and_gradient():
    method, result = fitted()
    assert isinstance(result, Result) and len(method.fitted.members) == MEMBERS
    y_hat = method.labelled.y_hat[:, 3].flatten(2).clone().requires_grad_()
    values = torch.stack([member.frozen()(y_hat, None) for member in method.fitted.members])
    assert (values.std(0) > 0).any()  # they are not the same loss
    frozen = method.fitted.frozen()
    torch.testing.assert_close(frozen(y_hat, None), values.mean(0))
    (slope,) = torch.autograd.grad(values.mean(0).sum(), y_hat)
    torch.testing.assert_close(frozen.gradient(y_hat.detach(), None), slope)


def test_half_of_the_samples_has_the_truth_and_different_ones_each_time():
    method, _ = fitted()
    whole, stream = method.labelled, np.random.default_rng(0)
    one, other = half_of(whole, stream), half_of(whole, stream)
    k = whole.regret.shape[1]
    assert one.regret.shape[1] == other.regret.shape[1] == 1 + (k - 1) // 2
    assert torch.equal(one.y_hat[:, 0], whole.y_hat[:, 0]) and not torch.equal(one.y_hat, other.y_hat)
    assert whole.regret.shape[1] == k  # it has lost nothing
