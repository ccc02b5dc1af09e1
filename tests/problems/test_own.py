"""A problem from a user's arrays and functions: shapes, parts, the reference decision, and bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import torch

import dfl_bench
from dfl_bench.errors import DflBenchError
from tests.support.own import buying, choice, newsvendor, newsvendor_cost, rows


def test_functions_see_outcomes_as_the_user_gave_them():
    seen = []
    newsvendor(decide=lambda d: seen.append(d.shape) or d)
    assert all(len(shape) == 1 for shape in seen)
    problem = newsvendor()
    parts = problem.data(0)
    assert parts.train.y.shape == (18, 1) and problem.decide(parts.train.y, {}).shape == (18,)


def test_leading_axes_broadcast_in_numpy_and_torch():
    problem = buying()
    part = problem.data(1000).train
    guesses = np.stack([part.y, part.y[::-1], part.y + 1.0])
    regret = problem.regret(guesses, part.y, part.context)
    each = [problem.regret(guess, part.y, part.context) for guess in guesses]
    np.testing.assert_array_equal(regret, each)
    tensors = part.to("cpu")
    batch = {name: values[None] for name, values in tensors.context.items()}
    again = problem.regret(torch.from_numpy(guesses[1])[None], tensors.y[None], batch)
    np.testing.assert_allclose(again[0].numpy(), regret[1])


def test_parts_follow_shares_seeds_order_and_numbers():
    problem = newsvendor(split=(0.5, 0.3, 0.2))
    parts = problem.data(0)
    assert [len(part) for part in parts] == [15, 9, 6]
    assert len({tuple(row) for part in parts for row in part.x}) == 30
    assert not np.array_equal(parts.train.x, problem.data(1).train.x)
    x, _ = rows()
    in_order = newsvendor(split=("chronological", 0.5, 0.3, 0.2)).data(7)
    np.testing.assert_array_equal(np.concatenate([part.x for part in in_order]), x)
    given = newsvendor(split={"train": np.arange(10), "val": [20, 21], "test": np.arange(30) > 25})
    np.testing.assert_array_equal(given.data(3).test.x, x[26:])
    train, val = given.rows_to_fit(0)
    assert len(train) == 14 and len(val) == 2
    assert sum(map(len, problem.rows_to_fit(0))) == 30


def test_equal_rows_stay_in_one_part():
    x, y = rows()
    x, y = np.repeat(x[:10], 3, 0), np.repeat(y[:10], 3)
    problem = dfl_bench.problem(x, y, decide=lambda d: d, cost=newsvendor_cost)
    for seed in range(20):
        parts = [{tuple(row) for row in part.x} for part in problem.data(seed)]
        assert sum(map(len, parts)) == 10 and all(parts)


def test_the_reference_is_the_costliest_of_the_best_decisions_for_training_outcomes():
    problem = newsvendor()
    parts = problem.data(1000)
    decisions = parts.train.y[:, 0]
    for part in parts:
        costs = newsvendor_cost(decisions[:, None], part.y[:, 0])
        expected = costs.max(0) - newsvendor_cost(part.y[:, 0], part.y[:, 0])
        np.testing.assert_allclose(problem.worst_regret(part.y, part.context), expected)


def test_the_reference_of_rows_with_context_is_allowed_there():
    part = (problem := buying(worst=None)).data(1000).test
    worst = problem.worst(part.y, part.context)
    assert worst.max(-1) == pytest.approx(part.context["limit"])
    assert problem.worst_regret(part.y, part.context).min() >= 0.0


def test_a_frame_gives_the_same_rows():
    x, y = rows()
    frame = pd.DataFrame({"temperature": x[:, 0], "hour": x[:, 1], "demand": y})
    problem = dfl_bench.problem(
        ["temperature", "hour"], "demand", frame=frame, decide=lambda d: d, cost=newsvendor_cost
    )
    np.testing.assert_array_equal(problem.data(0).test.x, newsvendor().data(0).test.x)
    assert problem.squeezed
    with pytest.raises(
        ValueError, match=r"x: the frame has no column 'temprature'\. Did you mean 'temperature'\?"
    ):
        dfl_bench.problem(["temprature"], "demand", frame=frame, decide=lambda d: d, cost=newsvendor_cost)


def test_gradients_of_a_cost_are_torchs_or_differences():
    y = torch.tensor([[1.0], [5.0]], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([3.0, 3.0], dtype=torch.float64, requires_grad=True)
    shared = newsvendor(cost=lambda z, y: 4.0 * (y - z).clip(0.0, None) + (z - y).clip(0.0, None))
    for problem, exact in ((newsvendor(), False), (shared, True)):
        value = problem.cost(z, y, {})
        assert ("Differences" in type(value.grad_fn).__name__) != exact
        to_y, to_z = torch.autograd.grad(value.sum(), [y, z])
        np.testing.assert_allclose(to_y[:, 0], [-1.0, 4.0], atol=1e-6)
        np.testing.assert_allclose(to_z, [1.0, -4.0], atol=1e-6)


def test_differences_agree_with_torch_where_decisions_are_shared():
    problem = choice()
    z = torch.eye(3, dtype=torch.float64)[:, None]  # every decision beside every row
    y = torch.rand(4, 3, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(problem.cost(z, y, {}).sum(), [y])
    np.testing.assert_allclose(slope, np.ones((4, 3)), atol=1e-6)


def test_keys_follow_rows_functions_and_what_functions_use():
    def with_price(price):
        return newsvendor(cost=lambda z, y: price * np.abs(z - y))

    assert with_price(2.0).source_digest == with_price(2.0).source_digest
    assert with_price(2.0).source_digest != with_price(3.0).source_digest
    x, y = rows()
    other = dfl_bench.problem(x + 1.0, y, decide=lambda d: d, cost=newsvendor_cost)
    assert other.source_digest != newsvendor().source_digest
    assert newsvendor().source_digest != newsvendor(split="chronological").source_digest
    assert newsvendor().source_digest != newsvendor(predictor="linear").source_digest


def test_what_is_printed_reads_well():
    assert repr(newsvendor(name="shop")) == "<problem shop: 30 rows, x (2,), y (1,), decision number>"
    assert "context limit, fee, decision (2,)" in repr(buying())
    assert repr(dfl_bench.make_problem("budget", fake_targets=5)).startswith(
        "<problem budget, fake_targets=5: "
    )


def spoiled(values, place, value=np.nan):
    values = values.copy()
    values[place] = value
    return values


BAD_ROWS = {
    "ragged": (
        ([[1.0, 2.0], [1.0]], [1.0, 2.0]),
        r"numbers in x, got rows of different lengths: row 0 .* row 1 ",
    ),
    "nan in x": (
        (spoiled(rows()[0], (7, 1)), rows()[1]),
        r"finite numbers in x, got NaN or infinity in row 7: drop",
    ),
    "nan in y": (
        (rows()[0], spoiled(rows()[1], 3)),
        r"finite numbers in y, got NaN or infinity in row 3: drop",
    ),
    "lengths": ((rows()[0], rows()[1][:5]), r"as many rows everywhere, got 30 in x, 5 in y"),
    "text": (([["a"], ["b"]], [1.0, 2.0]), r"expected numbers in x"),
    "no rows": ((np.empty((0, 2)), np.empty(0)), r"at least one row"),
    "shapes": ((np.zeros((4, 2)), np.zeros((4, 2, 2))), r"reshape them"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows_are_named(case):
    (x, y), message = BAD_ROWS[case]
    with pytest.raises(ValueError, match=message):
        dfl_bench.problem(x, y, decide=lambda d: d, cost=newsvendor_cost)


def fails_at(row):
    _, y = rows()

    def decide(d):
        if np.any(d == y[row]):
            raise ZeroDivisionError("no stock")
        return d

    return decide


BAD_FUNCTIONS = {
    "decide raises": (
        {"decide": fails_at(17)},
        r"decide raised ZeroDivisionError for row 17 \(.*\): no stock",
    ),
    "wrong shape": (
        {"decide": lambda d: d[:1]},
        r"decide returned shape \(1,\) for 3 rows; expected \(3, \.\.\.\)",
    ),
    "cost of all": (
        {"cost": lambda z, y: np.abs(z - y).sum()},
        r"cost returned shape \(\) for 3 rows; expected \(3,\)",
    ),
    "cost of each": ({"cost": lambda z, y: np.abs(z - y)[:, None]}, r"sum over axis=-1"),
    "nan": ({"cost": lambda z, y: np.log(y - y)}, r"cost gave NaN or infinity for row 0"),
    "none": ({"decide": lambda d: None}, r"returned None; does it end in a `return`"),
    "mixes rows": (
        {"decide": lambda d: d - d.mean()},
        r"gives row 0 another result alone than beside other rows",
    ),
    "a profit": (
        {"cost": lambda z, y: -newsvendor_cost(z, y)},
        r"decide and cost disagree: .* negate a profit",
    ),
    "worst": (
        {"worst": lambda y: np.zeros((len(y), 2))},
        r"worst returned shape \(3, 2\) for 3 rows; expected \(3,\)",
    ),
}


@pytest.mark.parametrize("case", BAD_FUNCTIONS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_functions_are_named(case):
    changes, message = BAD_FUNCTIONS[case]
    with pytest.raises(DflBenchError, match=message):
        newsvendor(**changes)


def test_a_function_of_one_row_that_raises_is_named():
    def decide(costs):
        raise RuntimeError("solver lost")

    with pytest.raises(DflBenchError, match=r"decide raised RuntimeError for row 0 \(.*\): solver lost"):
        choice(decide=decide)


BAD_SETTINGS = {
    "overlap": (
        {"split": ([0, 1, 2], [3, 4], [2, 5])},
        r"the split overlaps: row 2 of test is in train, too",
    ),
    "twice": ({"split": ([0, 0], [3, 4], [2, 5])}, r"row 0 of train is twice"),
    "outside": ({"split": ([0, 1], [3, 4], [2, 30])}, r"row numbers from 0 to 29 in split, got 30 in test"),
    "shares": ({"split": (0.5, 0.5, 0.5)}, r"sum to 1"),
    "word": ({"split": "random"}, r"expected split to be three shares"),
    "linear": ({"linear": True}, r"linear=True: expected cost\(z, y\) to be ⟨y, z⟩"),
    "taken": ({"name": "inventory"}, r"that of a problem of the suite"),
    "bounds": ({"bounds": (1.0, 0.0)}, r"low <= high"),
    "workers": ({"workers": 0}, r"workers to be a whole number of at least 1"),
    "predictor": ({"predictor": "forest"}, r"predictor to be 'linear'"),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings_are_named(case):
    changes, message = BAD_SETTINGS[case]
    with pytest.raises(ValueError, match=message):
        newsvendor(**changes)


def test_a_function_is_expected():
    with pytest.raises(TypeError, match="expected decide to be a function, got 3"):
        newsvendor(decide=3)


def test_predictions_stay_within_bounds():
    problem = newsvendor(bounds=(0.0, None), decide=np.sqrt, cost=lambda z, y: np.abs(z**2 - y))
    np.testing.assert_array_equal(problem.project(np.array([[-1.0], [4.0]])), [[0.0], [4.0]])
    assert np.isfinite(dfl_bench.evaluate("pfl", problem, seed=1000, steps=2).normalized_regret)


def test_a_method_does_not_get_the_rows():
    seen = []

    class Nosy(dfl_bench.Method):
        def fit(self, task, rng):
            seen.append(hasattr(task.problem, "_rows"))
            return lambda x: np.zeros((len(x), 1))

    dfl_bench.evaluate(Nosy, newsvendor(), seed=1000)
    assert seen == [False]


def test_a_problem_travels_where_its_functions_do():
    problem = pickle.loads(pickle.dumps(newsvendor(decide=np.abs)))
    assert problem.decide(np.array([[-2.0]]), {}) == 2.0
