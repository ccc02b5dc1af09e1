"""Run many faults and write the table of what survived: ``python -m tests.faults.campaign``."""

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.bad_plugins import control_score, try_plugin
from tests.faults.kills import calm_scores, kill_once
from tests.faults.misbehaviours import misbehaviours

# In a hundred kills; a scheduler takes longest to start.
SHARES = {"driver": 25, "worker": 20, "child": 16, "fit": 16, "grandchild": 15, "scheduler": 8}
GROUPS = {
    "fit": "misbehaves in `fit`",
    "gives": "gives bad predictions",
    "import": "cannot be imported",
    "class": "has a bad class",
}
COMMAND = "ends the command before any cell runs (the next one, without it, is as it should be)"

Row = tuple[str, int, int]  # fault, tried, survived


def run_kills(folder: Path, kills: int, seed: int = 0) -> list[Row]:
    """Kill so many times in all; survived means the same scores to the last bit and no process left."""
    moments, calm = random.Random(seed), calm_scores(folder)
    tried: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    for target, share in SHARES.items():
        while tried[target] < max(1, round(kills * share / 100)):
            result = kill_once(folder, target, calm, moments)
            tried[target] += result.hit
            good = result.same and result.clean
            survived[target] += result.hit and good
            if not good:
                print(f"not survived: {result}", file=sys.stderr)
    return [(f"kill -9 of the {target}", tried[target], survived[target]) for target in SHARES]


def run_plugins(folder: Path, plugins: int) -> list[Row]:
    """Try bad plugins; survived means the expected end, the control's score, and no process left."""
    wanted, tried, survived = control_score(folder), Counter[str](), Counter[str]()
    everything = misbehaviours()
    step = max(1, len(everything) // plugins)
    for bad in everything[::step]:
        kind = COMMAND if bad.becomes == "command" else GROUPS[bad.name.partition("-")[0]]
        outcome = try_plugin(folder, bad)
        good = outcome.control == wanted and outcome.clean and outcome.status == bad.becomes
        tried[kind] += 1
        survived[kind] += good
        if not good:
            print(f"not survived: {outcome}, expected {bad.becomes} and {wanted}", file=sys.stderr)
    return [(f"a plugin {kind}", tried[kind], survived[kind]) for kind in tried]


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    total = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))
    lines = [f"| {fault} | {tried} | {survived} |" for fault, tried, survived in [*rows, total]]
    return "\n".join(["| fault | tried | survived |", "|---|---|---|", *lines])


def main() -> None:
    """Run the campaign; the exit code says whether all faults were survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many kill -9 in all")
    parser.add_argument("--plugins", type=int, default=60, help="how many bad plugins, at least")
    given, begun = parser.parse_args(), time.monotonic()
    with TemporaryDirectory(prefix="dfl-bench-faults-") as folder:
        rows = run_kills(Path(folder), given.kills) if given.kills else []
        rows += run_plugins(Path(folder), given.plugins) if given.plugins else []
    print(table(rows))
    print(f"\n{time.monotonic() - begun:.0f} s")
    sys.exit(any(tried != survived for _, tried, survived in rows))


if __name__ == "__main__":
    main()
