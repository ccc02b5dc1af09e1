"""What every registered method promises, on small instances of every kind of problem."""

import dataclasses

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.contracts.method import Reference, SeedBatched
from dfl_bench.errors import DivergedError, NotApplicableError
from dfl_bench.experiment.protocols import configure
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate, evaluate_group

SMALL = {
    "inventory": {"n_train": 40, "n_val": 20, "n_test": 30},
    "budget": {"n_train": 30, "n_val": 20, "n_test": 30, "fake_targets": 5},
    "portfolio-synthetic": {"n_train": 24, "n_val": 12, "n_test": 12, "n_stocks": 6},
}
SHORT = {
    "steps": 30,
    "samples": 16,
    "validate_every": 10,
    "surrogate_steps": 40,
    "warm_epochs": 3,
    "rounds": 4,
}
TRAINED = [name for name in methods.names() if not issubclass(methods.get(name), Reference)]
REFERENCES = [name for name in methods.names() if issubclass(methods.get(name), Reference)]


@pytest.fixture(params=SMALL)
def problem(request):
    return make_problem(request.param, **SMALL[request.param])


def short(name, problem):
    cls = methods.get(name)
    known = {field.name for field in dataclasses.fields(cls.Config)}
    return cls(configure(cls, problem, "paper", {k: v for k, v in SHORT.items() if k in known}))


@pytest.mark.parametrize("name", TRAINED)
def test_seeds_trained_together_equal_seeds_trained_apart(name, problem):
    method = short(name, problem)
    together = evaluate_group(method, problem, [0, 1])
    for seed, result in enumerate(together):
        (alone,) = evaluate_group(method, problem, [seed])
        np.testing.assert_allclose(result.predictions, alone.predictions, rtol=1e-6, atol=1e-6)
        assert result.group == ((0, 1) if isinstance(method, SeedBatched) else (seed,))


@pytest.mark.parametrize("name", TRAINED)
def test_same_seed_same_predictions_to_the_bit(name, problem):
    first, second = (evaluate_group(short(name, problem), problem, [3])[0] for _ in range(2))
    np.testing.assert_array_equal(first.predictions, second.predictions)
    assert first.normalized_regret == second.normalized_regret
    assert first.data_digest == second.data_digest


@pytest.mark.parametrize("name", TRAINED)
def test_costs_are_charged_to_phases(name, problem):
    (result,) = evaluate_group(short(name, problem), problem, [0])
    ledger = result.ledger
    assert ledger.seconds["train"] > 0.0 and ledger.seconds["infer"] > 0.0
    assert ledger.solves["train"] >= 2 * len(
        problem.data(0).val
    )  # validation solves: before and after training
    assert ledger.curve and all(np.isfinite(regret).all() for _, regret in ledger.curve)
    if hasattr(short(name, problem).config, "samples"):
        assert ledger.solves["label"] == SHORT["samples"] * len(problem.data(0).train)
        assert ledger.seconds["surrogate"] > 0.0


@pytest.mark.parametrize("name", TRAINED)
def test_a_diverged_fit_fails_with_its_reason(name):
    problem = make_problem("budget", **SMALL["budget"])
    method = short(name, problem)
    wild = type(method)(
        dataclasses.replace(method.config, learning_rate=1e200, validate_every=30, patience=30)
    )
    (result,) = evaluate_group(wild, problem, [0])
    assert isinstance(result, DivergedError)


def test_references_bracket_every_method(problem):
    scores = {}
    for name in REFERENCES:
        try:
            scores[name] = evaluate(name, problem).normalized_regret
        except NotApplicableError as reason:
            assert problem.name in str(reason)
    assert scores["truth"] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < scores["constant"] and 0.0 < scores["random"]
    assert ("floor" in scores) == (problem.name == "inventory")
    if "floor" in scores:
        assert scores["floor"] < scores["constant"]


def test_settings_a_method_does_not_have_are_listed():
    problem = make_problem("inventory", **SMALL["inventory"])
    with pytest.raises(ValueError, match=r"pfl has no setting 'sampels'; it has: batch, learning_rate"):
        evaluate("pfl", problem, sampels=3)


def test_fewer_than_two_samples_are_refused():
    problem = make_problem("inventory", **SMALL["inventory"])
    with pytest.raises(ValueError, match="at least 2 samples"):
        evaluate("lcgln", problem, samples=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
def test_training_beats_the_untrained_network(name):
    """On inventory, with the published settings and three seeds: what is left after training is worth it."""
    problem = make_problem("inventory")
    cls = methods.get(name)
    trained = evaluate_group(cls(configure(cls, problem, "paper", {})), problem, [0, 1, 2])
    pfl = methods.get("pfl")
    untrained = evaluate_group(
        pfl(configure(pfl, problem, "paper", {"learning_rate": 1e-12})), problem, [0, 1, 2]
    )
    score = lambda results: np.mean([r.normalized_regret for r in results])  # noqa: E731
    assert score(trained) < 0.9 * score(untrained)
