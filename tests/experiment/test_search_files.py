import json
from pathlib import Path

import pytest

from dfl_bench import methods
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.protocols import PACKAGED, configure, place_of, read_search
from dfl_bench.problems import make_problem

VERSIONS = {"method": ["pfl", 1], "problem": ["inventory", 1, {}]}
GOOD = {"best": {"learning_rate": 0.01}, "value": 0.5, "complete": True, "search": VERSIONS, "trials": []}


def write(folder, search, protocol="tuned", place="inventory", method="pfl"):
    file = folder / protocol / place / f"{method}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(search))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (json.dumps(GOOD)[:-20], "it is not JSON"),
        ("", "it is not JSON"),
        ("\udcff", "it is not JSON"),
        ("[1, 2]", "expected fields by name"),
        (json.dumps(GOOD | {"complete": "yes"}), "expected 'complete' as bool, got 'yes'"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "best"}), "expected 'best' as dict, got None"),
        (json.dumps(GOOD | {"trials": None}), "expected 'trials' as list, got None"),
    ],
)
def test_a_damaged_search_file_is_one_error_that_names_it(text, reason, tmp_path):
    file = tmp_path / "tuned" / "inventory" / "pfl.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(DflBenchError, match=rf"{file} is damaged: {reason}.*tune"):
        configure(methods.get("pfl"), make_problem("inventory"), "tuned", {}, searches=tmp_path)


def test_a_good_search_file_is_used(tmp_path):
    write(tmp_path, GOOD)
    config = configure(methods.get("pfl"), make_problem("inventory"), "tuned", {}, searches=tmp_path)
    assert config.learning_rate == 0.01


@pytest.mark.parametrize(
    ("versions", "named"),
    [
        ({"method": ["pfl", 1], "problem": ["budget", 1, {}]}, "budget 1, and this is budget 2"),
        ({"method": ["pfl", 9], "problem": ["budget", 2, {}]}, "pfl 9, and this is pfl 1"),
        ({}, "an unknown version, and this is pfl 1"),
    ],
)
def test_a_search_of_another_version_is_not_used(versions, named, tmp_path):
    """Of budget with all features the package has no search."""
    write(tmp_path, GOOD | {"search": versions}, place="budget/features=all")
    advice = "run `dfl-bench tune --method pfl --problem budget --problem-set features=all --folder searches`"
    with pytest.raises(
        DflBenchError, match=rf"for pfl on budget/features=all \(there is one of {named}\); {advice}"
    ):
        configure(methods.get("pfl"), make_problem("budget", features="all"), "tuned", {}, searches=tmp_path)


def test_without_a_search_of_its_version_protocol_paper_has_the_methods_own_settings(tmp_path):
    """Of budget with 7 fake targets the package has no search."""
    method, problem = methods.get("egl-wmse"), make_problem("budget", fake_targets=7)
    own = method.Config(**method.paper.get("budget", {}))
    older = GOOD | {"best": {"sampling_rate": 0.77}}
    for version, expected in ((1, own.sampling_rate), (problem.version, 0.77)):
        versions = {"method": ["egl-wmse", method.version], "problem": ["budget", version, {}]}
        write(tmp_path, older | {"search": versions}, "paper", place_of(problem), "egl-wmse")
        assert configure(method, problem, "paper", {}, searches=tmp_path).sampling_rate == expected


def test_what_is_searched_apart_is_never_shared(tmp_path):
    """A search of the default data does not serve other data; one of other data serves all their sweeps."""
    pfl, versions = methods.get("pfl"), {"method": ["pfl", 1], "problem": ["budget", 2, {}]}
    write(tmp_path, GOOD | {"search": versions}, place="budget")
    other = make_problem("budget", features="all", fake_targets=5)
    with pytest.raises(DflBenchError, match="--problem budget --problem-set features=all --folder"):
        configure(pfl, other, "tuned", {}, searches=tmp_path)
    write(tmp_path, GOOD | {"best": {"learning_rate": 0.5}, "search": versions}, place="budget/features=all")
    assert configure(pfl, other, "tuned", {}, searches=tmp_path).learning_rate == 0.5
    assert place_of(other) == "budget/features=all/fake_targets=5"
    assert place_of(make_problem("budget", data="/a/b.pkl")) == "budget/data=_a_b.pkl"


def test_the_sampling_rate_of_protocol_paper_is_chosen_for_each_sweep_value(tmp_path):
    """A search of `tuned` serves all sweep values, one of `paper` its own."""
    method = methods.get("lcgln")
    versions = {
        "method": ["lcgln", method.version],
        "problem": ["budget", make_problem("budget").version, {}],
    }
    for place, rate in (("budget", 0.77), ("budget/fake_targets=5", 0.33)):
        found = GOOD | {"best": {"sampling_rate": rate}, "search": versions}
        for protocol in ("paper", "tuned"):
            write(tmp_path, found, protocol, place, "lcgln")

    def rate(protocol, fakes):
        problem = make_problem("budget", fake_targets=fakes)
        return configure(method, problem, protocol, {}, searches=tmp_path).sampling_rate

    # Of 7 fake targets the package has no search either.
    assert [rate("paper", fakes) for fakes in (500, 5, 7)] == [0.77, 0.33, method.Config().sampling_rate]
    assert [rate("tuned", fakes) for fakes in (500, 5, 7)] == [0.77, 0.33, 0.77]


def test_every_packaged_search_is_whole():
    files = list(Path(str(PACKAGED)).rglob("*.json"))
    assert files and all(read_search(file)["complete"] in (True, False) for file in files)
