"""The commands that show a results file: the matrix, LaTeX, formats of figures."""

import pytest
from typer.testing import CliRunner

from dfl_bench.cli import app
from tests.results.test_matrix import many
from tests.support.made import write


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    records = [r for p in ("p", "q") for m, s in (("a", 0.1), ("b", 0.2)) for r in many(m, s, p)]
    return write(tmp_path_factory.mktemp("show") / "s.sqlite", *records)


def says(*arguments, code=0):
    done = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "100"})
    assert done.exit_code == code, done.output
    return done.output


def test_the_matrix_in_the_terminal_and_as_csv(store, tmp_path):
    text = says("leaderboard", "--store", store, "--matrix", "--csv", tmp_path / "m.csv")
    assert "Of 2 methods on 2 problems, a has the best mean rank" in text and "1: p" in text
    lines = (tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("method,settings,family,mean rank") and len(lines) == 3


def test_latex_to_the_terminal_and_to_a_file(store, tmp_path):
    assert says("latex", "--store", store).count(r"\begin{tabular}") == 2
    assert says("latex", "--store", store, "--problem", "p").count(r"\begin{tabular}") == 1
    said = says("latex", "--store", store, "--matrix", "--out", tmp_path / "m.tex")
    assert "m.tex" in said and (tmp_path / "m.tex").read_text(encoding="utf-8").count(r"\toprule") == 1


def test_figures_in_a_format_of_choice(store, tmp_path):
    says("leaderboard", "--store", store, "--figures", tmp_path / "f", "--format", "svg")
    assert {path.suffix for path in (tmp_path / "f").iterdir()} == {".svg"}
    assert "'png'" in says("leaderboard", "--store", store, "--format", "tif", code=2)
