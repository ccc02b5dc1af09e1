import dataclasses

import numpy as np
import pytest
from rich.console import Console

from dfl_bench.experiment.plan import configurations
from dfl_bench.experiment.suite import Entry
from dfl_bench.problems import make_problem
from dfl_bench.results.published import Ours, disagreements, pairs, published
from dfl_bench.run.evaluate import evaluate
from dfl_bench.show.published import show_pairs
from dfl_bench.store.cell import Cell
from dfl_bench.store.store import Store
from tests.support.made import record


def test_all_published_numbers_are_here():
    numbers = published()
    assert len(numbers) == 154
    (found,) = [p for p in numbers if (p.table, p.problem, p.method) == ("table1", "inventory", "lcgln")]
    assert (found.mean, found.sem, found.samples, found.settings) == (0.174, 0.002, 32, {})
    assert {p.settings["fake_targets"] for p in numbers if p.problem == "budget"} == {0, 5, 50, 500}


def test_where_the_papers_tables_disagree():
    found = {(d.method, d.place): [mean for _, mean, _ in d.printed] for d in disagreements()}
    assert found == {
        ("dfl", "budget fake_targets=500"): [0.532, 0.502],
        ("lancer", "portfolio"): [0.246, 0.228],
    }


def test_the_difference_is_in_units_of_the_combined_error():
    p = next(p for p in published() if p.method == "lcgln" and p.problem == "inventory" and p.samples == 32)
    assert Ours(p.mean + 0.01, 0.004, p).z == pytest.approx(0.01 / (0.004**2 + 0.002**2) ** 0.5)
    assert Ours(0.2, None, p).z is None


def test_a_record_without_the_other_divisor_has_no_number_by_prediction():
    old, new = record(seed=0, score=0.2), record(seed=1, score=0.2, predicted_worst_sum=10.0)
    assert old.regret_by_prediction is None
    assert new.regret_by_prediction == pytest.approx(0.2 * new.worst_sum / 10.0)
    p = published()[0]
    assert Ours.of([new.regret_by_prediction, old.regret_by_prediction], p) is None
    assert Ours.of([0.25], p) == Ours(0.25, None, p)


def test_the_other_divisor_takes_the_worst_decision_by_the_prediction():
    """On inventory it is no order either way; on the others a bad prediction finds a decision less bad."""
    for name in ("inventory", "budget", "portfolio-synthetic"):
        problem = make_problem(name, n_train=20, n_val=10, n_test=30)
        truth, blind = (evaluate(method, problem) for method in ("truth", "random"))
        np.testing.assert_allclose(truth.predicted_worst_regret, truth.worst_regret, atol=1e-12)
        ratio = blind.predicted_worst_regret.sum() / blind.worst_regret.sum()
        assert ratio == 1.0 if name == "inventory" else 0.3 < ratio < 0.8


def test_ours_beside_theirs_without_runs_of_other_settings(tmp_path):
    entry = Entry(problem="inventory", methods=("pfl", "lcgln"), samples=(32,))
    made = []
    for problem, method in configurations(entry, "paper"):
        for seed in range(3):
            where = Cell.of(problem, method, protocol="paper", seed=seed, device="cpu")
            settings = {f.name: getattr(where, f.name) for f in dataclasses.fields(Cell)}
            del settings["method"], settings["seed"]
            scored = record(method.name, seed, score=0.2, **settings)
            made.append(dataclasses.replace(scored, predicted_worst_sum=0.8 * scored.worst_sum))
            # As the suite quick would run it: must not be counted.
            quick = settings | {"method_settings": {**where.method_settings, "steps": 300}}
            made.append(record(method.name, seed, score=0.9, **quick))
    with Store(tmp_path / "r.sqlite") as store:
        store.add(*made)
        found = [p for p in pairs(store.records()) if p.ours is not None]
        console = Console(width=120, record=True, file=open("/dev/null", "w"))
        show_pairs(console, store.records())
    # PFL stands in table 1 and in five columns of the sample-size table; LCGLN with K = 32 in two places.
    assert len(found) == 6 + 2
    assert all(p.ours.mean == pytest.approx(0.2) and p.seeds == 3 for p in found)
    assert all(p.by_prediction.mean == pytest.approx(p.ours.mean * 1.25) for p in found)
    text = console.export_text()
    assert "8 of 154 published cells" in text
    assert "disagree: lancer on portfolio is 0.246 ± 0.008 (table1) and 0.228 ± 0.006" in text
    assert "Quandl" in text
