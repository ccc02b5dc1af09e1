import dataclasses
import hashlib
from importlib.resources import files

import numpy as np
import pytest
from rich.console import Console

from dfl_bench.contracts.fingerprint import plain
from dfl_bench.errors import UnknownNameError
from dfl_bench.experiment.suite import Entry, load_suite
from dfl_bench.problems import make_problem
from dfl_bench.results.agreement import agreement
from dfl_bench.results.boards import boards
from dfl_bench.results.ours import Ours
from dfl_bench.results.paper import disagreements
from dfl_bench.results.papers import load_paper, papers
from dfl_bench.results.published import pairs, published_for
from dfl_bench.run.evaluate import evaluate
from dfl_bench.show.published import markdown, show_pairs
from dfl_bench.store.store import Store
from tests.support.made import record
from tests.support.papers import around, number, records_of, spo_records

LCGLN = load_paper()


def shown(records, paper, width=120):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))
    show_pairs(console, records, paper)
    return console.export_text()


def test_all_numbers_of_the_lcgln_paper_are_here():
    numbers = LCGLN.numbers
    assert len(numbers) == 154
    (found,) = [p for p in numbers if (p.table, p.problem, p.method) == ("table1", "inventory", "lcgln")]
    assert (found.mean, found.sem, found.samples, found.settings) == (0.174, 0.002, 32, {})
    assert {p.settings["fake_targets"] for p in numbers if p.problem == "budget"} == {0, 5, 50, 500}


def test_the_stored_numbers_are_those_that_were_read_off_the_paper():
    """Digest of the 154 lines below the head of paper_results.csv, which is not in this repository."""
    _, *lines = files("dfl_bench.results.papers").joinpath("lcgln.csv").read_text("utf-8").splitlines()
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "bd5ba03cd80ae1855fbb2a3df592230587ce2e6dedab7a9a0956e3c1f4b8f19c"


def test_the_numbers_of_the_spo_paper_are_means_of_trials():
    numbers = load_paper("spo").numbers
    assert len(numbers) == 100 and len({(p.place, p.method) for p in numbers}) == 100
    p = number("spo", "spo-plus", n_train=1000, noise=0.5, degree=4)
    assert (p.mean, p.sem) == (pytest.approx(0.077765, abs=5e-7), pytest.approx(0.009743 / 50**0.5, rel=1e-3))
    p = number("spo", "constant", n_train=100, noise=0.5, degree=8)
    assert p.mean == pytest.approx(1.014355, abs=5e-7)
    assert p.table == "shortest-path n_train=100 noise=0.5"
    assert number("spo", "pfl-exact", n_train=100, noise=0.0, degree=1).mean == 0.0


def test_the_numbers_of_cave_and_pyepo():
    assert len(load_paper("cave").numbers) == 14 and len(load_paper("pyepo").numbers) == 13
    p = number("cave", "spo-plus", degree=4)
    assert (p.mean, p.sem) == (pytest.approx(0.0779), pytest.approx(0.01 / 10**0.5))
    p = number("pyepo", "nce")
    assert (p.mean, p.sem) == (pytest.approx(0.1029), None)
    assert {p.settings["noise"] for name in ("cave", "pyepo") for p in load_paper(name).numbers} == {0.5}


def test_every_paper_says_where_it_is_from_and_what_differs():
    assert set(papers()) == {"lcgln", "spo", "cave", "pyepo"}
    for paper in map(load_paper, papers()):
        assert paper.source and paper.licence and paper.note
        assert paper.differs or paper.track.other_data
        assert {p.method for p in paper.numbers} == {ours["method"] for ours in paper.methods.values()}
        assert set(paper.tolerance) <= {p.label for p in paper.numbers}
        settings = {name for p in paper.numbers for name in (*p.method_settings, *p.settings)}
        for reason in (reason for track in paper.tracks.values() for reason in track.reasons):
            assert reason["because"]
            assert reason.keys() <= {"because", "method", "problem", "samples", *settings}


def test_an_unknown_paper_is_an_error_with_a_hint():
    with pytest.raises(
        UnknownNameError, match=r"no paper named 'lcglm'\. Did you mean 'lcgln'\? Known: cave,"
    ):
        load_paper("lcglm")


def test_where_the_papers_tables_disagree():
    found = {(d.method, d.place): [mean for _, mean, _ in d.printed] for d in disagreements(LCGLN)}
    assert found == {
        ("dfl", "budget fake_targets=500"): [0.532, 0.502],
        ("lancer", "portfolio"): [0.246, 0.228],
    }
    assert not any(disagreements(load_paper(name)) for name in ("spo", "cave", "pyepo"))


def test_the_difference_is_in_units_of_the_combined_error():
    p = next(p for p in LCGLN.numbers if p.method == "lcgln" and p.problem == "inventory" and p.samples == 32)
    ours = Ours(around(p.mean + 0.01, 0.004), p)
    assert (ours.mean, ours.sem) == (pytest.approx(p.mean + 0.01), pytest.approx(0.004))
    assert ours.z == pytest.approx(0.01 / (0.004**2 + 0.002**2) ** 0.5)
    assert Ours((0.2,), p).z is None and Ours((0.2,), p).agrees() is None


def test_a_printed_error_of_zero_is_half_a_digit():
    p = number("spo", "pfl-exact", n_train=100, noise=0.0, degree=1)
    assert (p.mean, p.sem, p.half_digit) == (0.0, 0.0, pytest.approx(5e-7))
    assert Ours((0.0, 0.0), p).z == 0.0
    assert Ours((1e-6, 1e-6), p).z == pytest.approx(2.0)


def test_two_standard_errors_agree_and_more_is_tolerated_where_the_paper_says():
    p, paper = number("spo", "spo-plus", n_train=1000, noise=0.5, degree=4), load_paper("spo")
    assert paper.tolerated(p) == pytest.approx(0.005)
    assert paper.tolerated(number("spo", "constant", n_train=1000, noise=0.5, degree=4)) == 0.0
    combined = (0.001**2 + p.sem**2) ** 0.5
    for far, agrees in ((1.99, True), (2.01, False), (-1.99, True), (-2.01, False)):
        assert Ours(around(p.mean + far * combined, 0.001), p).agrees() is agrees
        beyond = np.sign(far) * 0.005
        assert Ours(around(p.mean + far * combined + beyond, 0.001), p).agrees(0.005) is agrees


def test_a_single_run_is_placed_among_our_seeds():
    p = number("pyepo", "spo-plus")
    low, high = p.mean - 0.01, p.mean + 0.01
    assert Ours((low, low, high), p).lower == 2 and Ours((low, low, high), p).z is None
    assert Ours((low, high), p).agrees() is True
    assert Ours((low, low), p).agrees() is False and Ours((high, high), p).agrees() is False


def test_a_record_without_the_other_divisor_has_no_number_by_prediction():
    old, new = record(seed=0, score=0.2), record(seed=1, score=0.2, predicted_worst_sum=10.0)
    assert old.regret_by_prediction is None
    assert new.regret_by_prediction == pytest.approx(0.2 * new.worst_sum / 10.0)
    p = LCGLN.numbers[0]
    assert Ours.of([new.regret_by_prediction, old.regret_by_prediction], p) is None
    assert Ours.of([], p) is None
    assert Ours.of([0.25], p) == Ours((0.25,), p)


def test_the_other_divisor_takes_the_worst_decision_by_the_prediction():
    """On inventory it is no order either way; on the others a bad prediction finds a decision less bad."""
    for name in ("inventory", "budget", "portfolio-synthetic"):
        problem = make_problem(name, n_train=20, n_val=10, n_test=30)
        truth, blind = (evaluate(method, problem) for method in ("truth", "random"))
        np.testing.assert_allclose(truth.predicted_worst_regret, truth.worst_regret, atol=1e-12)
        ratio = blind.predicted_worst_regret.sum() / blind.worst_regret.sum()
        assert ratio == 1.0 if name == "inventory" else 0.3 < ratio < 0.8


def test_ours_beside_theirs_without_runs_of_other_settings(tmp_path):
    entry = Entry(problem="inventory", methods=("pfl", "lcgln"), samples=(32,))
    scores = {"pfl": (0.2,) * 3, "lcgln": (0.2,) * 3}
    made = list(records_of(entry, scores))
    # As the suite quick would run it: must not be counted.
    made += records_of(entry, {name: (0.9,) * 3 for name in scores}, method_settings={"steps": 300})
    with Store(tmp_path / "r.sqlite") as store:
        store.add(*made)
        records = store.records()
    found = [p for p in pairs(records, LCGLN) if p.ours is not None]
    # PFL stands in table 1 and in five columns of the sample-size table; LCGLN with K = 32 in two places.
    assert len(found) == 6 + 2
    assert all(p.ours.mean == pytest.approx(0.2) and p.seeds == 3 for p in found)
    assert all(p.by["prediction"].mean == pytest.approx(p.ours.mean * 1.25) for p in found)
    text = shown(records, LCGLN)
    assert "8 of 154 published cells" in text
    assert "disagree: lancer on portfolio is 0.246 ± 0.008 (table1) and 0.228 ± 0.006" in text
    assert "Our data of budget are not the paper's" in text
    assert text.endswith("as in published code.\nNo cell of it has been run here.\n")
    assert "Within two combined SEMs, divided by worst, are" in text and "inventory" in text
    found = agreement(pairs(records, LCGLN), LCGLN)
    assert found.by_problem == {"inventory": (0, 8)} and found.total == (0, 8)


def test_linear_papers_are_in_percent_of_the_optimal_cost():
    records, paper = list(spo_records()), load_paper("spo")
    text = " ".join(shown(records, paper).split())
    assert "Elmachtoub" in text and "Least squares and absolute error" in text
    assert "4 spo-plus 7.78 ± 0.14 8.18 ± 0.01 +2.9 2" in text
    assert "4 pfl-exact 8.96 ± 0.15 8.96 ± 0.01 +0.0 2" in text
    assert "1 pfl-exact 15.65 ± 0.07 not run" in text
    assert "6 of 100 published cells have been run here." in text
    assert "Within two combined SEMs are 5 of 6 cells: spo-plus 1 of 2 (and 0.5 points:" in text
    assert "pfl-exact 2 of 2, constant 2 of 2." in text
    outside = "Outside: spo-plus on shortest-path n_train=1000 noise=0.5 degree=8: 12.66 ± 0.01 against"
    assert f"{outside} 10.66 ± 0.21, z +9.3: unexplained." in text
    assert text.count("Outside") == 1


def test_markdown_has_the_same_numbers():
    paper = load_paper("spo")
    text = markdown(spo_records(), paper)
    assert "| degree | method | paper | ours | z | n |\n| --- |" in text
    assert "| 4 | spo-plus | 7.78 ± 0.14 | 8.18 ± 0.01 | +2.9 | 2 |\n" in text
    assert text.startswith("- A. N. Elmachtoub") and "\n\n**shortest-path n_train=100 noise=0**\n\n|" in text
    assert markdown([], paper) == "No cell of the suite `spo-paper` has been run yet.\n"


def test_single_runs_have_no_error_and_a_place():
    paper = load_paper("pyepo")
    (entry, *_) = load_suite("cave-paper")
    made = records_of(entry, {"spo-plus": (0.07, 0.08, 0.09), "nce": (0.2, 0.3), "pg": (0.1,)})
    text = " ".join(shown(list(made), paper).split())
    assert "4 spo-plus 7.59 8.00 ± 0.58 1 of 3 3" in text
    assert "Between our lowest and our highest seed are 1 of 2 cells. Outside: nce on shortest-path" in text
    assert "against 10.29, 0 of 2 seeds are lower: unexplained." in text


def test_a_known_reason_is_printed():
    track, p = load_paper("pyepo").track, number("pyepo", "AI-MLE")
    assert "authors'" in track.reason(p)
    assert track.reason(number("pyepo", "nce")) == "unexplained"
    only = dataclasses.replace(track, reasons=({"degree": 6, "because": "x"},))
    assert only.reason(p) == "unexplained"


def test_what_was_tried_is_printed_beside_a_cell_that_does_not_agree():
    tried = ({"problem": "inventory", "what": "more rows"}, {"method": "lcgln", "what": "four nodes"})
    track = dataclasses.replace(LCGLN.track, tried=tried, reasons=())
    paper = dataclasses.replace(LCGLN, tracks={"corrected": track})
    entry = Entry(problem="inventory", methods=("pfl", "lcgln"), samples=(32,))
    text = shown(list(records_of(entry, {"pfl": (0.9, 0.91), "lcgln": (0.8, 0.81)})), paper)
    lines = {line for line in text.splitlines() if line.startswith("Outside")}
    assert [line.partition(": unexplained.")[2] for line in sorted(lines)] == [
        " Tried: more rows; four nodes.",
        " Tried: more rows.",
    ]
    assert any(line.startswith("Outside: lcgln K=32 on inventory: 0.805 ± 0.005 against") for line in lines)


def test_what_is_said_of_a_cell_is_said_of_one_that_the_paper_has():
    for track in LCGLN.tracks.values():
        for table in (*track.reasons, *track.tried):
            known = dataclasses.replace(track, reasons=(table,) if "because" in table else (), tried=(table,))
            found = [p for p in LCGLN.numbers if known.reason(p) != "unexplained" or "what" in table]
            assert found and (table.get("because") or table["what"])


def test_a_record_that_is_older_than_a_setting_is_compared_all_the_same():
    def published(config):
        (board,) = boards([record(problem="inventory", problem_config=config)])
        return published_for(board)

    config = plain(make_problem("inventory").config)
    older = {name: value for name, value in config.items() if name != "predictor"}
    assert published(older) == published(config) != []
    assert published({**older, "n_features": 3}) == []


def test_records_of_an_earlier_version_are_compared_until_there_are_newer_ones():
    """Their searches are not known any more: a record counts if it changed nothing itself."""
    entry = Entry(problem="budget", methods=("pfl", "lcgln"), settings={"fake_targets": 5}, samples=(16,))
    scores = {"pfl": (0.1, 0.2), "lcgln": (0.3, 0.4)}
    found_then = {"method_settings": {"samples": 16, "sampling_rate": 0.7}}
    earlier = list(records_of(entry, scores, problem_version=1, **found_then))
    changed = {"method_config": {"samples": 16, "steps": 9}, "method_changes": ("steps",)}
    earlier += records_of(entry, {name: (0.9, 0.9) for name in scores}, problem_version=1, **changed)
    newer = list(records_of(entry, {"pfl": (0.5, 0.5)}))

    def ours(records):
        made = [pair for pair in pairs(records, LCGLN) if pair.ours is not None]
        assert {pair.published.settings["fake_targets"] for pair in made} == {5}
        return {pair.published.method: (pair.ours.mean, pair.older) for pair in made}

    assert ours(earlier) == {
        "pfl": (pytest.approx(0.15), "budget 1"),
        "lcgln": (pytest.approx(0.35), "budget 1"),
    }
    assert ours([*earlier, *newer]) == {"pfl": (0.5, "")}
    assert "an earlier version, with what was the default then: budget 1." in shown(earlier, LCGLN)
    assert "an earlier version" not in shown(newer, LCGLN)
