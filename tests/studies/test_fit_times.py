"""The study of what a fit costs."""

import sys

from dfl_bench.studies import fit_times


def test_the_dearest_method_comes_first(monkeypatch, capsys):
    settings = ["--problem-set", "n_train=20", "--problem-set", "n_val=20", "--problem-set", "n_test=20"]
    names = ["--method", "constant", "--method", "spo-plus"]
    monkeypatch.setattr(sys, "argv", ["fit_times", *settings, *names])
    fit_times.main()
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines()[2:]]
    assert rows == ["spo-plus", "constant"]
