"""What docs/reproduction.md says about the ladder is recomputed from its table and from its store."""

import re

from tests.documents.test_reproduction import PROSE
from tests.support.reproduction import records, scores, table

STEP = re.compile(r"^(\S+ ± \S+)(?: \(([+−][\d.]+)\*?\))?$")


def steps(problem):
    """By method: what each step of a ladder changes; 0 where it does not concern the method."""
    head, *rest = table("ladder", f"{problem}, step").items()
    changes = {name: {} for name in head[1]}
    for step, cells in rest:
        for name, cell in zip(changes, cells, strict=False):
            if found := STEP.match(cell):
                changes[name][step] = float((found[2] or "0").replace("−", "-"))
    return changes


def test_what_each_step_of_the_ladder_does():
    budget, portfolio, inventory = map(steps, ("budget", "portfolio", "inventory"))

    def largest(changes):
        return max(changes, key=lambda step: abs(changes[step]))

    assert {m for m in budget if largest(budget[m]) == "labels scaled"} == {"pfl", "dfl", "lancer"}
    assert {m for m in portfolio if largest(portfolio[m]) == "labels scaled"} == {"pfl", "lancer", "lcgln"}
    assert {m for m in inventory if largest(inventory[m]) == "400 rows"} == {"dfl", "lancer", "lcgln"}
    quoted = {
        "(−0.211 for `pfl`)": budget["pfl"]["labels scaled"],
        "(−0.290 for `lcgln`)": portfolio["lcgln"]["labels scaled"],
        "little by it (−0.026)": budget["lcgln"]["labels scaled"],
        "text (−0.090)": budget["lcgln"]["the network of the paper's text"],
        "truth (−0.084)": budget["lcgln"]["least at the truth"],
        "costs it 0.082": portfolio["lcgln"]["the loss is selected by its error"],
    }
    for words, change in quoted.items():
        assert words in PROSE and float(re.search(r"[−\d.]*\d", words)[0].replace("−", "-")) == change, words
    rows = sorted(inventory[m]["400 rows"] for m in ("dfl", "lancer", "lcgln"))
    assert f"{rows[0]:+.3f} to {rows[-1]:+.3f}" in PROSE
    risk = {name: portfolio[name]["right risk"] for name in portfolio}
    assert max(risk["pfl"], risk["dfl"], risk["lancer"]) < 0 < risk["lcgln"]
    assert max(inventory[m]["log-likelihood"] for m in ("pfl", "lancer")) < 0
    assert all(
        abs(s["convex by construction"]) < 0.012 for p in (budget, portfolio, inventory) for s in p.values()
    )


def test_one_draw_of_stocks():
    """The first step of the ladder on portfolio: ten initial networks on the same stocks."""
    cells = table("ladder", "portfolio, step")["as published"]
    means, errors = ([float(c.split(" ± ")[i]) for c in cells] for i in (0, 1))
    assert f"the means are {min(means)} to {max(means):.3f}, and" in PROSE
    assert f"errors no smaller, {min(errors)} to {max(errors)}." in PROSE
    ladder, as_published = records("ladder"), {"draws": "one", "scaled": False, "held_error": "pairs"}
    pfl = sorted(scores(ladder, "portfolio", "pfl", draws="one").values())
    lcgln = sorted(round(value, 3) for value in scores(ladder, "portfolio", "lcgln", **as_published).values())
    assert len(pfl) == len(lcgln) == 10
    low, high = f"{pfl[0]:.3f} to {pfl[7]:.3f}", f"{pfl[8]:.3f} and {pfl[9]:.3f}"
    assert f"PFL has {low} from eight initial networks, and {high} from two" in PROSE
    assert set(lcgln[:5]) == {0.158, 0.159} and lcgln[5] > 0.16
    constant = scores(records("published"), "portfolio", "constant")[0]
    assert f"where a constant has {constant:.3f}:" in PROSE
