import pytest

from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.choice import CHOSEN
from dfl_bench.results.gain import gain_of
from dfl_bench.results.map import panels
from tests.support.maps import SUITE, made_map


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "small-map.toml"
    path.write_text(SUITE)
    return str(path)


@pytest.fixture(scope="module")
def records(suite):
    return list(made_map(suite))


def test_a_panel_holds_the_settings_on_the_same_axes(suite, records):
    grid, line = panels(records, suite=suite)
    assert grid.title == "shortest-path: degree × rows"
    assert grid.axes == {"degree": (1, 8), "rows": (50, 200, 1000)}  # from two entries of the suite
    assert len(grid.settings) == 6 and len(grid.run) == 5
    assert grid.methods == (CHOSEN, "spo-plus", "lancer", "pfl-forest")
    assert line.axes == {"fake_targets": (0, 500)} and not line.run
    assert grid.at(degree=8, rows=200).changed == {"degree": 8, "n_train": 200, "n_val": 50}
    assert grid.at(degree=8, rows=7) is None


def test_what_was_made_is_found(suite, records):
    grid, _ = panels(records, suite=suite)
    there = grid.at(degree=8, rows=200)
    assert there.has_floor and grid.has_floor
    assert gain_of([there], "spo-plus").value == pytest.approx(0.5, abs=0.1)
    assert gain_of([there], "lancer").value == pytest.approx(-1.0, abs=0.1)
    assert {"spo-plus", "lancer", CHOSEN} <= there.found
    assert {r.cell.method for r in there.records[CHOSEN].values()} == {"spo-plus"}
    assert grid.at(degree=1, rows=1000).records == {}


def test_only_the_seeds_of_the_suite_count(suite, records):
    entries = [entry for entry in load_suite(suite) if entry.at == {"degree": 8, "rows": 200}]
    assert entries[0].first_seed == 10
    grid, _ = panels(records, suite=suite)
    assert set(grid.at(degree=8, rows=200).records["pfl"]) == set(range(10, 18))


def test_a_suite_without_axes_is_no_map():
    with pytest.raises(ValueError, match=r"expected entries with axes.* in the suite quick"):
        panels([], suite="quick")
