"""Every method on problems of a user's own: it runs, or it says why it does not apply."""

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.contracts.method import Reference
from dfl_bench.errors import NotApplicableError
from dfl_bench.run.evaluate import evaluate_batch
from tests.support.own import TOYS
from tests.support.small import short_method

SHORT = {
    "steps": 3, "samples": 3, "validate_every": 3, "surrogate_steps": 3, "warm_epochs": 1, "rounds": 1,
    "predictor_steps": 2, "trees": 2, "batch": 6, "draws": 1,
}  # fmt: skip
# What needs nothing but a decision and its cost.
GENERAL = {
    "pfl", "pfl-forest", "lodl-wmse", "lodl-dwmse", "lodl-quad", "lodl-dq", "lodl-nn", "egl-wmse", "egl-dq",
    "lancer", "lcgln", "lcgln-plus", "nce", "nce-c", "map", "map-c", "ltr-point", "ltr-pair", "ltr-list",
    "ltr-diff", "dpo",
}  # fmt: skip
LINEAR = {"spo-plus", "pfy", "imle", "aimle", "pg"}


@pytest.fixture(scope="module", params=TOYS)
def toy(request):
    if request.param == "pyepo":
        pytest.importorskip("pyepo", reason="the extra [peers] is not installed")
    return request.param, TOYS[request.param]()


def test_every_method_runs_or_says_why_not(toy):
    label, problem = toy
    ran, refused = {}, {}
    for name in methods.names():
        has = {k: v for k, v in SHORT.items() if hasattr(methods.get(name).Config(), k)}
        method = short_method(name, problem, **has)
        try:
            (ran[name],) = evaluate_batch(method, problem, [1000])
        except NotApplicableError as reason:
            refused[name] = str(reason)
    assert all(np.isfinite(result.normalized_regret) for result in ran.values())
    assert ran["truth"].normalized_regret == pytest.approx(0.0, abs=1e-6)
    assert all(problem.name in reason for reason in refused.values())
    assert GENERAL & set(methods.names()) <= set(ran), {n: refused.get(n) for n in GENERAL - set(ran)}
    if label in ("choice", "cvxpy-qp", "cvxpy-lp", "pyepo"):
        assert LINEAR & set(methods.names()) <= set(ran), {n: refused.get(n) for n in LINEAR - set(ran)}
    assert ("dfl" in ran) == (label == "cvxpy-qp")
    for name, result in ran.items():
        if not issubclass(methods.get(name), Reference):
            assert result.predictor(problem.data(1000).test.x).shape[0] == len(result.regret)
