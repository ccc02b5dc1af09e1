"""What docs/reproduction.md computes from the results files is computed again."""

import re
from statistics import fmean

import pytest

from dfl_bench.results.ours import Ours
from dfl_bench.results.papers import load_paper
from dfl_bench.results.published import pairs
from dfl_bench.results.read import read_results
from dfl_bench.results.statistics import sign_flip_test
from dfl_bench.show.format import score
from tests.documents.test_documents import ROOT

TEXT = " ".join((ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8").split())
LINES = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def results():
    return read_results(ROOT / "results" / "paper.sqlite")


def row(results, problem, method, *, protocol="paper", samples=None, fakes=None):
    (found,) = (
        row
        for board in results.boards
        if (board.problem, board.protocol, board.config.get("fake_targets")) == (problem, protocol, fakes)
        for row in (*board.rows, *board.references)
        if row.method == method and row.config.get("samples") in (samples, None)
    )
    return found


def table(first_cell):
    """The rows of the table whose header begins with a cell, as lists of cells."""
    begin = next(i for i, line in enumerate(LINES) if line.startswith(f"| {first_cell} |"))
    end = next(i for i in range(begin, len(LINES)) if not LINES[i])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES[begin + 2 : end]]


def test_the_excess_over_the_floor(results):
    floor = row(results, "inventory", "floor").scores
    for method, *quoted in table("method"):
        for protocol, number in zip(("paper", "tuned"), quoted, strict=True):
            if number:
                scores = row(results, "inventory", method, protocol=protocol, samples=32).scores
                assert number == f"{fmean(scores[seed] - floor[seed] for seed in floor):.3f}", method


def test_the_table_of_the_lowest(results):
    for name, protocol, lowest, lcgln, group, _ in table("problem"):
        problem, fakes = (name.partition(",")[0], 500 if "," in name else None)
        at = {"protocol": protocol, "fakes": fakes, "samples": 32}
        ours = row(results, problem, "lcgln", **at)
        best = row(results, problem, lowest.partition(" ")[0], **at)
        assert lcgln == score(ours.mean, ours.sem) and group.startswith(f"{ours.rank} of")
        assert lowest == f"{best.method} {score(best.mean, best.sem)}" and best.rank == 1


def test_the_sweep_over_fake_targets(results):
    published = {
        (p.published.method, p.published.settings.get("fake_targets")): f"{p.published.mean:.3f}"
        for p in pairs(results.records, load_paper())
        if p.published.table == "fake_targets"
    }
    for method, *numbers in table("method, K = 16"):
        for fakes, number in zip((0, 5, 50, 500), numbers, strict=True):
            ours = row(results, "budget", method, samples=16, fakes=fakes)
            theirs = published.get((method, fakes))
            assert number == score(ours.mean, ours.sem) + (f" ({theirs})" if theirs else "")


@pytest.mark.parametrize(
    ("problem", "method", "quoted"),
    [
        ("inventory", "lcgln", "−0.024, paired p = 0.03)"),
        ("budget", "lcgln", "at K = 32 (p = 0.86)"),
        ("budget", "lodl-dq", "(p = 0.02)"),
    ],
)
def test_the_change_from_two_samples_to_thirty_two(results, problem, method, quoted):
    fakes = 500 if problem == "budget" else None
    few, many = (row(results, problem, method, samples=k, fakes=fakes).scores for k in (2, 32))
    change = [many[seed] - few[seed] for seed in few]
    assert quoted in TEXT
    assert f"p = {sign_flip_test(change):.2f}" in quoted
    if quoted.startswith("−"):
        assert f"{fmean(change):.3f}".replace("-", "−") in quoted


def test_lcgln_on_portfolio_does_not_change_by_a_standard_error(results):
    rows = [row(results, "portfolio", "lcgln", samples=k) for k in (2, 4, 8, 16, 32)]
    assert max(r.mean for r in rows) - min(r.mean for r in rows) < min(r.sem for r in rows)


def test_how_many_published_cells_agree(results):
    def counts(problem, divisor):
        made = [p for p in pairs(results.records, load_paper()) if p.published.problem == problem]
        z = [p.by[divisor].z for p in made]
        return sum(abs(v) < 2 for v in z), sum(v < -2 for v in z), sum(v > 2 for v in z), len(z)

    inventory, budget, portfolio = (counts(name, "worst") for name in ("inventory", "budget", "portfolio"))
    quoted = re.search(
        r"(\d+) of (\d+) on inventory, (\d+) of (\d+) on budget, none of (\d+) on portfolio.*"
        r"On inventory (\d+) of ours are lower .* and (\d+) higher .*"
        r"on budget (\d+) are lower and (\d+) higher.*"
        r"by prediction, (\d+) of (\d+) agree on budget, the other (\d+) of ours being higher, and none",
        TEXT,
    )
    predicted = counts("budget", "prediction")
    assert portfolio[0] == counts("portfolio", "prediction")[0] == predicted[1] == 0
    assert counts("inventory", "prediction") == inventory
    assert tuple(map(int, quoted.groups())) == (
        inventory[0], inventory[3], budget[0], budget[3], portfolio[3], *inventory[1:3], *budget[1:3],
        predicted[0], predicted[3], predicted[2],
    )  # fmt: skip


def test_the_minutes_of_the_ledger(results):
    for protocol, total in (("paper", 117), ("tuned", 124)):
        seconds = sum(r.total_seconds for r in results.records if r.cell.protocol == protocol)
        assert round(seconds / 60) == total and str(total) in TEXT


def test_the_websites():
    found = read_results(ROOT / "results" / "websites.sqlite").boards
    boards = {(b.config["popularity"], b.config["fake_targets"]): b for b in found}
    for method, *numbers in table("method, K = 16, 0 fake targets"):
        for popularity, number in zip((0.0, 0.3, 1.0), numbers, strict=True):
            row = row_of(boards[popularity, 0], method)
            assert number == score(row.mean, row.sem), (method, popularity)
    printed = {
        (p.method, p.settings["fake_targets"]): p for p in load_paper().numbers if p.table == "fake_targets"
    }
    agree, last = set(), {}
    for method, *numbers in table("method, K = 16, by prediction"):
        for fakes, number in zip((0, 5, 50, 500), numbers, strict=True):
            records = row_of(boards[0.3, fakes], method).records
            theirs = printed.get((method, fakes))
            ours = Ours.of((r.regret_by_prediction for r in records), theirs)
            assert number == score(ours.mean, ours.sem) + (f" ({theirs.mean:.3f})" if theirs else "")
            if theirs and abs(ours.z) < 2:
                agree.add((method, fakes))
            if theirs:
                last[fakes] = max(last.get(fakes, (0.0, "")), (ours.mean, method))
    assert {method for _, method in last.values()} == {"lcgln"}
    assert agree == {
        *(("pfl", n) for n in (5, 50, 500)), *(("egl-wmse", n) for n in (0, 5, 500)),
        ("lancer", 50), ("lancer", 500),
    }  # fmt: skip
    for (_, fakes), board in boards.items():
        first = {r.method for r in board.rows if r.rank == 1}
        assert first == {"pfl", "egl-wmse"} | ({"lancer"} if fakes == 500 else set())
        assert board.rows[-1].method == "lcgln"


def row_of(board, method):
    (found,) = (r for r in (*board.rows, *board.references) if r.method == method)
    return found


def test_the_ablation(results):
    boards = {board.problem: board for board in read_results(ROOT / "results" / "ablation.sqlite").boards}
    off = {
        "whole": (),
        "without the divergence (`anchored=false`)": ("anchored",),
        "without samples around the predictor (`on_policy=0`)": ("on_policy",),
        "without the prediction error (`prediction_weight=0`)": ("prediction_weight",),
        "without the start (`start=false`)": ("start",),
        "without start and prediction error": ("prediction_weight", "start"),
    }
    switches = ("anchored", "on_policy", "prediction_weight", "start")
    for name, *numbers in table("`lcgln-plus`"):
        for problem, number in zip(("inventory", "budget", "portfolio"), numbers, strict=True):
            if name == "`lcgln`":
                fakes = 500 if problem == "budget" else None
                found = row(results, problem, "lcgln", protocol="tuned", samples=32, fakes=fakes)
            else:
                (found,) = (
                    r
                    for r in boards[problem].rows
                    if tuple(s for s in switches if not r.config[s]) == off[name]
                )
            assert number == score(found.mean, found.sem), name
    (behind,) = (r for r in boards["portfolio"].rows if r.rank != 1)
    assert not behind.config["on_policy"]


def test_every_record_is_of_one_seed_and_of_this_code(results):
    assert not [r for r in (*results.records, *results.failures) if r.cell.older]
