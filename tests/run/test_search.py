import json
from dataclasses import dataclass, make_dataclass
from pathlib import Path

import pytest

from dfl_bench import methods
from dfl_bench.contracts.method import Method
from dfl_bench.contracts.search_space import Choice, Range
from dfl_bench.contracts.seeding import FIRST_TUNING_SEED
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.protocols import PACKAGED, PAPER, TUNED, configure
from dfl_bench.experiment.selection import parse_settings
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.run.search import Search, tune
from kernels.errors import SolverError
from tests.support.small import small_problem


@dataclass(frozen=True)
class ShrinkConfig:
    shrink: float = 0.01
    side: tuple[int, ...] = (1,)


class Shrink(Method):
    """A constant between the training frequencies and the uniform distribution."""

    name, version = "shrink", 1
    Config = ShrinkConfig
    search = {"shrink": Range(1e-3, 1.0), "side": Choice(((1,), (1, 2)))}
    seen: list[int] = []

    def fit(self, task, rng):
        self.seen.append(task.seed)
        p = (1 - self.config.shrink) * task.train.y.mean(0) + self.config.shrink / task.train.y.shape[1]
        return lambda x: p[None].repeat(len(x), 0)


def search(trials=6, **changes):
    given = {"method": Shrink, "problem": small_problem("inventory"), "protocol": TUNED, "seeds": 2}
    return Search(**{**given, **changes}, trials=trials)


def test_the_best_of_all_trials_is_kept_and_the_published_settings_are_among_them(tmp_path):
    record = tune(search(), tmp_path)
    assert len(record["trials"]) == 6
    assert record["value"] == min(trial["value"] for trial in record["trials"])
    assert record["trials"][0]["settings"] == {"shrink": 0.01, "side": [1]}
    assert json.loads((tmp_path / "tuned" / "inventory" / "shrink.json").read_text()) == record


def test_no_scoring_seed_is_seen(tmp_path):
    Shrink.seen.clear()
    tune(search(trials=2), tmp_path)
    assert set(Shrink.seen) == {FIRST_TUNING_SEED, FIRST_TUNING_SEED + 1}


def test_trials_are_scored_on_the_rows_the_problem_names(tmp_path, monkeypatch):
    by_default = tune(search(trials=1), tmp_path)  # inventory is generated anew for every seed
    monkeypatch.setattr(type(make_problem("inventory")), "search_part", "val")
    on_validation = tune(search(trials=1), tmp_path)
    assert (by_default["search"]["part"], on_validation["search"]["part"]) == ("test", "val")
    assert by_default["value"] != on_validation["value"]


def test_a_stopped_search_goes_on_where_it_was(tmp_path):
    first = tune(search(trials=3), tmp_path)
    Shrink.seen.clear()
    second = tune(search(trials=5), tmp_path)
    assert second["trials"][:3] == first["trials"]
    assert len(Shrink.seen) == 2 * 2  # two new trials, two seeds each
    assert tune(search(trials=5), tmp_path) == second


def test_a_new_version_is_searched_anew(tmp_path):
    tune(search(trials=2), tmp_path)

    class Newer(Shrink):
        version = 2

    Shrink.seen.clear()
    tune(search(trials=2, method=Newer), tmp_path)
    assert len(Shrink.seen) == 4


@pytest.mark.parametrize("refusal", [ValueError, ArithmeticError, SolverError])
def test_trials_that_fail_are_counted_and_never_chosen(tmp_path, refusal):
    class Fragile(Shrink):
        def fit(self, task, rng):
            if self.config.side == (1, 2):
                raise refusal("two sides are too many")
            return super().fit(task, rng)

    record = tune(search(trials=8, method=Fragile), tmp_path)
    failed = [trial for trial in record["trials"] if trial["value"] is None]
    assert failed and all("too many" in trial["error"] for trial in failed)
    assert record["best"]["side"] == [1]


def test_protocol_paper_tries_the_published_grid(tmp_path):
    record = tune(search(method=methods.get("egl-wmse"), protocol=PAPER, seeds=1, trials=1), tmp_path)
    rates = [trial["settings"]["sampling_rate"] for trial in record["trials"]]
    assert rates == [0.01, 0.05, 0.1, 0.5, 1.0]


class Sampled(Shrink):
    """A method with a sampling rate, which protocol `paper` searches."""

    Config = make_dataclass("Config", [("sampling_rate", float, 0.1), ("shrink", float, 0.01)], frozen=True)
    search = {"sampling_rate": Range(1e-2, 1.0)}


@pytest.mark.parametrize(("protocol", "seeds"), [(PAPER, 6), (TUNED, 3)])
def test_a_protocol_says_on_how_many_seeds_a_trial_is_scored(protocol, seeds, tmp_path):
    Sampled.seen.clear()
    record = tune(search(method=Sampled, protocol=protocol, seeds=None, trials=1), tmp_path)
    assert record["search"]["seeds"] == seeds
    assert set(Sampled.seen) == set(range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + seeds))


def test_protocol_paper_can_stand_at_a_sweep_value(tmp_path):
    problems = [small_problem("budget", fake_targets=fakes) for fakes in (500, 5, 0)]
    for problem in problems:
        found = tune(search(method=Sampled, protocol=PAPER, seeds=1, problem=problem), tmp_path)
        config = configure(Sampled, problem, "paper", {}, searches=tmp_path)
        assert config.sampling_rate == found["best"]["sampling_rate"]
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json")}
    assert files == {
        f"paper/budget{place}/shrink.json" for place in ("", "/fake_targets=5", "/fake_targets=0")
    }


def test_protocol_paper_is_decided_on_validation_rows(tmp_path):
    """The file says "val": the value has to be that of the validation rows, whatever the problem prefers."""
    wanted = search(method=methods.get("egl-wmse"), protocol=PAPER, seeds=1)
    assert wanted.problem.search_part == "test"
    record = tune(wanted, tmp_path)
    assert record["search"]["part"] == "val"
    first = record["trials"][0]
    config = configure(methods.get("egl-wmse"), wanted.problem, "paper", first["settings"])
    (again,) = evaluate_batch(
        methods.get("egl-wmse")(config), wanted.problem, [FIRST_TUNING_SEED], part="val"
    )
    assert first["value"] == again.normalized_regret


def test_nothing_to_search_is_said(tmp_path):
    with pytest.raises(DflBenchError, match="pfl has nothing to search in protocol paper"):
        tune(search(method=methods.get("pfl"), protocol=PAPER), tmp_path)


def test_settings_that_were_never_searched_are_named():
    with pytest.raises(DflBenchError, match="run `dfl-bench tune --method shrink --problem inventory"):
        configure(Shrink, make_problem("inventory"), "tuned", {})


def test_a_folder_of_searches_is_read_and_comes_before_the_package(tmp_path):
    found = tune(search(trials=4), tmp_path)["best"]
    config = configure(Shrink, make_problem("inventory"), "tuned", {}, searches=tmp_path)
    assert (config.shrink, list(config.side)) == (found["shrink"], found["side"])
    pfl, problem = methods.get("pfl"), make_problem("inventory")
    packaged = configure(pfl, problem, "tuned", {})
    assert configure(pfl, problem, "tuned", {}, searches=tmp_path) == packaged  # the folder has none of pfl
    tune(search(method=pfl, trials=2, seeds=1), tmp_path)
    assert configure(pfl, problem, "tuned", {}, searches=tmp_path) != packaged


def test_half_a_search_configures_nothing(tmp_path):
    path = search().path(tmp_path)
    tune(search(trials=2), tmp_path)
    record = json.loads(path.read_text()) | {"complete": False}
    path.write_text(json.dumps(record))
    with pytest.raises(DflBenchError, match="no complete search"):
        configure(Shrink, make_problem("inventory"), "tuned", {}, searches=tmp_path)


def test_stored_searches_configure_their_methods():
    """Every search in the repository names settings its method still has, and stands where it is looked for.

    One of an earlier version may be kept until it is made again; it is not used.
    """
    stored = list(Path(str(PACKAGED)).rglob("*.json"))
    assert stored
    for path in stored:
        record = json.loads(path.read_text())
        assert record["complete"]
        method = methods.get(path.stem)
        protocol, name, *changed = path.relative_to(str(PACKAGED)).parts[:-1]
        problem = make_problem(name, **parse_settings(changed))
        versions = [record["search"]["method"], record["search"]["problem"][:2]]
        if versions != [[method.name, method.version], [problem.name, problem.version]]:
            continue
        config = configure(method, problem, protocol, {})
        for name, value in record["best"].items():
            kept = getattr(config, name)
            assert (list(kept) if isinstance(kept, tuple) else kept) == value
