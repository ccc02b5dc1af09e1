"""Ask whether decision-focused training pays on a problem: run a few methods, then judge what came of it.

It stands beside the rooms, because no room may both run and judge.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .contracts.problem import Problem
from .results.advice import Advice
from .run.asked import as_problem
from .run.trials import BASELINE, plan_trial, run_here
from .store.cell import Cell
from .store.record import Record


class Answer(Advice):
    """Advice that prints in plain words."""

    def __str__(self) -> str:
        from .show.advice import advice_text  # tables and what they need, for those who print

        return advice_text(self)


def advise(
    problem: str | Problem | Sequence[Problem],
    *,
    seeds: int | None = None,
    first_seed: int = 0,
    methods: Sequence[str] = (),
    predictor: Any = None,
    runner: Callable[[Sequence[Cell]], Sequence[Record]] | None = None,
    **settings: Any,
) -> Answer:
    """Run prediction-focused and decision-focused methods on a problem and say which kind pays.

    It runs `pfl`, `spo-plus` (or `dfl` where the cost is not linear in the outcome and the decision is
    differentiable), `lcgln-plus`, and the lines `constant` and, where it is known, `floor`. Six seeds are the
    fewest for which a paired test that flips signs, as that of boards, can reach p < 0.05.

    Args:
        problem: a registered name, or what `make_problem`, `problem` or `from_cvxpy` return. Or several that
            differ in their rows, as one for each of some dates: each is a pair of the test then.
        seeds: how many. None: 6 for one problem, 1 for each of several.
        first_seed: the seeds are this one and those after it.
        methods: candidates in place of the usual ones, by name or family; `pfl` always runs.
        predictor: as in `evaluate`.
        runner: what runs the cells and returns their records; None: this process, one after the other.
        **settings: of the methods, by name; each takes those it has.
    """
    several = [problem] if isinstance(problem, str | Problem) else problem
    chosen = [as_problem(one, predictor) for one in several]
    trial = plan_trial(chosen, seeds=seeds, first_seed=first_seed, methods=methods, settings=settings)
    records = run_here(chosen, trial.cells) if runner is None else runner(trial.cells)
    return Answer.of(records, baseline=BASELINE, shared=trial.shared, refused=trial.refused)
