import dataclasses
import json
import math
import os
import subprocess
import sys

import pytest

from dfl_bench import load_results
from dfl_bench.cli import main
from dfl_bench.cli.new import write_start
from dfl_bench.store.store import Store
from tests.conftest import ROOT, TOY

BASE = ("--plugin", str(TOY), "--problem", "toy")


def call(*arguments, cwd=None, code=0) -> str:
    """Run the command line in a process of its own and return all it says."""
    done = subprocess.run(
        [sys.executable, "-m", "dfl_bench", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_list_names_everything_and_imports_nothing_heavy():
    text = call("list")
    for name in ("inventory", "portfolio-synthetic", "lcgln", "constant", "quick", "paper", "sp500"):
        assert name in text
    code = (
        "import sys; sys.argv = ['dfl-bench', 'list']\n"
        "from dfl_bench.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'numba', 'pandas', 'dask', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip().endswith("[]"), done.stdout[-200:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--problem", "inventroy"], "no problem named 'inventroy'. Did you mean 'inventory'?"),
        (["--problem", "inventory", "--method", "lcgn"], "no method named 'lcgn'. Did you mean 'lcgln'?"),
        (["--suite", "papr"], "no suite named 'papr'. Did you mean 'paper'?"),
        (
            ["--problem", "inventory", "--fake-targets", "5"],
            "--problem-set fake_targets: inventory has no such setting. It is a setting of budget",
        ),
        (["--problem", "inventory", "--method", "pfl", "--samples", "8"], "none of pfl draws samples"),
        (["--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "--jobs is for local runs"),
        (["--set", "steps"], "expected --set name=value"),
        (["--problem", "inventory", "--method", "pfl", "--set", "stepz=3"], "Did you mean 'steps'?"),
        (["--problem", "budget", "--problem-set", "fake_target=5"], "Did you mean 'fake_targets'?"),
        (["--protocol", "papr"], "no protocol named 'papr'. Did you mean 'paper'?"),
        (["--searches", "none"], "no such folder"),
        (["--seeds", "0"], "--seeds"),
        (["--store", "no/such/r.sqlite"], "for r.sqlite; make it or use another --store"),
        (["--plugin", "none.py"], "no plugin file none.py"),
    ],
)
def test_bad_options_are_told_at_once(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["dfl-bench", "run", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--of", "lcglm"], "no paper named 'lcglm'. Did you mean 'lcgln'? Known: cave, lcgln, pyepo, spo."),
        (["--of", "lcgln", "--markdown", "page.md"], "page.md has no place for paper lcgln"),
        (["--markdown", "none.md"], "No such file or directory: 'none.md'"),
    ],
)
def test_a_wrong_paper_or_page_is_told(arguments, message, tmp_path, monkeypatch, capsys):
    (tmp_path / "page.md").write_text("nothing\n")
    monkeypatch.chdir(tmp_path)
    store = str(ROOT / "results" / "websites.sqlite")
    monkeypatch.setattr(sys, "argv", ["dfl-bench", "paper", "--store", store, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and message in " ".join(capsys.readouterr().err.split())


def test_a_missing_gpu_is_told_at_once(tmp_path):
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    text = call("run", "--device", "cuda", cwd=tmp_path, code=2)
    assert "no usable CUDA device" in text and not list(tmp_path.iterdir())


@pytest.mark.slow
def test_run_show_repeat(tmp_path):
    more = ("--method", "toy-noisy", "--method", "toy-constant", "--samples", "4", "--seeds", "3")
    plan = call("run", *BASE, *more, "--dry-run", cwd=tmp_path)
    assert "6 cells to run" in plan and "unknown" in plan and not list(tmp_path.iterdir())
    text = call("run", *BASE, *more, "--jobs", "1", cwd=tmp_path)
    assert "6 new, 0 reused, 0 failed. Results: results.sqlite, in " in text
    assert "normalized regret" in text and "toy-noisy K=4" in text and "synthetic: toy" in text
    assert "0 cells to run" in call("run", *BASE, *more, "--dry-run", cwd=tmp_path)
    assert "0 new, 6 reused" in call("run", *BASE, *more, cwd=tmp_path)
    shown = call(
        "leaderboard", "--html", "page.html", "--figures", "figures", "--csv", "all.csv", cwd=tmp_path
    )
    assert "toy-noisy K=4" in shown and "toy-noisy" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert list((tmp_path / "figures").glob("*.png")) and (tmp_path / "all.csv").is_file()
    assert "too few seeds" in call("compare", "toy-noisy", "toy-constant", cwd=tmp_path)
    key = load_results(tmp_path / "results.sqlite")["key"][1]
    assert "1 of 1 agree" in call("rerun", key[:10], "--plugin", TOY, cwd=tmp_path)
    assert "2 of 2 agree" in call("verify", "results.sqlite", "--cells", "2", "--plugin", TOY, cwd=tmp_path)
    call("export", "out.csv", cwd=tmp_path)
    assert (tmp_path / "out.csv").read_text().count("\n") == 7
    assert "0 new results" in call("merge", "results.sqlite", "results.sqlite", cwd=tmp_path)
    assert "no record" in call("leaderboard", "--problem", "nothing", cwd=tmp_path, code=2)


def test_verify_finds_a_forged_score(tmp_path):
    path = tmp_path / "results.sqlite"
    call("run", *BASE, "--method", "toy-noisy", "--seeds", "1", "--quiet", cwd=tmp_path)
    with Store(path, readonly=True) as store:
        (honest,) = store.records()
    with Store(tmp_path / "forged.sqlite") as store:
        store.add(dataclasses.replace(honest, regret=honest.regret * 0.9))
    text = call("verify", "forged.sqlite", "--plugin", TOY, cwd=tmp_path, code=1)
    assert "differs by" in text and "0 of 1 agree" in text


def test_a_method_that_raises_fails_and_the_rest_goes_on(tmp_path):
    more = ("--method", "toy-raises", "--method", "toy-constant", "--seeds", "1")
    text = call("run", *BASE, *more, cwd=tmp_path, code=1)
    assert "1 new, 0 reused, 1 failed" in text
    assert "RuntimeError: I always raise" in text


def test_a_plugin_with_a_syntax_error_is_told_and_the_rest_goes_on(tmp_path):
    (tmp_path / "broken.py").write_text("def f(:\n")
    more = ("--plugin", "broken.py", "--method", "mine", "--method", "toy-constant", "--seeds", "1")
    text = call("run", *BASE, *more, cwd=tmp_path, code=1)
    assert "plugin broken.py, line 1: SyntaxError" in text
    assert "mine is not registered" in text
    assert "1 new, 0 reused, 0 failed" in text
    text = call("run", *BASE, "--plugin", "broken.py", "--method", "mine", cwd=tmp_path, code=2)
    assert "nothing is left to run without mine" in text


@pytest.mark.parametrize(
    ("kind", "option", "other"),
    [("method", "--method", "--problem inventory"), ("problem", "--problem", "--method constant")],
)
def test_a_starting_file_runs_as_it_is(kind, option, other, tmp_path):
    assert "wrote my_idea.py" in call("new", kind, "my-idea", cwd=tmp_path)
    text = call(
        "run", "--plugin", "my_idea.py", option, "my-idea", *other.split(), "--seeds", "2", cwd=tmp_path
    )
    assert "2 new, 0 reused, 0 failed" in text
    assert len((tmp_path / "my_idea.py").read_text().splitlines()) <= 50
    assert "my_idea.py exists already and is left as it is. Use it with --plugin my_idea.py" in call(
        "new", kind, "my-idea", cwd=tmp_path, code=2
    )


def test_the_starting_method_serves_every_problem_and_the_starting_problem_serves_methods(tmp_path):
    """The shapes of all problems: one regression, whatever the axes of y."""
    import dfl_bench

    dfl_bench.load_plugin(write_start("method", "start-method", tmp_path))
    dfl_bench.load_plugin(write_start("problem", "start-problem", tmp_path))
    for name in ("inventory", "budget", "portfolio-synthetic", "start-problem"):
        settings = {"n_train": 30, "n_val": 10, "n_test": 20} if name != "start-problem" else {}
        result = dfl_bench.evaluate("start-method", dfl_bench.make_problem(name, **settings))
        assert math.isfinite(result.normalized_regret)
    trained = dfl_bench.evaluate(
        "pfl", dfl_bench.make_problem("start-problem"), steps=300, learning_rate=0.01
    )
    constant = dfl_bench.evaluate("constant", dfl_bench.make_problem("start-problem"))
    assert trained.normalized_regret < constant.normalized_regret


def test_names_that_are_no_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="lower-case letters"):
        write_start("method", "../evil", tmp_path)


SEARCHED = """
from dataclasses import dataclass

from dfl_bench import Method, methods
from dfl_bench.contracts.search_space import Range


@dataclass(frozen=True)
class Config:
    level: float = 0.5


class Level(Method):
    Config = Config
    search = {"level": Range(0.1, 1.0)}

    def fit(self, task, rng):
        return lambda x: self.config.level * x[:, :3]


methods.register("level-a", version=1)(type("A", (Level,), {"__doc__": "One."}))
methods.register("level-b", version=1)(type("B", (Level,), {"__doc__": "Another."}))
"""


@pytest.mark.slow
def test_searches_at_once_find_what_they_find_one_by_one(tmp_path):
    plugin = tmp_path / "searched.py"
    plugin.write_text(SEARCHED, encoding="utf-8")
    wanted = ("--method", "level-a", "--method", "level-b", "--trials", 3, "--seeds", 1)
    found = {}
    for jobs in (1, 2):
        folder = tmp_path / str(jobs)
        said = call("tune", *BASE, "--plugin", plugin, *wanted, "--folder", folder, "--jobs", jobs)
        assert said.count(": best ") == 2
        files = {path.name: json.loads(path.read_text()) for path in folder.rglob("*.json")}
        found[jobs] = {name: [t["value"] for t in search["trials"]] for name, search in files.items()}
    assert found[1] == found[2] and found[1].keys() == {"level-a.json", "level-b.json"}
    assert not list(tmp_path.rglob("*.tmp"))
