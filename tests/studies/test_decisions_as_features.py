from dfl_bench import methods
from dfl_bench.experiment.protocols import configure
from dfl_bench.problems import make_problem
from dfl_bench.studies.decisions_as_features import FIRST_SEED, SETTINGS, VARIANTS


def test_it_asks_for_settings_that_exist_on_seeds_that_do_not_score():
    assert FIRST_SEED >= 1000 and VARIANTS[0] == {}
    cls = methods.get("lcgln-plus")
    made = []
    for name, settings in SETTINGS.values():
        problem = make_problem(name, **settings)
        made.append([configure(cls, problem, "paper", variant) for variant in VARIANTS])
    # Each changes something, though not everywhere: a problem may have a variant as its own default.
    assert len(set(zip(*made, strict=True))) == len(VARIANTS)
