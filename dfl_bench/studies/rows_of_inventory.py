"""What the number of rows does on inventory: the paper does not state it.

Run as ``python -m dfl_bench.studies.rows_of_inventory``; it takes five minutes. Regrets are those of the test
rows of seeds from 1000 on, which no score uses.
"""

import argparse
from collections.abc import Iterator
from dataclasses import fields

from .. import methods
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.seeding import FIRST_TUNING_SEED
from ..contracts.threads import one_thread
from ..experiment.protocols import configure
from ..problems import make_problem
from ..results.statistics import mean_sem
from ..run.evaluate import evaluate_batch
from ..show.format import score

ROWS = (400, 1000, 2000)
METHODS = ("floor", "constant", "pfl", "lancer", "dfl", "lcgln")
# There are searches for 400 rows alone; with the rate of another size rows would not be all that changes.
SAMPLED = {"samples": 32, "sampling_rate": 0.1}


def configured(name: str, problem: Problem) -> Method:
    """Return a method with the settings of protocol `paper`, and one sampling rate for all sizes.

    Args:
        name: of the method.
        problem: what it is for.
    """
    cls = methods.get(name)
    known = {field.name for field in fields(cls.Config)}
    settings = {key: value for key, value in SAMPLED.items() if key in known}
    return cls(configure(cls, problem, "paper", settings))


def scores(name: str, seeds: int) -> Iterator[str]:
    """Yield a method's normalized regret for each number of rows, mean ± SEM over the seeds.

    Args:
        name: of the method.
        seeds: how many, from the first tuning seed on.
    """
    for n_rows in ROWS:
        problem = make_problem("inventory", n_rows=n_rows)
        tuning_seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + seeds)
        results = evaluate_batch(configured(name, problem), problem, tuning_seeds)
        yield score(*mean_sem([r.normalized_regret for r in results]))  # type: ignore[union-attr]


def main() -> None:
    """Print the table of docs/problems.md."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--method", nargs="+", default=METHODS)
    given = parser.parse_args()
    print("| | " + " | ".join(f"{n:,} rows" for n in ROWS) + " |")
    print("|---|" + "---|" * len(ROWS))
    with one_thread():
        for name in given.method:
            print(f"| {name} | {' | '.join(scores(name, given.seeds))} |", flush=True)


if __name__ == "__main__":
    main()
