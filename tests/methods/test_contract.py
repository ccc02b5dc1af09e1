"""What every registered method promises, on small instances of every kind of problem."""

import dataclasses

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.contracts.method import Reference
from dfl_bench.errors import DivergedError, NotApplicableError
from dfl_bench.experiment.protocols import configure
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate, evaluate_batch
from dfl_bench.run.local_pool import local_pool
from dfl_bench.run.supervisor import Limits
from dfl_bench.training import TrainingConfig
from tests.golden.scores import assert_as_saved, is_kept
from tests.methods.fits import PAIRS, SEEDS, TRAINED, Fits
from tests.support.small import METHOD, OFFLINE, short_method, small_problem

REFERENCES = [name for name in methods.names() if issubclass(methods.get(name), Reference)]
LOOPED = [m for m, p in PAIRS if p == "budget" and issubclass(methods.get(m).Config, TrainingConfig)]


@pytest.fixture(params=OFFLINE)
def problem(request):
    return small_problem(request.param)


# Of the scope of a module: all tests of a pair come one after the other, and look at the same fits.
@pytest.fixture(scope="module", params=PAIRS, ids=lambda pair: "-".join(pair))
def fits(request):
    return Fits(*request.param)


def test_seeds_trained_together_equal_seeds_trained_apart(fits):
    together, _ = fits.together
    for result, alone in zip(together, fits.alone, strict=True):
        np.testing.assert_allclose(result.predictions, alone.predictions, rtol=1e-6, atol=1e-6)


def test_no_step_reads_a_value_on_the_host(fits):
    (first, _), watch = fits.together
    loops = 2 if first.ledger.seconds.get("surrogate") else 1  # that of the loss, and the predictor's
    assert watch.saw(loops)


def test_same_seed_same_predictions_to_the_bit(fits):
    first, second = fits.alone[0], fits.again()
    np.testing.assert_array_equal(first.predictions, second.predictions)
    assert first.normalized_regret == second.normalized_regret
    assert first.data_digest == second.data_digest


@pytest.fixture(scope="module")
def submit():
    """A worker as `dfl-bench run` has it: another process, and labelled samples that all cells share."""
    with local_pool(1, Limits()) as (submit, _):
        yield submit


def test_a_worker_gives_the_same_score_to_the_bit(fits, submit):
    record, here = fits.recorded(submit), fits.alone[0]
    assert record.status == "ok", record.error
    assert record.regret.tobytes() == here.regret.tobytes()
    assert record.worst_regret.tobytes() == here.worst_regret.tobytes()
    assert record.data_digest == here.data_digest


def test_costs_are_charged_to_phases(fits):
    ledger, data = fits.alone[0].ledger, fits.problem.data(SEEDS[0])
    if not issubclass(type(fits.method).Config, TrainingConfig):
        return  # no loop, no phases to speak of
    assert ledger.seconds["train"] > 0.0 and ledger.seconds["infer"] > 0.0
    assert ledger.solves["train"] >= 2 * len(data.val)  # validation solves: before and after training
    assert ledger.curve and all(np.isfinite(regret).all() for _, regret in ledger.curve)
    labels = METHOD["samples"] * len(data.train)
    if getattr(fits.method.config, "bent", False):
        assert 0 < ledger.solves["label"] <= labels  # it solves as it trains, and these are few steps
    elif hasattr(fits.method.config, "samples"):
        assert ledger.solves["label"] == labels
        assert ledger.seconds["surrogate"] > 0.0


def test_code_that_changes_a_score_raises_a_version(fits):
    if is_kept(fits.name, fits.problem.name):  # else no score of it is kept
        assert_as_saved(fits.name, fits.problem.name, fits.alone[0])


@pytest.mark.parametrize("name", LOOPED)
def test_a_diverged_fit_fails_with_its_reason(name):
    # Mostly zeros as outcomes could leave a network with outputs of 0, which are finite.
    problem = small_problem("budget", data="clicks")
    method = short_method(name, problem)
    wild = type(method)(
        dataclasses.replace(method.config, learning_rate=1e200, validate_every=30, patience=30)
    )
    (result,) = evaluate_batch(wild, problem, [0])
    assert isinstance(result, DivergedError)


def test_a_method_that_does_not_apply_says_why(problem):
    refused = [m for m in TRAINED if (m, problem.name) not in PAIRS]
    for name in refused:
        with pytest.raises(NotApplicableError, match=problem.name):
            evaluate_batch(methods.get(name)(), problem, [0])


def test_references_bracket_every_method(problem):
    scores = {}
    for name in REFERENCES:
        try:
            scores[name] = evaluate(name, problem).normalized_regret
        except NotApplicableError as reason:
            assert problem.name in str(reason)
    assert scores["truth"] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < scores["constant"] and 0.0 < scores["random"]
    assert ("floor" in scores) == (problem.floor(problem.data(0).test) is not None)
    if "floor" in scores:
        assert scores["floor"] < scores["constant"]


def test_settings_a_method_does_not_have_are_listed():
    problem = small_problem("inventory")
    with pytest.raises(ValueError, match=r"pfl has no setting 'sampels'\. Known: batch, learning_rate"):
        evaluate("pfl", problem, sampels=3)


def test_fewer_than_two_samples_are_refused():
    problem = small_problem("inventory")
    with pytest.raises(ValueError, match="expected samples to be an integer of at least 2"):
        evaluate("lcgln", problem, samples=1)


@pytest.fixture(scope="module")
def untrained():
    """The score on inventory of networks as they begin."""
    return published_score("pfl", learning_rate=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", [m for m, p in PAIRS if p == "inventory"])
def test_training_beats_the_untrained_network(name, untrained):
    """On inventory, with the published settings and three seeds: what is left after training is worth it."""
    assert published_score(name) < 0.9 * untrained


def published_score(name, **changes):
    problem, cls = make_problem("inventory"), methods.get(name)
    results = evaluate_batch(cls(configure(cls, problem, "paper", changes)), problem, [0, 1, 2])
    return np.mean([result.normalized_regret for result in results])
