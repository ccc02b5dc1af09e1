"""One block for each machine; what differs inside it is counted."""

from dfl_bench.show.page.environments import environments
from tests.support.made import FACTS, run_record


def of(n, **changes):
    return [run_record(seed=s, environment={**FACTS, **changes}) for s in range(n)]


def test_cells_of_one_machine_share_a_block():
    (block,) = environments([*of(2, commit="a"), *of(3, commit="b")])
    assert (block.cpu, block.cells) == ("Test CPU", 5)
    assert block.facts["commit"] == [("b", 3), ("a", 2)]
    assert block.facts["python"] == [("3.11.7", 5)] and "cpu" not in block.facts


def test_another_machine_has_another_block_and_the_busiest_comes_first():
    first, second = environments([*of(1), *of(2, cpu="Other CPU"), *of(1, python="3.13.0")])
    assert [(e.cpu, e.cells) for e in (first, second)] == [("Test CPU", 2), ("Other CPU", 2)]
    assert first.facts["python"] == [("3.11.7", 1), ("3.13.0", 1)]


def test_nothing_is_known_of_some_records():
    (block,) = environments([run_record(environment={})])
    assert (block.cpu, dict(block.facts)) == ("unknown processor", {}) and environments([]) == []
