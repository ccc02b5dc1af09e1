import numpy as np
import pytest

from dfl_bench.data.standardizer import Standardizer


def test_standardizer_knows_the_training_part_only():
    rng = np.random.default_rng(0)
    train = 3 + 2 * rng.standard_normal((500, 4, 2))
    train[..., 1] = 7.0  # no spread: centred, not divided
    scale = Standardizer(train)
    assert scale(train)[..., 0].mean() == pytest.approx(0, abs=0.01)
    assert scale(train)[..., 0].std() == pytest.approx(1, abs=0.01)
    assert (scale(train)[..., 1] == 0).all()
    assert scale(np.array([[1e9, 7.0]])).tolist() == [[Standardizer.LIMIT, 0.0]]
