"""What each part of `lcgln-plus` brings: the table of docs/methods.md, from the suite `ablation`.

`python -m tools.parts` writes it.
"""

from collections.abc import Sequence
from pathlib import Path

from dfl_bench.results.runs import Run, runs_of
from dfl_bench.results.statistics import mean_sem, sign_flip_test
from dfl_bench.show.marked import write_between_marks
from dfl_bench.store.record import Record
from dfl_bench.store.store import Store

ROOT = Path(__file__).parents[1]
STORE, DOCUMENT, MARK = ROOT / "results" / "ablation.sqlite", ROOT / "docs" / "methods.md", "parts"
WHOLE = "lcgln-plus"
LEVEL = 0.05
NOTE = (
    "First line: normalized regret, mean ± SEM over ten seeds. Others: the mean paired difference to it, "
    "× 1000, above 0 is worse. *: a paired sign-flip test finds a difference, each by itself; of twenty "
    "without any, one has it by chance."
)


def table(records: Sequence[Record]) -> str:
    """Return the table as Markdown.

    Args:
        records: of the suite `ablation`.
    """
    runs = runs_of(records, "ablation")
    problems = list(dict.fromkeys(run.cell.problem for run in runs))
    by_place = {(_name(run), run.cell.problem): _scores(run) for run in runs}
    names = [WHOLE, *(name for name in dict.fromkeys(map(_name, runs)) if name != WHOLE)]
    lines = [["", *problems], ["---", *["--:"] * len(problems)]]
    for name in names:
        lines.append([f"`{name}`", *(_cell(by_place, name, problem) for problem in problems)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{NOTE}\n"


def main() -> None:
    """Write the table into the document."""
    with Store(STORE, readonly=True) as store:
        write_between_marks(DOCUMENT, MARK, table(store.records()))


def _name(run: Run) -> str:
    changes = ", ".join(f"{name}={run.cell.method_config[name]}" for name in run.cell.method_changes)
    return changes or run.cell.method


def _scores(run: Run) -> dict[int, float]:
    return {seed: record.normalized_regret or 0.0 for seed, record in sorted(run.records.items())}


def _cell(by_place: dict[tuple[str, str], dict[int, float]], name: str, problem: str) -> str:
    ours, whole = by_place.get((name, problem)), by_place[WHOLE, problem]
    if ours is None:
        return ""
    if len(ours) < len(whole) or len(whole) < 2:
        return "not run"
    if name == WHOLE:
        return "{:.3f} ± {:.3f}".format(*mean_sem(list(whole.values())))
    gaps = [1000.0 * (ours[seed] - whole[seed]) for seed in whole]
    if not any(gaps):
        return "0"
    mean, sem = mean_sem(gaps)
    found = "*" if sign_flip_test(gaps) <= LEVEL else ""
    return f"{mean:+.1f} ± {sem:.1f}{found}".replace("-", "−")


if __name__ == "__main__":
    main()
