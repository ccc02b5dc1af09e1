import gzip
import io
import tarfile

import numpy as np
import pandas as pd
import pytest

from dfl_bench.data.cache import sha256
from dfl_bench.errors import DataError
from dfl_bench.studies import cross_check


@pytest.fixture
def archive(tmp_path):
    days = pd.date_range("2010-01-01", periods=30)
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 3)), days, ["A", "B", "C"])
    content = gzip.compress(frame.to_csv().encode())
    path = tmp_path / "cvxportfolio-1.5.1.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        info = tarfile.TarInfo(cross_check._RETURNS)
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return path, frame


def test_returns_are_read_and_compared_on_common_days_and_stocks(archive):
    path, frame = archive
    returns = cross_check.read_returns(path, sha256(path))
    np.testing.assert_allclose(returns, frame)
    other = frame[["B", "C"]].iloc[5:].assign(B=lambda f: -f.B, D=1.0)
    found = cross_check.correlations(returns, other)
    assert found.to_dict() == pytest.approx({"B": -1, "C": 1})


def test_a_users_archive_of_the_wrong_hash_is_refused_and_kept(archive):
    path, _ = archive
    with pytest.raises(DataError, match=f"expected .*{cross_check.ARCHIVE_SHA256}"):
        cross_check.read_returns(path)
    assert path.exists()
