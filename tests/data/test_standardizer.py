import numpy as np
import pytest

from dfl_bench.contracts.split import Split
from dfl_bench.data.standardizer import Standardizer, standardized


def test_standardizer_knows_the_training_part_only():
    rng = np.random.default_rng(0)
    train = 3 + 2 * rng.standard_normal((500, 4, 2))
    train[..., 1] = 7.0  # no spread: centred, not divided
    scale = Standardizer(train)
    assert scale(train)[..., 0].mean() == pytest.approx(0, abs=0.01)
    assert scale(train)[..., 0].std() == pytest.approx(1, abs=0.01)
    assert (scale(train)[..., 1] == 0).all()
    assert scale(np.array([[1e9, 7.0]])).tolist() == [[Standardizer.LIMIT, 0.0]]


def test_features_of_other_rows_are_the_unit_and_nothing_is_clipped():
    rng = np.random.default_rng(0)
    parts = [Split(rng.standard_normal((n, 3, 2)), np.zeros((n, 3))) for n in (5, 4, 6)]
    everything = np.concatenate([part.x for part in parts])
    parts[2].x[0, 0, 0] = 1e6
    train, _, test = standardized(parts, everything)
    np.testing.assert_allclose(
        train.x, (parts[0].x - everything.mean((0, 1))) / everything.std((0, 1)), atol=1e-12
    )
    assert test.x[0, 0, 0] > 1e5
    by_training = standardized(parts)
    np.testing.assert_allclose(by_training.train.x.mean((0, 1)), 0, atol=1e-12)
    assert by_training.test.x[0, 0, 0] == Standardizer.LIMIT
