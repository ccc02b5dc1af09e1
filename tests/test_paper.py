import pytest
from rich.console import Console

from dfl_bench.fingerprint import plain
from dfl_bench.paper import Pair, disagreements, pairs, published
from dfl_bench.plan import configurations
from dfl_bench.render_paper import show_pairs
from dfl_bench.store import Store
from dfl_bench.suite import Entry

from .made import record


def test_all_published_numbers_are_here():
    numbers = published()
    assert len(numbers) == 154
    (found,) = [p for p in numbers if (p.table, p.problem, p.method) == ("table1", "inventory", "lcgln")]
    assert (found.mean, found.sem, found.samples) == (0.174, 0.002, 32)


def test_where_the_papers_tables_disagree():
    found = {(d.method, d.problem): [mean for _, mean, _ in d.printed] for d in disagreements()}
    assert found == {("dfl", "budget"): [0.532, 0.502], ("lancer", "portfolio"): [0.246, 0.228]}


def test_the_difference_is_in_units_of_the_combined_error():
    p = next(p for p in published() if p.method == "lcgln" and p.problem == "inventory" and p.samples == 32)
    assert Pair(p, p.mean + 0.01, 0.004, 10).z == pytest.approx(0.01 / (0.004**2 + 0.002**2) ** 0.5)
    assert Pair(p, 0.2, None, 1).z is None


def test_ours_beside_theirs_without_runs_of_other_settings(tmp_path):
    entry = Entry(problem="inventory", methods=("pfl", "lcgln"), samples=(32,))
    made = []
    for problem, method in configurations(entry, "paper"):
        for seed in range(3):
            settings = {
                "problem": problem.name,
                "problem_version": problem.version,
                "problem_config": plain(problem.config),
                "method_version": method.version,
            }
            config = plain(method.config)
            made.append(record(method.name, seed, score=0.2, method_config=config, **settings))
            # As the suite quick would run it: must not be counted.
            quick = {**config, "steps": 300}
            made.append(record(method.name, seed, score=0.9, method_config=quick, **settings))
    with Store(tmp_path / "r.sqlite") as store:
        store.add(*made)
        found = [p for p in pairs(store.records()) if p.mean is not None]
        console = Console(width=120, record=True, file=open("/dev/null", "w"))
        show_pairs(console, store.records())
    # PFL stands in table 1 and in five columns of the sample-size table; LCGLN with K = 32 in two places.
    assert len(found) == 6 + 2
    assert all(p.mean == pytest.approx(0.2) and p.seeds == 3 for p in found)
    text = console.export_text()
    assert "8 of 154 published cells" in text
    assert "disagree: lancer on portfolio is 0.246 ± 0.008 (table1) and 0.228 ± 0.006" in text
    assert "Quandl" in text
