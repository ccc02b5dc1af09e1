import json

import pytest

from tests.golden.scores import FILE, PAIRS, name_of, score

SAVED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("method", "problem"), PAIRS)
def test_code_that_changes_a_score_raises_a_version(method, problem):
    name = name_of(method, problem)
    assert name in SAVED, f"no score of {name}: save it with `python -m tests.golden.scores`"
    # Other processors round differently; a changed method is far away from this.
    assert score(method, problem) == pytest.approx(SAVED[name], rel=1e-6, abs=1e-9), (
        f"{name} scores differently: raise the version of what you changed, then save the scores anew"
    )


def test_no_score_is_kept_that_no_code_makes():
    assert SAVED.keys() == {name_of(*pair) for pair in PAIRS}
