"""The protocol `survey`: settings that a survey has published, by problem and by what it varied."""

import pytest

from dfl_bench import methods, problems
from dfl_bench.contracts.method import Reference
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.protocols import SURVEY, VARIED, configure
from dfl_bench.problems import make_problem
from dfl_bench.store.cell import Cell

SURVEYED = [
    (name, problem, value)
    for name in methods.names()
    for problem, settings in methods.get(name).survey.items()
    for value in settings
]


@pytest.mark.parametrize(("name", "problem", "value"), SURVEYED)
def test_every_setting_of_the_survey_can_be_used(name, problem, value):
    if problem not in problems.names():
        pytest.skip(f"{problem} is not a problem here")
    made = make_problem(problem, **{VARIED[problem]: value})
    config = configure(methods.get(name), made, "survey", {})
    for setting, expected in methods.get(name).survey[problem][value].items():
        assert getattr(config, setting) == expected


def test_the_survey_changes_what_it_names_and_the_caller_has_the_last_word():
    problem = make_problem("shortest-path", degree=4)
    cls = methods.get("ltr-pair")
    config = configure(cls, problem, "survey", {"margin": 3.0})
    assert (config.learning_rate, config.margin, config.solve_ratio) == (0.1, 3.0, 0.05)
    keys = {
        Cell.of(problem, cls(configure(cls, problem, p, {})), protocol=p, seed=0, device="cpu").key
        for p in ("paper", "survey")
    }
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("name", "problem", "settings", "message"),
    [
        ("map-c", "shortest-path", {"degree": 3}, "map-c on shortest-path with degree=3: it has degree 1, 2"),
        ("map", "shortest-path", {"degree": 4}, "map on shortest-path with degree=4: it has none"),
        ("map-c", "inventory", {}, "map-c on inventory: it has none for this problem.*--protocol paper"),
    ],
)
def test_what_the_survey_does_not_have_is_said(name, problem, settings, message):
    with pytest.raises(DflBenchError, match=message):
        configure(methods.get(name), make_problem(problem, **settings), "survey", {})


def test_policies_without_settings_stand_beside_the_survey():
    names = [name for name in methods.names() if issubclass(methods.get(name), Reference)]
    for name in names:
        configure(methods.get(name), make_problem("shortest-path"), "survey", {})


def test_the_survey_has_nothing_to_search():
    assert SURVEY.space(methods.get("map-c")) == {}
