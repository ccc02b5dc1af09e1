"""Records of large test sets keep sums of neighbouring rows."""

import numpy as np
import pytest

from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate
from dfl_bench.run.job import Job
from dfl_bench.run.scorer import score_cell
from dfl_bench.store.cell import Cell
from dfl_bench.store.record import MOST_REGRETS, grouped
from dfl_bench.store.store import Store
from tests.support.made import record


@pytest.mark.parametrize("rows", [1, MOST_REGRETS, MOST_REGRETS + 1, 1000, 10_000, 10_007])
def test_sums_stay_and_numbers_are_few(rows):
    values = np.random.default_rng(rows).random(rows)
    sums, size = grouped(values)
    assert len(sums) <= MOST_REGRETS
    assert size == -(-rows // MOST_REGRETS)
    np.testing.assert_allclose(sums, [values[i : i + size].sum() for i in range(0, rows, size)], rtol=1e-12)


def test_a_small_test_set_is_kept_as_it_is():
    values = np.random.default_rng(0).random(MOST_REGRETS)
    np.testing.assert_array_equal(grouped(values)[0], values)


def test_a_cell_with_many_test_rows_scores_as_evaluate_does(tmp_path):
    problem = make_problem("shortest-path", n_train=20, n_val=10, n_test=1001)
    from dfl_bench import methods

    cell = Cell.of(problem, methods.get("random")(), protocol="paper", seed=0, device="cpu")
    with Store(tmp_path / "r.sqlite") as store:
        store.add(score_cell(Job(cell)))
    with Store(tmp_path / "r.sqlite", readonly=True) as store:
        (kept,) = store.records()
    result = evaluate("random", problem)
    assert kept.group_size == 3 and kept.test_rows == 1001 and len(kept.regret) == 334
    assert kept.normalized_regret == pytest.approx(result.normalized_regret, rel=1e-12)
    assert kept.regret_sum == pytest.approx(result.regret.sum(), rel=1e-12)
    assert kept.mean_worst_regret == pytest.approx(result.worst_regret.mean(), rel=1e-12)
    assert kept.relative_regret == pytest.approx(
        result.regret.sum() / abs(result.optimal_cost).sum(), rel=1e-12
    )


def test_an_older_record_has_a_number_for_every_instance():
    made = record("a", 0)
    assert made.mean_worst_regret == pytest.approx(made.worst_regret.mean())
    assert made.relative_regret is None
