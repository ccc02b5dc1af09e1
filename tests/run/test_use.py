"""What a user does with a trained predictor: call it, save it, load it; and predictors of the user's own."""

import json

import numpy as np
import pytest
import torch
from torch import nn

import dfl_bench
from dfl_bench import methods
from dfl_bench.errors import DataError, DflBenchError, NotApplicableError, UnknownNameError
from tests.support.own import buying, choice, newsvendor, rows
from tests.support.small import small_problem


def test_methods_and_problems_by_name_class_and_object():
    problem = small_problem("inventory")
    pfl = methods.get("pfl")
    scores = {
        dfl_bench.evaluate(method, problem, seed=1000, **settings).normalized_regret
        for method, settings in (("pfl", {"steps": 5}), (pfl, {"steps": 5}), (pfl(pfl.Config(steps=5)), {}))
    }
    assert len(scores) == 1
    assert dfl_bench.evaluate("truth", "inventory", seed=1000).normalized_regret == 0.0
    with pytest.raises(UnknownNameError, match="Did you mean 'inventory'"):
        dfl_bench.evaluate("pfl", "inventroy")
    with pytest.raises(UnknownNameError, match="Did you mean 'lcgln'"):
        dfl_bench.evaluate("lcgnl", problem)
    with pytest.raises(ValueError, match="pfl is configured already; give steps"):
        dfl_bench.evaluate(pfl(), problem, steps=3)
    with pytest.raises(
        TypeError, match=r"expected a problem or the name of one, got ndarray; `dfl_bench.problem"
    ):
        dfl_bench.evaluate("pfl", np.zeros(3))


def test_a_result_holds_its_predictor_and_reads_well():
    problem = newsvendor(name="shop")
    result = dfl_bench.evaluate("pfl", problem, seed=1000, steps=5)
    test = problem.data(1000).test
    np.testing.assert_array_equal(result.predictor(test.x), result.predictions[:, 0])
    assert repr(result).startswith("<result of pfl on shop, seed 1000: normalized regret 0.")
    assert (
        repr(result.predictor) == "<predictor trained by pfl on shop, seed 1000: features (2,) to a number>"
    )
    assert dfl_bench.evaluate("constant", problem, seed=1000).predictor is None
    with pytest.raises(ValueError, match=r"expected features of shape \(n, 2\), got \(3, 4\)"):
        result.predictor(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="NaN or infinity in row 1"):
        result.predictor(np.array([[0.0, 0.0], [np.nan, 0.0]]))


@pytest.mark.parametrize("method", ["pfl", "lcgln", "pfl-exact"])
@pytest.mark.parametrize("make", [newsvendor, buying])
def test_a_saved_predictor_is_the_same_and_holds_numbers_alone(method, make, tmp_path):
    problem = make(predictor="linear" if method == "pfl-exact" else None)
    short = {} if method == "pfl-exact" else {"steps": 3}
    trained = dfl_bench.evaluate(method, problem, seed=1000, **short).predictor
    trained.save(tmp_path / "rule.npz")
    with np.load(tmp_path / "rule.npz", allow_pickle=False) as saved:
        assert json.loads(str(saved["about"]))["method"] == method
    again = dfl_bench.load_predictor(tmp_path / "rule.npz")
    x = rows()[0]
    np.testing.assert_array_equal(again(x), trained(x))
    assert repr(again) == repr(trained)


def test_a_predictor_of_a_built_in_problem_is_saved_too(tmp_path):
    problem = small_problem("budget")
    result = dfl_bench.evaluate("pfl", problem, seed=1000, steps=3)
    result.predictor.save(tmp_path / "rule.npz")
    again = dfl_bench.load_predictor(tmp_path / "rule.npz")
    np.testing.assert_array_equal(again(problem.data(1000).test.x), result.predictions)


def test_a_file_that_is_no_predictor_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no predictor at"):
        dfl_bench.load_predictor(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("not numbers")
    with pytest.raises(DataError, match="is no predictor"):
        dfl_bench.load_predictor(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", about=np.array('{"format": "other"}'))
    with pytest.raises(DataError, match="has the format 'other'"):
        dfl_bench.load_predictor(tmp_path / "other.npz")
    np.savez(tmp_path / "code.npz", about=np.array([{"a": print}], dtype=object))
    with pytest.raises(DataError, match="is no predictor"):
        dfl_bench.load_predictor(tmp_path / "code.npz")


def test_fit_uses_all_rows_and_its_predictor_is_the_same_each_time():
    problem = newsvendor()
    sizes = []

    class Sizes(dfl_bench.Method):
        def fit(self, task, rng):
            sizes.append((len(task.train), len(task.val)))
            return lambda x: np.ones((len(x), 1))

    assert dfl_bench.fit(Sizes, problem)(rows()[0]).shape == (30,)
    assert sizes == [(24, 6)]
    x = rows()[0]
    one, two = (dfl_bench.fit("pfl", problem, seed=1000, steps=5)(x) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    with pytest.raises(ValueError, match="reference line"):
        dfl_bench.fit("truth", problem)
    with pytest.raises(NotApplicableError, match="no differentiable decision"):
        dfl_bench.fit("dfl", problem)


def test_predictions_made_elsewhere_are_scored():
    problem = newsvendor()
    test = problem.data(1000).test
    assert dfl_bench.score(problem, test.y[:, 0], 1000).normalized_regret == 0.0
    by_function = dfl_bench.score(problem, lambda x: np.full(len(x), 3.0), 1000)
    assert (
        by_function.normalized_regret
        == dfl_bench.score(problem, np.full(6, 3.0), 1000).normalized_regret
        > 0.0
    )
    result = dfl_bench.evaluate("pfl", problem, seed=1000, steps=5)
    assert dfl_bench.score(problem, result.predictor, 1000).normalized_regret == result.normalized_regret
    with pytest.raises(ValueError, match=r"expected predictions of shape \(6, 1\), got \(5,\)"):
        dfl_bench.score(problem, np.zeros(5), 1000)


def wide():
    return nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1))


def test_a_torch_module_is_copied_trained_saved_and_loaded(tmp_path):
    problem, module = newsvendor(), wide()
    before = [p.clone() for p in module.parameters()]
    # The last state: whether a later one is better than the first depends on the module's own random start.
    result = dfl_bench.evaluate("pfl", problem, seed=1000, steps=50, select="last", predictor=module)
    assert all(torch.equal(a, b) for a, b in zip(before, module.parameters(), strict=True))
    untrained = dfl_bench.evaluate("pfl", problem, seed=1000, steps=1, learning_rate=1e-12, predictor=module)
    assert not np.array_equal(result.predictions, untrained.predictions)
    result.predictor.save(tmp_path / "rule.npz")
    again = dfl_bench.load_predictor(tmp_path / "rule.npz", module=wide)
    np.testing.assert_allclose(again(rows()[0]), result.predictor(rows()[0]), rtol=1e-12)
    with pytest.raises(ValueError, match=r"give it again, load_predictor\(path, module="):
        dfl_bench.load_predictor(tmp_path / "rule.npz")
    with pytest.raises(ValueError, match="not the one that was saved"):
        dfl_bench.load_predictor(tmp_path / "rule.npz", module=nn.Linear(2, 1))


def test_a_function_makes_the_same_module_for_a_seed_and_others_for_others():
    first, again, other = (
        dfl_bench.evaluate(
            "pfl", newsvendor(), seed=seed, steps=1, learning_rate=1e-12, predictor=wide
        ).predictor(np.ones((1, 2)))
        for seed in (1000, 1000, 1001)
    )
    assert first == again != other


def test_a_module_of_the_wrong_shape_is_named():
    with pytest.raises(
        ValueError, match=r"expected the torch module to give \(2, 3\) for 2 rows, .* got \(2, 1\)"
    ):
        dfl_bench.evaluate("pfl", choice(), predictor=wide, steps=1)
    with pytest.raises(ValueError, match=r"does not take features of shape \(2,\)"):
        dfl_bench.evaluate("pfl", newsvendor(), predictor=nn.Linear(3, 1), steps=1)


def test_a_regressor_is_for_two_stage_methods(tmp_path):
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

    forest = RandomForestRegressor(n_estimators=3)
    one, two = (dfl_bench.evaluate("pfl", choice(), seed=1000, predictor=forest) for _ in range(2))
    np.testing.assert_array_equal(one.predictions, two.predictions)
    boosted = dfl_bench.evaluate(
        "pfl", choice(predictor=GradientBoostingRegressor(n_estimators=2)), seed=1000
    )
    assert boosted.predictions.shape == one.predictions.shape
    with pytest.raises(
        NotApplicableError, match="own has the predictor RandomForestRegressor, which torch cannot train"
    ):
        dfl_bench.evaluate("lcgln", choice(), predictor=forest)
    with pytest.raises(DflBenchError, match="a RandomForestRegressor cannot be saved as weights"):
        one.predictor.save(tmp_path / "rule.npz")
    assert choice(predictor=forest).settings.predictor == "RandomForestRegressor"
