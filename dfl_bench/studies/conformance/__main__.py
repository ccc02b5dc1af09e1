"""Writes docs/conformance.md, or another file: every comparison with its errors."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import torch

from .check import Check, checks, families

HEAD = """\
# Is every loss what it claims to be?

Made by `python -m dfl_bench.studies.conformance docs/conformance.md`; `tests/methods/test_conformance.py`
makes the same comparisons. An error is the largest difference, relative to the largest entry of the reference
(or to one). "–" means that it was not compared.

Two things stand elsewhere. The derivative of `intopt` is that of damped conditions and not of its value:
`tests/kernels/test_polytope_barrier.py` compares it with the published formula, and without damping with how
the stopped point moves. That a step stays on its device is shown on fake tensors, in `tests/methods`.
"""


def main() -> None:
    """Compare, write the page, and fail if something does not hold."""
    parser = argparse.ArgumentParser(description="Compare every loss with references outside it.")
    parser.add_argument("file", type=Path, help="the page to write")
    file = parser.parse_args().file
    torch.set_num_threads(1)
    found = {family: list(checks(family)) for family in families()}
    file.write_text(page(found), encoding="utf-8")
    failed = [check for made in found.values() for check in made if not check.absent and not check.passed]
    for check in failed:
        print(f"does not hold: {check}")
    sys.exit(1 if failed else 0)


def page(found: dict[str, list[Check]]) -> str:
    """Return the page of all families."""
    made = [check for checks_of in found.values() for check in checks_of]
    compared = [check for check in made if not check.absent]
    held = sum(check.passed for check in compared)
    absent = sorted({check.absent for check in made if check.absent})
    counts = f"\n{held} of {len(compared)} comparisons hold, of {len({c.method for c in made})} methods."
    missing = f" Not installed here, and so not compared: {', '.join(absent)}." if absent else ""
    return "\n".join([HEAD + counts + missing + "\n", *(_section(*family) for family in found.items())])


def _section(family: str, made: Iterable[Check]) -> str:
    lines = [f"## {family.replace('_', ' ')}", ""]
    lines += ["| method | case | against | value | gradient | tolerance | |", "|---|---|---|---|---|---|---|"]
    for c in made:
        verdict = f"not compared: no {c.absent}" if c.absent else "holds" if c.passed else "**does not hold**"
        errors = (_number(c.value_error), _number(c.gradient_error), _number(c.tolerance))
        lines.append(f"| `{c.method}` | {c.case} | {c.against} | {' | '.join(errors)} | {verdict} |")
    return "\n".join([*lines, ""])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1e}"


if __name__ == "__main__":
    main()
