import pytest

from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.ladder import ladders
from dfl_bench.show.ladder import markdown
from tests.support.papers import records_of

SUITE = """
[defaults]
problem = "inventory"
methods = ["pfl", "lcgln"]
seeds = 6

[[entry]]
step = "published"
method_settings = { patience = 100 }

[[entry]]
step = "patient"

[[entry]]
step = "one more sample"
samples = [33]
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "steps.toml"
    path.write_text(SUITE)
    return str(path)


def made(suite):
    first, second, third = load_suite(suite)
    yield from records_of(first, {"pfl": (0.3,) * 6, "lcgln": (0.5, 0.4, 0.5, 0.4, 0.5, 0.4)})
    yield from records_of(second, {"pfl": (0.2,) * 6, "lcgln": (0.4, 0.5) * 3})
    yield from records_of(third, {"lcgln": (0.1,)})


def test_each_step_is_compared_with_the_one_before_on_the_same_seeds(suite):
    (ladder,) = ladders(made(suite), suite=suite)
    assert (ladder.problem, ladder.steps) == ("inventory", ("published", "patient", "one more sample"))
    first, second, third = ladder.rungs["pfl"]
    assert (first.mean, first.change) == (pytest.approx(0.3), None)
    assert second.change == pytest.approx(-0.1) and second.p_value == pytest.approx(2 / 2**6)
    assert third.change == 0.0 and third.p_value is None  # the step does not concern it: the same cells
    first, second, third = ladder.rungs["lcgln"]
    assert second.change == pytest.approx(0.0, abs=1e-12) and second.p_value == pytest.approx(1.0)
    assert third.change == pytest.approx(-0.3) and third.p_value is None and third.sem is None  # one seed


def test_the_table_marks_what_a_test_finds_and_what_is_missing(suite):
    text = markdown(ladders(made(suite), suite=suite))
    assert "| inventory, step | pfl | lcgln |" in text
    assert "| patient | 0.200 ± 0.000 (−0.100*) |" in text
    assert "| one more sample | 0.200 ± 0.000 | 0.100 (−0.300) |" in text
    assert "not run" in markdown(ladders([], suite=suite))
