"""LaTeX tables: whole, escaped, and compiled where there is a compiler."""

import re
import shutil
import subprocess

import pytest

from dfl_bench.results.boards import boards
from dfl_bench.results.matrix import matrices
from dfl_bench.show.latex import board_latex, escape, matrix_latex
from tests.results.test_matrix import many
from tests.support.made import failure, record

HOSTILE = r"a_b & 50% {x} \input{y} #1 ~^ $z$ “ŷ” 漢"


@pytest.fixture(scope="module")
def tables():
    few = {"problem_config": {"fake_targets": 5}}
    empty = {"status": "n/a", "regret": None, "worst_regret": None, "error": "needs ŷ ≥ 0 & more"}
    records = [
        *many("a", 0.1, method_config={"samples": 8}),
        *many(HOSTILE, 0.2, reference=False),
        *many("a", 0.1, "q", **few),
        *many("b", 0.2, "q", **few),
        record("c", 0, problem="q", **few, **empty),
        *many("a", 0.1, "q", problem_config={"fake_targets": 7}),
        *many("constant", 0.4, reference=True),
    ]
    made = boards(records, [failure("d", 0)])
    return [*map(board_latex, made), *map(matrix_latex, matrices(made))]


def test_every_row_has_as_many_cells_as_there_are_columns(tables):
    for text in tables:
        columns = len(re.search(r"\\begin{tabular}{([lr]+)}", text)[1])
        body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
        rows = [line for line in body.splitlines() if line.endswith(r"\\") or r"\\ \cmidrule" in line]
        assert len(rows) > 1
        for row in rows:
            spanned = sum(int(n) - 1 for n in re.findall(r"\\multicolumn{(\d+)}", row))
            assert len(re.findall(r"(?<!\\)&", row)) + 1 + spanned == columns, row


def test_the_rules_are_those_of_booktabs_and_all_is_closed(tables):
    for text in tables:
        assert [text.count(rule) for rule in (r"\toprule", r"\bottomrule", r"\hline")] == [1, 1, 0]
        for name in re.findall(r"\\begin{(\w+)}", text):
            assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}")
        plain = re.sub(r"\\[{}]", "", text)
        assert plain.count("{") == plain.count("}")
        assert text.isascii() or text.encode("latin-1")


def test_the_first_group_is_bold_and_the_others_are_not(tables):
    matrix = tables[-1]
    (a,) = [line for line in matrix.splitlines() if line.startswith("a &")]
    (b,) = [line for line in matrix.splitlines() if line.startswith("b &")]
    assert a.count(r"\textbf") == 3 and b.count(r"\textbf") == 0
    assert r"\multicolumn{2}{c}{q}" in matrix and r"fake\_targets=5 & fake\_targets=7" in matrix


def test_text_is_printed_as_it_is():
    assert escape("a_b & 50%") == r"a\_b \& 50\%"
    assert escape("0.1 ± 0.2 – †") == r"0.1 $\pm$ 0.2 -- $^\dagger$"
    assert escape("漢") == "?"
    assert escape(r"\input{x}") == r"\textbackslash{}input\{x\}"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on the path")
def test_it_compiles(tables, tmp_path):
    begin = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "t.tex").write_text(begin + "\n".join(tables) + "\\end{document}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
