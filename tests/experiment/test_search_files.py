import json

import pytest

from dfl_bench import methods
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.protocols import PACKAGED, configure, read_search
from dfl_bench.problems import make_problem

GOOD = {"best": {"learning_rate": 0.01}, "value": 0.5, "complete": True, "search": {}, "trials": []}


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
    file = tmp_path / "tuned" / "inventory" / "pfl.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(GOOD))
    config = configure(methods.get("pfl"), make_problem("inventory"), "tuned", {}, searches=tmp_path)
    assert config.learning_rate == 0.01


def test_every_packaged_search_is_whole():
    files = [
        file
        for protocol in PACKAGED.iterdir() if protocol.is_dir()
        for problem in protocol.iterdir() if problem.is_dir()
        for file in problem.iterdir()
    ]  # fmt: skip
    assert files and all(read_search(file)["complete"] in (True, False) for file in files)
