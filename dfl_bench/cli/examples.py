"""Examples at the end of every help; a test parses each of them."""

EXAMPLES = {
    "": (
        "dfl-bench list",
        "dfl-bench run --suite quick --store mine.sqlite",
        "dfl-bench leaderboard --store mine.sqlite --html mine.html",
    ),
    "list": ("dfl-bench list", "dfl-bench list lcgln", "dfl-bench list inventory"),
    "run": (
        "dfl-bench run --suite quick --store mine.sqlite",
        "dfl-bench run --problem inventory --method pfl --method lcgln --samples 32 --seeds 10",
        "dfl-bench run --problem knapsack --method prediction --method spo-plus --problem-set degree=6",
        "dfl-bench run --plugin my_method.py --method my-method --problem inventory",
        "dfl-bench run --problem-file mine.py:problem --method pfl --method lcgln --seeds 6",
        "dfl-bench run --suite paper --dry-run",
    ),
    "advise": (
        "dfl-bench advise --problem mine.py:problem",
        "dfl-bench advise --problem mine.py:problem --seeds 12 --store mine.sqlite",
        "dfl-bench advise --problem shortest-path --problem-set degree=8",
        "dfl-bench advise --problem-file mine.py:problem --method pfy --method egl-wmse --set steps=500",
    ),
    "leaderboard": (
        "dfl-bench leaderboard --store mine.sqlite",
        "dfl-bench leaderboard --store mine.sqlite --matrix",
        "dfl-bench leaderboard --store mine.sqlite --figures figures --format pdf",
        "dfl-bench leaderboard --store mine.sqlite --problem inventory --html mine.html",
    ),
    "paper": (
        "dfl-bench paper --store results/paper.sqlite",
        "dfl-bench paper --store results/paper.sqlite --problem inventory",
        "dfl-bench paper --store results/spo.sqlite --of spo",
    ),
    "ladder": ("dfl-bench ladder --store results/ladder.sqlite",),
    "map": (
        "dfl-bench map --store results/map.sqlite",
        "dfl-bench map --store results/map.sqlite --figures heat-maps --format svg",
        "dfl-bench map --store tuned.sqlite --suite map-tuned",
    ),
    "claims": ("dfl-bench claims --store results/map.sqlite --held-back results/map-check.sqlite",),
    "compare": ("dfl-bench compare pfl lcgln --store mine.sqlite --problem inventory",),
    "report": ("dfl-bench report --store mine.sqlite --folder mine",),
    "latex": (
        "dfl-bench latex --store mine.sqlite --problem inventory",
        "dfl-bench latex --store mine.sqlite --matrix --out matrix.tex",
    ),
    "verify": (
        "dfl-bench verify theirs.sqlite --cells 5",
        "dfl-bench verify theirs.sqlite --plugin my_method.py",
        "dfl-bench verify theirs.zip --trust",
    ),
    "rerun": ("dfl-bench rerun 3f2a --store mine.sqlite",),
    "tune": (
        "dfl-bench tune --problem inventory --method pfl --folder searches",
        "dfl-bench run --problem inventory --method pfl --protocol tuned --searches searches",
    ),
    "new": (
        "dfl-bench new method my-method",
        "dfl-bench new method my-loss --torch",
        "dfl-bench new problem my-items --linear",
    ),
    "bundle": ("dfl-bench bundle mine.sqlite", "dfl-bench bundle mine.sqlite --plugin my_method.py"),
    "merge": ("dfl-bench merge results.sqlite theirs.sqlite", "dfl-bench merge results.sqlite theirs.zip"),
    "export": ("dfl-bench export all.csv --store mine.sqlite",),
    "speed": ("dfl-bench speed --quick",),
    "data list": ("dfl-bench data list",),
    "data fetch": ("dfl-bench data fetch sp500",),
    "store check": ("dfl-bench store check mine.sqlite",),
    "store repair": ("dfl-bench store repair mine.sqlite --into whole.sqlite",),
}


def examples_of(command: str) -> str | None:
    """Return the last paragraph of a command's help; "" is the whole command line."""
    lines = "".join(f"\n  {line}" for line in EXAMPLES.get(command, ()))
    return f"\b\nExamples:{lines}" if lines else None  # the first sign keeps the lines as they are
