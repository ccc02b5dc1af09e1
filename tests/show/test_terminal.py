import io

import pytest
from rich.console import Console

from dfl_bench.results.boards import boards
from dfl_bench.show.terminal import NAME_WIDTH, fitting_columns, show_boards
from tests.support.made import record

LONG = "a-method-with-a-rather-long-name-again"  # 38 characters, and two for the mark behind it


def shown(width):
    text = io.StringIO()
    made = [record(method, seed, score=s) for method, s in ((LONG, 0.1), ("pfl", 0.2)) for seed in range(3)]
    show_boards(Console(file=text, width=width), boards(made))
    return text.getvalue()


@pytest.mark.parametrize(
    ("width", "has", "lacks"),
    [
        (120, ("label", "surr.", "train", "infer", "solves"), ("total", "left out")),
        (84, ("total", "solves", "left out, the terminal is narrow: label"), ("surr.", "infer")),
        (80, ("regret", "group", "solves"), ("total", "train")),
        (70, ("regret", "group"), ("total", "solves")),
    ],
)
def test_timings_go_first_when_the_terminal_is_narrow(width, has, lacks):
    text = shown(width)
    head = next(line for line in text.splitlines() if "method" in line and "regret" in line)
    assert LONG in text, text  # in one line
    for part in has:
        assert part in (text if part.startswith("left") else head), text
    for part in lacks:
        assert part not in (text if part.startswith("left") else head), text
    assert max(map(len, text.splitlines())) <= width


def test_forty_characters_with_the_mark_stay_in_a_line_and_more_are_wrapped():
    made = [record(name, seed, score=0.1) for name in ("x" * 38, "y" * 39) for seed in range(3)]
    text = io.StringIO()
    show_boards(Console(file=text, width=80), boards(made))
    assert f" {'x' * 38} * " in text.getvalue() and NAME_WIDTH == 40
    assert f" {'y' * 39} " in text.getvalue() and f"{'y' * 39} *" not in text.getvalue()


def test_wide_terminals_have_every_column():
    (board,) = boards([record("m", seed) for seed in range(3)])
    assert [c.name for c in fitting_columns(board, 200)][:2] == ["method", "regret"]
    assert "total" not in [c.name for c in fitting_columns(board, 200)]
