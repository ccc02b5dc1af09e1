"""`dfl_bench.advise` on a real problem, and the command by the real command line."""

import sys

import pytest

import dfl_bench
from dfl_bench.cli import main
from tests.support import own

QUICK = {"steps": 20, "samples": 4, "surrogate_steps": 5, "rounds": 1, "fit_steps": 5}
FILE = '''
"""Choose one of three items."""
import numpy as np
import dfl_bench

rng = np.random.default_rng(0)
x = rng.standard_normal((60, 2))
y = 3.0 + x @ rng.standard_normal((2, 3)) + 0.3 * rng.standard_normal((60, 3))


def shop(price: float = 1.0):
    return dfl_bench.problem(
        x, price * y, decide=lambda c: np.eye(3)[c.argmin(-1)], cost=lambda z, c: (z * c).sum(-1),
        linear=True, name="shop",
    )


few = dfl_bench.problem(x[:12], y[:12, 0], decide=np.copy, cost=lambda z, d: abs(z - d), name="few")
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_object_is_advised_on_in_python():
    found = dfl_bench.advise(own.choice(), seeds=2, first_seed=1000, **QUICK)
    assert {line.method for line in found.candidates} == {"spo-plus", "lcgln-plus"}
    assert found.seeds == 2 and found.baseline.scored == 2 and 0.2 <= found.shared < 0.6
    assert found.best.gain.pairs == 2 and found.baseline.seconds > 0 and found.baseline.solves > 0
    here = [
        dfl_bench.evaluate("pfl", own.choice(), seed=s, steps=20).normalized_regret for s in range(1000, 1002)
    ]
    assert found.baseline.mean == pytest.approx(sum(here) / 2)
    assert "Recommendation: " in str(found) and "Next: dfl_bench." in str(found)


def test_several_dates_are_advised_on_together():
    dates = [own.newsvendor(split=(range(10), range(10, 12), range(e, e + 6))) for e in (12, 18, 24)]
    found = dfl_bench.advise(dates, **QUICK)
    assert (found.pairs, found.seeds, found.fits, found.best.gain.pairs) == ("problems", 1, 3, 3)
    one = [dfl_bench.evaluate("constant", date, seed=0).normalized_regret for date in dates]
    assert found.constant == pytest.approx(sum(one) / 3)


@pytest.mark.slow
def test_the_command_keeps_and_goes_on(folder, monkeypatch, capsys):
    settings = [word for name, value in QUICK.items() for word in ("--set", f"{name}={value}")]
    command = ["--problem", "mine.py:shop", "--problem-set", "price=2.0", "--seeds", "2", *settings]
    monkeypatch.setattr(sys, "argv", ["dfl-bench", "advise", *command, "--store", "a.sqlite"])
    monkeypatch.setenv("COLUMNS", "200")
    said = []
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        said.append(capsys.readouterr())
    assert "0 have a result, 8 to run" in said[0].err and "8 have a result, 0 to run" in said[1].err
    assert said[0].out == said[1].out
    assert "--problem-file mine.py:shop --problem-set price=2.0 --set steps=20" in said[0].out
    frame = dfl_bench.load_results("a.sqlite")
    assert set(frame.method) == {"pfl", "spo-plus", "lcgln-plus", "constant"} and set(frame.seed) == {0, 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected --problem NAME, --problem FILE.py:NAME or --problem-file FILE.py:NAME, one of them"),
        (["--problem", "inventory", "--problem-file", "mine.py:shop"], "one of them"),
        (["--problem", "inventroy"], "no problem named 'inventroy'. Did you mean 'inventory'?"),
        (["--problem", "none.py:shop"], "no plugin file none.py"),
        (["--problem", "mine.py:shpo"], "mine.py has no 'shpo'. Did you mean 'shop'?"),
        (
            ["--problem", "mine.py:few"],
            "at least 10 training rows and 5 test rows for advice, got 7 and 2 of few",
        ),
        (["--problem", "mine.py:shop", "--seeds", "1"], "expected at least 2 seeds, got 1"),
        (["--problem", "mine.py:shop", "--method", "lcgn"], "Did you mean 'lcgln'?"),
        (["--problem", "mine.py:shop", "--set", "stepz=3"], "Did you mean 'steps'?"),
        (["--problem", "mine.py:shop", "--set", "seeds=3"], "--set seeds: no method has such a setting"),
        (["--problem", "mine.py:shop", "--problem-set", "prize=1"], "Did you mean 'price'?"),
    ],
)
def test_bad_options_are_told_at_once(arguments, message, folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dfl-bench", "advise", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in folder.iterdir()] == ["mine.py"]
