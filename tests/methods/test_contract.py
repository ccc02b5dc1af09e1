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
from dfl_bench.training import TrainingConfig
from tests.support.small import METHOD, OFFLINE, short_method, small_problem

TRAINED = [name for name in methods.names() if not issubclass(methods.get(name), Reference)]
REFERENCES = [name for name in methods.names() if issubclass(methods.get(name), Reference)]


PAIRS = [
    (method, problem)
    for problem in OFFLINE
    for method in TRAINED
    if methods.get(method).not_applicable(small_problem(problem)) is None
]
LOOPED = [(m, p) for m, p in PAIRS if issubclass(methods.get(m).Config, TrainingConfig)]
on_every_problem = pytest.mark.parametrize(("name", "problem"), PAIRS, indirect=["problem"])


@pytest.fixture(params=OFFLINE)
def problem(request):
    return small_problem(request.param)


@on_every_problem
def test_seeds_trained_together_equal_seeds_trained_apart(name, problem):
    method = short_method(name, problem)
    together = evaluate_batch(method, problem, [0, 1])
    for seed, result in enumerate(together):
        (alone,) = evaluate_batch(method, problem, [seed])
        np.testing.assert_allclose(result.predictions, alone.predictions, rtol=1e-6, atol=1e-6)


@on_every_problem
def test_same_seed_same_predictions_to_the_bit(name, problem):
    first, second = (evaluate_batch(short_method(name, problem), problem, [3])[0] for _ in range(2))
    np.testing.assert_array_equal(first.predictions, second.predictions)
    assert first.normalized_regret == second.normalized_regret
    assert first.data_digest == second.data_digest


@pytest.mark.parametrize(("name", "problem"), LOOPED, indirect=["problem"])
def test_costs_are_charged_to_phases(name, problem):
    (result,) = evaluate_batch(short_method(name, problem), problem, [0])
    ledger = result.ledger
    assert ledger.seconds["train"] > 0.0 and ledger.seconds["infer"] > 0.0
    assert ledger.solves["train"] >= 2 * len(
        problem.data(0).val
    )  # validation solves: before and after training
    assert ledger.curve and all(np.isfinite(regret).all() for _, regret in ledger.curve)
    if hasattr(short_method(name, problem).config, "samples"):
        assert ledger.solves["label"] == METHOD["samples"] * len(problem.data(0).train)
        assert ledger.seconds["surrogate"] > 0.0


@pytest.mark.parametrize("name", [m for m, p in LOOPED if p == "budget"])
def test_a_diverged_fit_fails_with_its_reason(name):
    problem = small_problem("budget")
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


@pytest.mark.slow
@pytest.mark.parametrize("name", [m for m, p in PAIRS if p == "inventory"])
def test_training_beats_the_untrained_network(name):
    """On inventory, with the published settings and three seeds: what is left after training is worth it."""
    problem = make_problem("inventory")
    cls = methods.get(name)
    trained = evaluate_batch(cls(configure(cls, problem, "paper", {})), problem, [0, 1, 2])
    pfl = methods.get("pfl")
    untrained = evaluate_batch(
        pfl(configure(pfl, problem, "paper", {"learning_rate": 1e-12})), problem, [0, 1, 2]
    )
    score = lambda results: np.mean([r.normalized_regret for r in results])  # noqa: E731
    assert score(trained) < 0.9 * score(untrained)
