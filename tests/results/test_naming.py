from dfl_bench.results.naming import telling

WHOLE = {"samples": 32, "weight": 10.997488026504145, "start": True, "hidden": [8]}


def labels(*configs):
    return [telling(config, configs, brief=True) for config in configs]


def test_a_problem_is_named_by_all_that_differs():
    """Its name stands alone: three boards of four must not hide that they are not the usual problem."""
    boards = [{"fake_targets": n, "popularity": 0.3} for n in (0, 5, 50)] + [
        {"fake_targets": 0, "popularity": 0.0}
    ]
    assert [telling(board, boards, always=["fake_targets"]) for board in boards] == [
        "fake_targets=0 popularity=0.3",
        "fake_targets=5 popularity=0.3",
        "fake_targets=50 popularity=0.3",
        "fake_targets=0 popularity=0",
    ]


def test_a_configuration_alone_names_its_samples():
    assert labels(WHOLE) == ["K=32"]


def test_swept_settings_are_always_named():
    config = {"n_train": 200, "degree": 4, "noise": 0.5}
    assert telling(config, [config]) == ""
    assert telling(config, [config], always=("degree", "noise")) == "degree=4 noise=0.5"


def test_variants_are_named_by_what_most_do_not_share():
    assert labels(WHOLE, WHOLE | {"start": False}, WHOLE | {"weight": 0.0}, WHOLE | {"hidden": [2, 2]}) == [
        "K=32",
        "K=32 start=false",
        "K=32 weight=0",
        "K=32 hidden=[2,2]",
    ]


def test_where_there_is_no_majority_all_are_named():
    assert labels(WHOLE, WHOLE | {"weight": 0.5}) == ["K=32 weight=11", "K=32 weight=0.5"]
    assert labels({"solver": "osqp"}, {"solver": None}, {}) == ["solver=osqp", "", ""]


def test_numbers_are_short_unless_that_would_make_them_equal():
    assert labels({"rate": 0.123451}, {"rate": 0.123452}) == ["rate=0.123451", "rate=0.123452"]
    assert labels({"rate": 0.123451}, {"rate": 0.2}) == ["rate=0.1235", "rate=0.2"]
