import base64
import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core.multiarray import _reconstruct, scalar
from numpy._core.numeric import _frombuffer

from dfl_bench.data import click_file, plain_pickle
from dfl_bench.data.click_file import load_click_rates
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem

# Made with NumPy 1.26.4 from the rates of `small_rates` in several layouts, beside one np.float64.
OLD_PICKLES = json.loads((Path(__file__).parent / "numpy1_pickles.json").read_text())


class Call:
    """Pickles as a call of a function with any arguments, then a state."""

    def __init__(self, function, *arguments, state=None):
        self.parts = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self):
        return self.parts


def dtype(code, *state):
    return Call(np.dtype, code, False, True, state=state)


def array(kind, shape, raw):
    return Call(_reconstruct, np.ndarray, (0,), b"b", state=(1, shape, kind, False, raw))


F8, OBJECT = np.dtype("f8"), np.dtype("O")
HIDDEN_OBJECT = dtype("V8", 3, "|", None, ("a",), {"a": (OBJECT, 0)}, 8, 1, 0)

# Those marked "crash" end the process when NumPy's own functions make arrays of them.
HOSTILE = {
    "crash: objects from bytes": array(dtype("O", 3, "|", None, None, None, 8, 8, 0), (1, 1, 1), b"A" * 8),
    "crash: objects in a field": array(HIDDEN_OBJECT, (1, 1, 1), b"A" * 8),
    "crash: too few objects": array(OBJECT, (1, 1, 1000), [1]),
    "crash: an object as a number": Call(scalar, HIDDEN_OBJECT, b"A" * 8),
    "crash: objects in a buffer": Call(_frombuffer, b"A" * 8, HIDDEN_OBJECT, (1, 1, 1), "C"),
    "a field far away": array(
        dtype("V8", 3, "|", None, ("a",), {"a": (F8, 1 << 40)}, 8, 1, 0), (1, 1, 1), b"A" * 8
    ),
    "a field inside": array(
        dtype([("a", "f8")], 3, "|", None, ("a",), {"a": (F8, 9)}, 8, 1, 0), (1, 1, 1), b"A" * 8
    ),
    "a subarray": array(dtype("V8", 3, "|", (F8, (1 << 20,)), None, None, 8, 1, 0), (1, 1, 1), b"A" * 8),
    "a small item size": array(dtype("f8", 3, "<", None, None, None, 1, 1, 0), (1, 1, 800), b"A" * 800),
    "a large item size": array(dtype("f8", 3, "<", None, None, None, 1 << 20, 8, 0), (1, 1, 1), b"A" * 8),
    "no byte order": array(Call(np.dtype, "f8", False, True), (1, 1, 1), b"\0" * 8),
    "an unknown byte order": array(dtype("f8", 3, "!", None, None, None, -1, -1, 0), (1, 1, 1), b"\0" * 8),
    "an array of text": np.array([[["a"]]]),
    "complex numbers": np.zeros((1, 1, 1), complex),
    "an array with no state": Call(_reconstruct, np.ndarray, (1 << 31, 1, 1), b"d"),
    "too few bytes": array(F8, (1, 1, 1 << 39), b"\0" * 8),
    "too many bytes": array(F8, (1, 1, 1), b"\0" * 16),
    "a negative length": array(F8, (-1, -1, 1), b"\0" * 8),
    "no numbers": np.zeros((1 << 30, 0, 1)),
    "a huge length": array(F8, (1 << 4000, 1, 1), b"\0" * 8),
    "a length that is a list": array(F8, (1, 1, [1]), b"\0" * 8),
    "a shape that is a number": array(F8, 1, b"\0" * 8),
    "bytes that are a number": array(F8, (1, 1, 1), 8),
    "a dtype that is a number": array(8, (1, 1, 1), b"\0" * 8),
    "an unknown order": Call(_frombuffer, b"\0" * 8, F8, (1, 1, 1), "A"),
    "an axis that is not there": Call(_frombuffer, b"\0" * 8, F8, (1, 1, 1), "K", (0, 1, 7)),
    "axes that are a number": Call(_frombuffer, b"\0" * 8, F8, (1, 1, 1), "K", 7),
    "too many arguments": Call(scalar, F8, b"\0" * 8, 1, 1),
    "parts of different shapes": [[[0.5]], [[0.5, 0.5]]],
    "an empty list": [[[]]],
    "text among numbers": [[["0.5"]]],
    "a number beyond float64": [[[10**400]]],
    "four levels": [[[[0.5]]]],
}

# Steps written by hand: what a pickle of Python's own never holds.
HAND_MADE = {
    "nothing": b"",
    "only an end": b".",
    "no end": b"\x80\x02",
    "a place of the memo at four thousand million": b"\x80\x02Nr\xff\xff\xff\xff.",
    "a place of the memo in a long number": b"Np99999999999999999999\n0.",
    "bytes of a claimed exabyte": b"\x80\x04\x8e" + (1 << 60).to_bytes(8, "little") + b"A.",
    "a frame of a claimed exabyte": b"\x80\x04\x95" + (1 << 60).to_bytes(8, "little") + b"N.",
    "a value never made": b"\x80\x02h\x07.",
    "a mark never set": b"\x80\x02t.",
    "an end of several marks": b"\x80\x02(((t.",
    "an extension": b"\x80\x02\x82\x01.",
    "a persistent name": b"\x80\x02U\x01aQ.",
    "an instance": b"(inumpy\nndarray\n.",
    "a new object": b"\x80\x02cnumpy\nndarray\n)\x81.",
    "a call of a list": b"\x80\x02])R.",
    "a call of an array class": b"\x80\x02cnumpy\nndarray\n)R.",
    "a state for a name": b"\x80\x02cnumpy\ndtype\nN}U\x04codeK\x01s\x86b.",
    "bytes of a claimed size": b"\x80\x02c__builtin__\nbytes\n\x8a\x05\0\0\0\0\x01\x85R.",
    "another encoding": b"\x80\x02c_codecs\nencode\nU\x01aU\x03bz2\x86R.",
    "names that are lists": b"\x80\x04]]\x93.",
    "an item for a number": b"\x80\x02K\x01K\x02a.",
    "a list in itself": b"\x80\x02(]q\0h\0aN\x86t.",
    "lists in lists": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"N\x86.",
}


@pytest.fixture
def rates():
    return np.random.default_rng(0).uniform(0, 1, (40, 8, 12))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "budget_allocation_data.pkl"


def small_rates():
    return np.arange(12, dtype=np.float64).reshape(2, 2, 3) / 13


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        list,
        np.asfortranarray,
        np.ndarray.tolist,
        lambda rates: [[list(row) for row in one] for one in rates],
        lambda rates: rates.astype(">f8"),
        lambda rates: rates.transpose(0, 2, 1).copy().transpose(0, 2, 1),
        lambda rates: rates.repeat(2, 0)[::2],
    ],
    ids="array list fortran floats numbers big-endian transposed strided".split(),
)
def test_click_rates_of_any_protocol(file, rates, protocol, convert):
    file.write_bytes(pickle.dumps((convert(rates), {"names": ["a", 1.5, np.float64(2)]}), protocol))
    loaded = load_click_rates(file)
    assert loaded.dtype == np.float64
    np.testing.assert_array_equal(loaded, rates)


@pytest.mark.parametrize("code", "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split())
def test_every_kind_of_number(file, code):
    expected = small_rates().round().astype(code)
    file.write_bytes(pickle.dumps((expected, None)))
    np.testing.assert_array_equal(load_click_rates(file), expected.astype(np.float64))


@pytest.mark.parametrize("name", OLD_PICKLES)
def test_pickles_of_old_numpy(file, name):
    file.write_bytes(base64.b64decode(OLD_PICKLES[name]))
    rates = small_rates()
    expected = {
        "float32": rates.astype("f4"),
        "integers": rates > 0.5,
        "bool": rates > 0.5,
        "transposed": rates.transpose(1, 2, 0),
    }.get(name.split()[0], rates)
    np.testing.assert_array_equal(load_click_rates(file), expected.astype(np.float64))


def test_bytes_as_python_2_wrote_them(file):
    empty = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R"
    kind = b"cnumpy\ndtype\nU\x02f8K\0K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
    file.write_bytes(empty + b"(K\x01K\x01K\x01K\x01\x87" + kind + b"\x89U\x08\0\0\0\0\0\0\xe0?tbN\x86.")
    np.testing.assert_array_equal(load_click_rates(file), np.full((1, 1, 1), 0.5))


def test_a_hostile_pickle_runs_nothing(tmp_path, file, rates):
    target = tmp_path / "proof"
    file.write_bytes(pickle.dumps((rates, Call(open, str(target), "w"))))
    with pytest.raises(DataError, match=r"not loaded: it asks for .*open"):
        load_click_rates(file)
    assert not target.exists()


@pytest.mark.parametrize("module", ["os", "builtins", "numpy", "numpy.testing._private.utils", "subprocess"])
def test_no_name_beyond_arrays(file, module):
    file.write_bytes(f"c{module}\nrunstring\n(S'print()'\ntR.".encode())
    with pytest.raises(DataError, match=f"it asks for '{module}.runstring'"):
        load_click_rates(file)


# A child of its own, so that a crash is a failed test; its memory is limited, so that a huge claim fails too.
CHILD = """
import resource, sys
import numpy as np
from pathlib import Path
from dfl_bench.data.click_file import load_click_rates
from dfl_bench.errors import DataError

resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, flush=True)
    try:
        rates = load_click_rates(path)
        print("loaded", np.isfinite(rates).all() and rates.ndim == 3)
    except DataError as error:
        print("refused", str(path) in str(error) and "expected" in str(error), error)
"""


def outcomes(folder):
    """Return the outcome of loading each file of a folder, in one child process."""
    done = subprocess.run([sys.executable, "-c", CHILD, folder], capture_output=True, text=True, timeout=240)
    lines = done.stdout.splitlines()
    last = lines[-1] if lines else "the start"
    assert done.returncode == 0, f"the process ended with {done.returncode} at {last}: {done.stderr[-500:]}"
    return dict(zip(lines[::2], lines[1::2], strict=True))


def test_no_crafted_pickle_crashes_or_loads(tmp_path):
    names = [*HOSTILE, *HAND_MADE]
    for i, name in enumerate(names):
        data = pickle.dumps((HOSTILE[name], None), 2) if name in HOSTILE else HAND_MADE[name]
        (tmp_path / f"{i:03}").write_bytes(data)
    found = {names[int(key)]: value for key, value in outcomes(tmp_path).items()}
    assert len(found) == len(names)
    assert {name: value for name, value in found.items() if not value.startswith("refused True")} == {}


def test_what_is_not_needed_is_not_made(file, rates):
    file.write_bytes(pickle.dumps((rates, list(HOSTILE.values())[:5]), 2))
    np.testing.assert_array_equal(load_click_rates(file), rates)


@pytest.mark.parametrize("protocol", [2, 5])
def test_no_damage_crashes(tmp_path, protocol):
    rng = np.random.default_rng(protocol)
    values = (np.asfortranarray(small_rates()), [np.float64(0.5), {"a": [1, 2.5]}, list(small_rates())])
    good = np.frombuffer(pickle.dumps(values, protocol), np.uint8)
    for i in range(400):
        bad = good.copy()
        places = rng.integers(0, len(bad), rng.integers(1, 4))
        bad[places] = rng.integers(0, 256, len(places))
        (tmp_path / f"{i:03}").write_bytes(bad[: rng.integers(1, len(bad))] if i % 10 == 0 else bad)
    found = list(outcomes(tmp_path).values())
    assert len(found) == 400
    assert {value.split(" ", 2)[1] for value in found} == {"True"}
    assert {value.split(" ", 1)[0] for value in found} == {"loaded", "refused"}


def test_a_small_file_cannot_ask_for_a_huge_table(file):
    row = [0.5] * 2000
    file.write_bytes(pickle.dumps(([[row] * 2000] * 2000, None)))
    assert file.stat().st_size < 50_000
    with pytest.raises(DataError, match=r"shape \(2000, 2000, 2000\) is larger"):
        load_click_rates(file)


def test_limits_of_size_and_steps(file, rates, monkeypatch):
    file.write_bytes(pickle.dumps((rates.tolist(), None)))
    monkeypatch.setattr(plain_pickle, "MAX_STEPS", 1000)
    with pytest.raises(DataError, match="more than 1000 steps; keep its numbers in NumPy arrays"):
        load_click_rates(file)
    monkeypatch.setattr(click_file, "MAX_BYTES", 1000)
    with pytest.raises(DataError, match="larger than 1000 bytes"):
        load_click_rates(file)


def test_truncated_missing_and_misshapen_files(file, rates):
    with pytest.raises(DataError, match="no file"):
        load_click_rates(file)
    file.write_bytes(pickle.dumps((rates, None))[:500])
    with pytest.raises(DataError, match=r"expected a pair .* not loaded: "):
        load_click_rates(file)
    for content in (
        rates,
        (rates[0], None),
        (rates + 1, None),
        (rates * np.nan, None),
        ("text", None),
        (0.5, 0),
    ):
        file.write_bytes(pickle.dumps(content))
        with pytest.raises(DataError, match="expected a pair"):
            load_click_rates(file)


def test_budget_on_a_user_file_keeps_parts_apart(file, rates):
    file.write_bytes(pickle.dumps((rates, None)))
    settings = {"data": str(file), "fake_targets": 3, "n_train": 20, "n_val": 10, "n_test": 10}
    problem = make_problem("budget", **settings)
    assert problem.provenance == f"user-supplied: {file} (unknown file)"
    parts = problem.data(0)
    y = np.concatenate([part.y for part in parts])
    assert y.shape == (40, 5, 10)
    assert len(np.unique(y.reshape(40, -1), axis=0)) == 40
    assert np.isin(y, rates).all()
    assert parts.train.x.shape == (20, 5, 10)
    assert make_problem("budget", features="all", **settings).data(0).train.x.shape == (20, 5, 13)
    with pytest.raises(DataError, match=r"at least \(41, 5, 10\)"):
        make_problem("budget", **{**settings, "n_train": 21}).data(0)


def test_the_published_file_is_known_by_its_size_and_hash(file, rates, monkeypatch):
    assert click_file.recognise(file) == "missing"
    content = pickle.dumps((rates, None))
    file.write_bytes(content)
    monkeypatch.setattr(click_file, "PUBLISHED_BYTES", len(content))
    assert click_file.recognise(file) == "unknown file"
    monkeypatch.setattr(click_file, "PUBLISHED_SHA256", hashlib.sha256(content).hexdigest())
    known = "the file of Wilder et al. (2019), recognised by its hash"
    assert click_file.recognise(file) == known
    assert make_problem("budget", data=str(file)).provenance == f"user-supplied: {file} ({known})"
    file.write_bytes(content + b" ")
    assert click_file.recognise(file) == "unknown file"
