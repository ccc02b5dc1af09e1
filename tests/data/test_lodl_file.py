import re
import zipfile

import numpy as np
import pandas as pd
import pytest
import torch

from dfl_bench.data import lodl_file
from dfl_bench.data.cache import sha256
from dfl_bench.data.lodl_file import load_lodl
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem

SMALL = {"n_stocks": 4, "n_train": 10, "n_val": 8, "n_test": 9}


class Hostile:
    """A pickle that would make a file if it were loaded carelessly."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (open, (str(self.target), "w"))


@pytest.fixture
def lodl(tmp_path):
    rng = np.random.default_rng(0)
    days, stocks = 70, 6
    tables = [torch.from_numpy(rng.standard_normal((days, stocks, k))) for k in (28, 1, 9)]
    dates = list(pd.date_range("2004-01-01", periods=days))
    file = tmp_path / "price_data_2004-01-01_2017-01-01_daily.pt"
    content = [tables[0], tables[1], ["f"] * 28, tables[2], ["next1_return"], dates, ["A"] * stocks]
    torch.save(content, file)
    return file, content


def test_lodl_file_with_its_dates_is_read(lodl):
    file, content = lodl
    table = load_lodl(file)
    np.testing.assert_array_equal(table.features, content[0].numpy())
    np.testing.assert_array_equal(table.target, content[1][..., 0].numpy())


def test_portfolio_on_the_lodl_file(lodl):
    file, content = lodl
    problem = make_problem("portfolio", data=str(file), covariance="clairvoyant", **SMALL)
    assert problem.provenance == f"user-supplied: {file} (not the file published with LODL)"
    train, _, test = problem.data(0)
    first = int(np.flatnonzero((content[1][:, :, 0].numpy()[..., None] == train.y[0, :2]).any(1).all(-1))[0])
    stocks = [int(np.flatnonzero(content[1][first, :, 0].numpy() == y)[0]) for y in train.y[0]]
    day = first + 10 + 10 + 8 + 10
    np.testing.assert_array_equal(test.y[0], content[1][day, stocks, 0])
    future = np.concatenate([content[1][day, stocks], content[3][day, stocks]], -1)
    np.testing.assert_allclose(test.context["sigma"][0], np.corrcoef(future) + 0.1 * np.eye(4), atol=1e-12)
    with pytest.raises(DataError, match="covariance='past' needs the returns before each day"):
        make_problem("portfolio", data=str(file), **SMALL).data(0)
    with pytest.raises(ValueError, match="window to be at most 10"):
        make_problem("portfolio", data=str(file), window=11, gap=11, **SMALL).data(0)


def test_past_returns_are_found_among_the_features_by_name(lodl):
    file, content = lodl
    names = [f"f{i}" for i in range(28)]
    places = [20, *range(10)]
    for place, name in zip(places, ["cur_return", *(f"prev{k}_return" for k in range(1, 11))], strict=True):
        names[place] = name
    torch.save(with_table(content, 2, names), file)
    problem = make_problem("portfolio", data=str(file), days="first", **SMALL)
    stocks, _ = problem.draw(0, problem.market(0))
    past = content[0][3, stocks][:, places[:10]].numpy()
    expected = np.corrcoef(past) + 0.1 * np.eye(4)
    np.testing.assert_allclose(problem.data(0).train.context["sigma"][3], expected, atol=1e-12)


def test_the_published_file_is_known_by_size_and_hash(lodl, monkeypatch, tmp_path):
    file, _ = lodl
    assert (lodl_file.SIZE, lodl_file.SHA256[:8]) == (333_079_075, "2cc8e26e")
    assert lodl_file.describe(tmp_path / "absent.pt") == "missing"
    monkeypatch.setattr(lodl_file, "SIZE", file.stat().st_size)
    assert lodl_file.describe(file) == "not the file published with LODL"
    monkeypatch.setattr(lodl_file, "SHA256", sha256(file))
    assert "(the file published with LODL)" in make_problem("portfolio", data=str(file)).provenance
    assert make_problem("portfolio", data=str(file)).data_files == (file,)


def with_table(content, place, table):
    return [*content[:place], table, *content[place + 1 :]]


# The place in the list, what to do with the tensor there, and what the error says of it.
WRONG_TABLES = {
    "sparse": (0, lambda t: t.to_sparse(), "got sparse_coo float64 on cpu for the features"),
    "sparse rows": (3, lambda t: t.to_sparse_csr(), "got sparse_csr float64 on cpu for the later returns"),
    "complex": (0, lambda t: t.to(torch.complex128), "got strided complex128 on cpu for the features"),
    "bfloat16": (1, lambda t: t.to(torch.bfloat16), "got strided bfloat16 on cpu for the targets"),
    "integers": (1, lambda t: t.to(torch.int64), "got strided int64 on cpu for the targets"),
    "meta": (3, lambda t: t.to("meta"), "got strided float64 on meta for the later returns"),
    "quantized": (
        0,
        lambda t: torch.quantize_per_tensor(t.float(), 0.1, 0, torch.qint8),
        "got strided qint8 on cpu for the features",
    ),
    "a list": (0, lambda t: t.tolist(), "got list for the features"),
    "nothing": (3, lambda t: None, "got NoneType for the later returns"),
    "two dimensions": (1, lambda t: t[..., 0], r"got shape \(70, 6\) for the targets"),
    "no days": (0, lambda t: t[:0], r"got shape \(0, 6, 28\) for the features"),
    "fewer days": (0, lambda t: t[1:], r"got shapes \[\(69, 6, 28\), \(70, 6, 1\), \(70, 6, 9\)\]"),
    "fewer stocks": (3, lambda t: t[:, 1:], r"got shapes .* \(70, 5, 9\)"),
    "two targets": (1, lambda t: t.repeat(1, 1, 2), r"got shapes .* \(70, 6, 2\)"),
    "repeated numbers": (1, lambda t: t[:1, :1].clone().expand(70, 6, 1), "repeated ones for the targets"),
    "NaN": (0, lambda t: t.masked_fill(t > 2, torch.nan), "got NaN or infinity for the features"),
    "infinity": (3, lambda t: t.masked_fill(t > 2, torch.inf), "got NaN or infinity for the later returns"),
}


@pytest.mark.filterwarnings("ignore")  # torch calls some of these kinds of tensors old or new
@pytest.mark.parametrize("wrong", WRONG_TABLES)
def test_wrong_tables_are_refused(lodl, wrong):
    file, content = lodl
    place, change, said = WRONG_TABLES[wrong]
    torch.save(with_table(content, place, change(content[place])), file)
    with pytest.raises(DataError, match=rf"expected the LODL list .* in {re.escape(str(file))}.*{said}"):
        load_lodl(file)


@pytest.mark.parametrize("change", [torch.Tensor.float, torch.Tensor.half, torch.Tensor.requires_grad_])
def test_every_usual_kind_of_tensor_is_read(lodl, change):
    file, content = lodl
    features = change(content[0].clone())
    torch.save(with_table(content, 0, features), file)
    np.testing.assert_array_equal(load_lodl(file).features, features.detach().double().numpy())


def test_a_hostile_file_runs_nothing(tmp_path, lodl):
    file, content = lodl
    target = tmp_path / "proof"
    torch.save([*content, Hostile(target)], file)
    with pytest.raises(DataError, match="not loaded"):
        load_lodl(file)
    assert not target.exists()


def test_a_compressed_file_is_refused(tmp_path, lodl):
    file, _ = lodl
    small = tmp_path / "small.pt"
    with zipfile.ZipFile(file) as stored, zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as compressed:
        for entry in stored.infolist():
            compressed.writestr(entry.filename, stored.read(entry))
    with pytest.raises(DataError, match="not loaded: ValueError: it is compressed"):
        load_lodl(small)


@pytest.mark.filterwarnings("ignore")  # torch finds damaged protocols odd before it refuses them
@pytest.mark.parametrize("in_zip", [True, False])
def test_damage_is_refused_or_harmless(lodl, in_zip):
    file, content = lodl
    small = [value[:2].clone() if isinstance(value, torch.Tensor) else value[:2] for value in content]
    torch.save(small, file, _use_new_zipfile_serialization=in_zip)
    good = np.frombuffer(file.read_bytes(), np.uint8)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        bad = good.copy()
        places = rng.integers(0, len(bad), 5)
        bad[places] = rng.integers(0, 256, 5)
        file.write_bytes(bad)
        try:
            assert np.isfinite(load_lodl(file).features).all()
        except DataError as error:
            refused += str(file) in str(error)
    assert refused > 20


def test_truncated_missing_and_misshapen_files(tmp_path, lodl):
    file, content = lodl
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(DataError, match=r"expected the LODL list .* not loaded"):
        load_lodl(file)
    for bad, got in ((content[:2], "got list"), ({"a": 1}, "got dict")):
        torch.save(bad, file)
        with pytest.raises(DataError, match=rf"expected the LODL list .*{got}"):
            load_lodl(file)
    with pytest.raises(DataError, match="no file"):
        load_lodl(tmp_path / "absent.pt")
