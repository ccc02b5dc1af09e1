from rich.console import Console

from dfl_bench.results.boards import boards
from dfl_bench.results.matrix import matrices
from dfl_bench.show.matrix_terminal import show_matrices
from dfl_bench.show.matrix_text import written
from tests.results.test_matrix import many
from tests.support.made import record


def shown(made, width=80, **options):
    console = Console(width=width, record=True, file=open("/dev/null", "w"), **options)
    show_matrices(console, made)
    return console.export_text(styles=bool(options))


def test_it_fits_and_every_column_is_there():
    problems = [f"problem-{i}" for i in range(10)]
    names = ("a", "a-method-with-a-rather-long-name")
    made = matrices(boards([r for p in problems for m in names for r in many(m, 0.1 + len(m) / 100, p)]))
    text = shown(made)
    assert max(map(len, text.splitlines())) <= 80
    for i, problem in enumerate(problems, 1):
        assert f"{i}: {problem}" in text
    (line, _) = made[0].lines
    first = [row for row in text.splitlines() if row.startswith(" a ")]
    cells = [cell.text for cell in written(line)]
    assert [word for row in first for word in row.split()[1:]] == cells[1:]


def test_the_first_group_is_bold_and_too_few_seeds_make_nothing_bold():
    enough = matrices(boards([*many("a", 0.1), *many("b", 0.2)]))
    assert "\x1b[1m0.1" in shown(enough, force_terminal=True, color_system="standard")
    few = matrices(boards([*many("a", 0.1, seeds=3), *many("b", 0.2, seeds=3)]))
    text = shown(few, force_terminal=True, color_system="standard")
    assert "\x1b[1m0.1" not in text and "too few seeds" in text


def test_names_are_not_markup():
    (made,) = [matrices(boards([record("[red]x[/red]", 0)]))]
    assert "[red]x[/red]" in shown(made)
