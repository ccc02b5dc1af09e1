"""The tables of docs/reproduction.md, and the scores behind them."""

from dfl_bench.store.store import Store
from tests.documents.test_documents import ROOT
from tests.documents.test_reproduction import PLACE, TEXT

TABLES = dict(PLACE.findall(TEXT))


def lines(place):
    """The lines of all tables of a place, by their first cell; where two have the same, the later one."""
    rows = [line.strip("| ").split(" | ") for line in TABLES[place].splitlines() if line.startswith("|")]
    return {name: cells for name, *cells in rows}


def mean(cell):
    return float(cell.split()[0].replace("−", "-"))


def table(place, head):
    """One of several tables of a place: from the line that starts with `head` to the next empty line."""
    (found,) = [part for part in TABLES[place].split("\n\n") if part.lstrip("\n").startswith(f"| {head}")]
    rows = [line.strip("| ").split(" | ") for line in found.splitlines() if line.startswith("|")]
    return {name: cells for name, *cells in rows}


def records(store, protocol="paper"):
    with Store(ROOT / "results" / f"{store}.sqlite", readonly=True) as opened:
        return [r for r in opened.records() if r.cell.protocol == protocol]


def scores(made, problem, method, **settings):
    """By seed."""
    wanted = settings.items()
    return {
        r.cell.seed: r.normalized_regret
        for r in made
        if (r.cell.problem, r.cell.method) == (problem, method)
        and wanted <= {**r.cell.problem_config, **r.cell.method_config}.items()
    }
