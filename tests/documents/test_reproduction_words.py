"""What the words of docs/reproduction.md say in numbers and names is recomputed from its tables and stores.

The tables are those of the stores by tests/documents/test_reproduction.py.
"""

import json
import re
from statistics import fmean

import pytest

from dfl_bench.experiment.protocols import PACKAGED, PROTOCOLS
from dfl_bench.results.boards import boards
from dfl_bench.results.statistics import mean_sem, sign_flip_test
from tests.documents.test_reproduction import PROSE
from tests.support.reproduction import TABLES, lines, mean, records, scores, table

SETTINGS = [
    ("inventory", None), ("portfolio", None), *(("budget", fakes) for fakes in (0, 5, 50, 500)),
]  # fmt: skip
PROBLEMS = ("inventory", "budget", "portfolio")
GLOBAL = ("lodl-dq", "egl-wmse", "egl-dq")


def first_groups(store):
    return {
        (board.problem, board.config.get("fake_targets")): {r.method for r in board.rows if r.rank == 1}
        for board in boards(records(store))
    }


def test_the_counts_of_cells_that_agree():
    rows = [line.strip("| ").split(" | ") for line in TABLES["agreement"].splitlines() if " of " in line]
    of = {(track, problem): tuple(map(int, by_worst.split(" of "))) for track, problem, by_worst, *_ in rows}
    (inventory, n), (budget, m), (portfolio, k) = (of["published", p] for p in PROBLEMS)
    assert (n, m, k) == (42, 70, 42)
    assert f"On the published track {inventory + budget + portfolio} of 154 cells agree**" in PROSE
    assert (
        f"{budget} of 70 on budget, {inventory} of 42 on inventory, {portfolio} of 42 on portfolio." in PROSE
    )
    corrected = [of["corrected", p][0] for p in PROBLEMS]
    assert f"On the corrected track {sum(corrected)} agree, {corrected[1]} of them on budget." in PROSE
    assert f"missed, by {25 - inventory} cells on inventory and by {30 - portfolio} on portfolio" in PROSE
    assert budget >= 45 and f"On the corrected track {corrected[1]} cells of budget agree" in PROSE


def test_lcgln_is_nowhere_the_lowest_and_who_is_below_it():
    first = lines("first table")
    below = {}
    for track in ("published", "corrected"):
        rows = {
            name.split(",")[0]: [mean(c) for c in cells] for name, cells in first.items() if track in name
        }
        for place, problem in enumerate(PROBLEMS):
            below[track, problem] = {m for m, row in rows.items() if row[place] < rows["lcgln"][place]}
        sweep = lines("fake targets")
        for place in range(4):
            row = {name.split(",")[0]: mean(c[place]) for name, c in sweep.items() if track in name}
            assert min(row, key=row.get) != "lcgln"
    assert all(below.values())
    assert {"pfl", "lancer"} <= below["published", "inventory"]
    assert {"egl-wmse", "lancer"} <= below["published", "budget"]
    assert {"pfl", "dfl"} <= below["published", "portfolio"]
    constant = mean(lines("references")["published, portfolio"][1])
    assert all(constant < mean(cells[2]) for name, cells in first.items() if "published" in name)


def test_the_sweep_over_fake_targets_and_its_paired_tests():
    sweep = {name: [mean(c) for c in cells] for name, cells in lines("fake targets").items() if "," in name}
    pfl, dfl, ours = (sweep[f"{name}, published"] for name in ("pfl", "dfl", "lcgln"))
    assert all(dfl[i] < ours[i] < pfl[i] for i in (0, 1)) and all(pfl[i] < ours[i] for i in (2, 3))
    gaps = lines("against pfl")["published"]
    five_hundred, fifty, five, none = (cell.partition(", ")[2] for cell in gaps[1:5])
    assert f"paired {none} and {five}), and above it with 50 ({fifty}) and 500 ({five_hundred})." in PROSE
    assert mean(gaps[3]) < 0 and mean(gaps[4]) < 0 and all(mean(gaps[i]) > 0 for i in (0, 1, 2, 5))


@pytest.mark.parametrize(("store", "track"), [("published", "published"), ("paper", "corrected")])
def test_the_first_groups(store, track):
    groups = first_groups(store)
    assert groups.keys() == set(SETTINGS)
    ours, pfl = ({s for s in SETTINGS if name in groups[s]} for name in ("lcgln", "pfl"))
    if track == "corrected":
        assert pfl == set(SETTINGS) and "`pfl` is in it on all six settings, and `lcgln` on two" in PROSE
        assert ours == {("budget", 0), ("budget", 500)}
    else:
        assert (
            "first group with 0 and 5 fake targets, where `pfl` is not, and on portfolio, where all are"
            in PROSE
        )
        assert ours == {("budget", 0), ("budget", 5), ("portfolio", None)}
        assert ours - pfl == {("budget", 0), ("budget", 5)}
        assert groups["portfolio", None] == {"pfl", "dfl", "lancer", "lcgln", *GLOBAL}


def test_asked_alone_lcgln_is_above_dfl_on_every_seed_without_fake_targets():
    made = records("paper")
    ours, dfl = (scores(made, "budget", name, fake_targets=0) for name in ("lcgln", "dfl"))
    assert len(dfl) == 10 and all(ours[seed] > dfl[seed] for seed in dfl)
    assert "above `dfl` on each of the ten seeds" in PROSE


def test_whether_regret_falls_with_more_samples():
    def change(made, problem, **settings):
        few, many = (scores(made, problem, "lcgln", samples=k, **settings) for k in (2, 32))
        gaps = [many[seed] - few[seed] for seed in few]
        mean, sem = mean_sem(gaps)
        return mean / sem, sign_flip_test(gaps)

    published, corrected = records("published"), records("paper")
    assert change(published, "inventory")[0] < -2 < change(published, "budget", fake_targets=500)[0] < 0
    assert abs(change(published, "portfolio")[0]) < 2
    assert f"with 32 (p = {change(corrected, 'inventory')[1]:.3f})" in PROSE
    few, *_, many = table("samples", "portfolio, K")["lcgln, corrected"]
    assert few[:5] == many[:5] and f"on portfolio {few[:5]} with both" in PROSE


def test_who_has_less_than_a_constant_on_portfolio_with_searched_settings():
    made = records("paper", "tuned")
    (constant, *_), names = mean_sem(list(scores(made, "portfolio", "constant").values())), lines("tuned")
    below = {n for n in names if (s := scores(made, "portfolio", n)) and fmean(s.values()) < constant}
    assert below == {"dfl"} and "only `dfl`" in PROSE


def test_what_is_said_of_learned_losses_on_inventory():
    rows = table("samples", "inventory, K")
    ranges = {}
    for track in ("published", "paper"):
        cells = [mean(c) for name in GLOBAL for c in rows[f"{name}, {track}"]]
        cells += [mean(lines("first table")[f"{name}, {track}"][0]) for name in GLOBAL]
        ranges[track] = f"{min(cells):.3f} to {max(cells):.3f}"
    assert f"they have {ranges['published']}, near the paper's {ranges['paper']}." in PROSE
    constant = mean(lines("references")["corrected, inventory"][1])
    assert all(mean(c) < constant - 0.1 for name in GLOBAL for c in rows[f"{name}, corrected"])


def test_with_500_fake_targets_all_are_close():
    rows = table("samples", "budget, K")
    cells = [c for name, line in rows.items() if name.endswith((", paper", ", corrected")) for c in line]
    for name, line in lines("first table").items():
        cells += [line[1]] if name.endswith((", paper", ", corrected")) else []
    for name, line in lines("fake targets").items():
        cells += [line[3]] if name.endswith((", paper", ", corrected")) else []
    assert min(map(mean, cells)) >= 0.46 and max(map(mean, cells)) <= 0.54
    assert "lie between 0.46 and 0.54 there" in PROSE


def test_how_many_seeds_and_trials_the_searches_had():
    told = {"inventory": 8, "budget": 2, "portfolio": 1}
    for problem, seeds in told.items():
        found = [json.loads(p.read_text("utf-8")) for p in (PACKAGED / "tuned" / problem).glob("*.json")]
        assert len(found) == 9 and {f["search"]["seeds"] for f in found} == {seeds}
        assert {len(f["trials"]) for f in found} == {20}
    assert "on two tuning seeds" in PROSE and "one tuning seed for each trial" in PROSE
    assert "inventory has eight, and every search 20 trials" in PROSE


def test_what_the_runs_took():
    cells = [r for store in ("paper", "published", "ladder") for p in PROTOCOLS for r in records(store, p)]
    spent = sum(r.total_seconds for r in cells)
    for problem in PROBLEMS:
        for file in PACKAGED.rglob(f"{problem}/**/*.json"):
            if not re.search("data=clicks|nonlinear=", str(file)):
                spent += sum(trial["seconds"] for trial in json.loads(file.read_text("utf-8"))["trials"])
    assert f"{spent / 3600:.0f}" == "8" and "about eight hours of one core, four of two" in PROSE
    assert {r.cell.seed for r in cells} == set(range(10))  # ten seeds, of the ladder too


def test_the_groups_of_searched_settings():
    head, *rest = lines("tuned").items()
    first = {name: [cell.startswith("**") for cell in cells] for name, cells in rest if name != "---"}
    assert {name for name, cells in first.items() if all(cells)} == {"lcgln-plus", "pfl"}
    assert not any(first["lcgln"]) and len(head[1]) == 6
