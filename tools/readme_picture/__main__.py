"""Draws the pictures of the README again: `python -m tools.readme_picture`.

Without --store, the results are those of the suite `field`, or of the paper's where that has not been run.
"""

import argparse
from pathlib import Path

from dfl_bench.show.marked import write_between_marks

from .knapsack import draw_knapsack
from .overview import caption, draw_overview

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
STORES = (ROOT / "results" / "field.sqlite", ROOT / "results" / "paper.sqlite")


def present_store() -> Path:
    """Return the results that the README shows."""
    return next(store for store in STORES if store.is_file())


def main() -> None:
    """Draw both pictures, and write what the second one shows."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the README again.")
    parser.add_argument("--store", type=Path, default=present_store(), help="a results file")
    store = parser.parse_args().store
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "knapsack.svg").write_text(draw_knapsack(), encoding="utf-8")
    (FOLDER / "overview.svg").write_text(draw_overview(store), encoding="utf-8")
    write_between_marks(ROOT / "README.md", "overview", caption(store))
    print(f"drew {FOLDER}/knapsack.svg, and {FOLDER}/overview.svg from {store}")


if __name__ == "__main__":
    main()
