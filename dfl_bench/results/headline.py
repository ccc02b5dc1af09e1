"""One sentence that says what a matrix shows, no more than its statistics allow."""

from .choice import BASELINE
from .matrix import Line, Matrix
from .statistics import MIN_SEEDS

MOST_NAMES = 3  # that a sentence lists


def headline(matrix: Matrix) -> str:
    """Return the sentence: the best method, how sure that is, and where prediction alone stands."""
    scored = [line for line in matrix.lines if line.rank]
    if not scored:
        return "No method has a score yet."
    if len(matrix.boards) == 1:
        return _on_one_problem(matrix, scored)
    best, *others = scored
    compared = f"{_count(len(scored), 'method')} on {places(matrix)}"
    sentence = f"Of {compared}, {best.label} has the best mean rank, {_standing(best)}"
    same = [line.label for line in others if _mean(line) == _mean(best)]
    if same:
        sentence += f" ({_listed(same, 'and')} {'has' if len(same) == 1 else 'have'} the same rank)"
    baseline = next((line for line in others if line.label == BASELINE), None)
    if baseline is not None:
        sentence += f"; {baseline.label}, prediction alone, has {_standing(baseline)}"
    if not matrix.ranked:
        sentence += f", but with fewer than {MIN_SEEDS} seeds no difference can be tested"
    return f"{sentence}."


def _on_one_problem(matrix: Matrix, scored: list[Line]) -> str:
    board, best = matrix.boards[0], scored[0]
    row = best.cells[0]
    assert row is not None and row.mean is not None
    where = f"{board.problem} {board.settings}".strip()
    found = f"On {where}, {best.label} has the lowest normalized regret, {row.mean:.3f}"
    if not board.ranked:
        reason = "one method alone" if len(scored) == 1 else f"fewer than {MIN_SEEDS} seeds"
        return f"{found}; with {reason} no difference can be tested."
    racing = [line for line in scored if line.ranked]
    together = [line.label for line in racing if line.first and line is not best]
    if not together:
        others = f"other {len(racing) - 1} are" if len(racing) > 2 else "other one is"
        return f"{found}; the {others} worse by a paired test."
    return f"{found}; of {_count(len(racing), 'method')} no paired test finds {_listed(together)} worse."


def _mean(line: Line) -> float:
    return round(line.rank.mean, 9) if line.rank else 0.0


def _standing(line: Line) -> str:
    """The numbers of a line: "2.4 (95 % interval 1.2 to 5.1), in the first group on 4 of 5"."""
    assert line.rank is not None
    text = f"{line.rank.mean:.1f}"
    if line.rank.interval:
        low, high = line.rank.interval
        text += f" (95 % interval {low:.1f} to {high:.1f})"
    return f"{text}, in the first group on {line.first} of {line.ranked}" if line.ranked else text


def places(matrix: Matrix) -> str:
    """Return what a matrix is about: "5 problems", or "20 settings of shortest-path"."""
    problems = {board.problem for board in matrix.boards}
    if len(problems) == len(matrix.boards):
        return _count(len(problems), "problem")
    named = next(iter(problems)) if len(problems) == 1 else _count(len(problems), "problem")
    return f"{len(matrix.boards)} settings of {named}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' if n != 1 else ''}"


def _listed(names: list[str], word: str = "or") -> str:
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[:MOST_NAMES])} {word} {len(names) - MOST_NAMES} more"
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
