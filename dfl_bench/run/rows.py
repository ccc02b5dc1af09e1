"""Whether the rows of a seed can carry a score: the same each time, and no test row among the others."""

from collections.abc import Mapping

import numpy as np

from ..contracts.fingerprint import array_digest
from ..contracts.problem import Problem
from ..contracts.split import Split, Splits
from ..errors import DataError


def digests(splits: Splits) -> dict[str, str]:
    """Return the digest of the arrays of each part."""
    return {part: array_digest(*split.arrays()) for part, split in splits._asdict().items()}


def make_again(problem: Problem, seed: int, before: Mapping[str, str]) -> Splits:
    """Return the rows of a seed, made a second time; rows a score cannot stand on are an error.

    Args:
        problem: where the rows come from.
        seed: which rows.
        before: the digests of the rows that were made first.
    """
    splits = problem.data(seed)
    after = digests(splits)
    differ = [part for part in after if after[part] != before[part]]
    if differ:
        raise DataError(
            f"two calls of {problem.name}.data({seed}) gave different {', '.join(differ)} rows; expected the "
            "same rows for one seed: draw them from a generator made of the seed (`rng_for`), and let no "
            "one change them in place."
        )
    _require_apart(problem, splits)
    return splits


def _require_apart(problem: Problem, splits: Splits) -> None:
    """Raise where a test row, x and y alike, is among the rows a method has seen.

    Outcomes without anything to decide, such as zeros alone, can be alike by chance; they add nothing to a
    score, so they may.
    """
    test = _rows(splits.test)
    for part in ("train", "val"):
        seen = set(_rows(getattr(splits, part)))
        same = [i for i, row in enumerate(test) if row in seen]
        if same and problem.worst_is_costliest:
            decides = problem.worst_regret(splits.test.y, splits.test.context) != 0.0
            same = [i for i in same if decides[i]]
        if same:
            raise DataError(
                f"{len(same)} of {len(test)} test rows of {problem.name} are {part} rows, too (first: test "
                f"row {same[0]}); expected no row in two parts: split the rows without overlap."
            )


def _rows(split: Split) -> list[tuple[bytes, bytes]]:
    x, y = np.asarray(split.x), np.asarray(split.y)
    if len(x) != len(y) or not len(y):
        raise DataError(f"expected one x for each y and at least one row, got {len(x)} x and {len(y)} y.")
    return [(a.tobytes(), b.tobytes()) for a, b in zip(x, y, strict=True)]
