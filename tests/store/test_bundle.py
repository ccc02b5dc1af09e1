"""A bundle gives back what was packed, and says what is wrong where it cannot."""

import hashlib
import json
import zipfile

import pytest

from dfl_bench.errors import DflBenchError
from dfl_bench.store.bundle import BundleError, opened_bundle, write_bundle
from dfl_bench.store.store import Store
from tests.support.made import failure, record

CODE = b"# a plugin\r\n"


@pytest.fixture
def packed(tmp_path):
    plugin = tmp_path / "mine.py"
    plugin.write_bytes(CODE)
    with Store(tmp_path / "mine.sqlite") as store:
        digest = hashlib.sha256(CODE).hexdigest()[:16]
        store.add(record("pfl", 0), record("own", 0, method_code=digest), failure("pfl", 1))
    write_bundle(tmp_path / "mine.sqlite", tmp_path / "mine.zip", [plugin])
    return tmp_path


def test_what_was_packed_comes_back(packed):
    with opened_bundle(packed / "mine.zip") as bundle, Store(bundle.records, readonly=True) as copy:
        with Store(packed / "mine.sqlite", readonly=True) as original:
            assert [r.key for r in copy.records()] == [r.key for r in original.records()]
            assert copy.records()[0].regret.tobytes() == original.records()[0].regret.tobytes()
            assert [r.error for r in copy.failures()] == ["Boom: it broke"]
        (plugin,) = bundle.plugins
        assert plugin.name == "mine.py" and plugin.read_bytes() == CODE
        folder = bundle.records.parent
    assert not folder.exists()


def test_a_reader_finds_where_it_was_made(packed):
    with zipfile.ZipFile(packed / "mine.zip") as file:
        assert json.loads(file.read("environments.json")) == [{"cpu": "abacus", "commit": "abc"}]
        assert json.loads(file.read("bundle.json"))["results"] == 2


def test_a_plugin_that_is_missing_or_changed_is_told(packed):
    (packed / "mine.py").write_text("# another one\n")
    for plugins in ([], [packed / "mine.py"]):
        with pytest.raises(DflBenchError, match=r"records of own, which is no part of the suite"):
            write_bundle(packed / "mine.sqlite", packed / "other.zip", plugins)
    assert not (packed / "other.zip").exists()


def test_an_existing_file_is_left_as_it_is(packed):
    before = (packed / "mine.zip").read_bytes()
    (packed / "mine.py").write_bytes(CODE)
    with pytest.raises(DflBenchError, match="exists already"):
        write_bundle(packed / "mine.sqlite", packed / "mine.zip", [packed / "mine.py"])
    assert (packed / "mine.zip").read_bytes() == before


def rebuilt(path, target, change):
    """Pack the parts of a bundle again after a change of the dictionary that holds them."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    change(parts)
    with zipfile.ZipFile(target, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return target


def renamed(parts, name):
    manifest = json.loads(parts["bundle.json"])
    manifest["sha256"][name] = manifest["sha256"].pop("plugins/mine.py")
    parts["bundle.json"] = json.dumps(manifest).encode()
    parts[name] = parts.pop("plugins/mine.py")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.update({"plugins/mine.py": b"evil"}), "plugins/mine.py is not what was packed"),
        (lambda parts: parts.update({"records.sqlite": b""}), "records.sqlite is not what was packed"),
        (lambda parts: parts.pop("records.sqlite"), "records.sqlite is missing"),
        (lambda parts: parts.pop("bundle.json"), "bundle.json is missing"),
        (lambda parts: parts.update({"bundle.json": b"[]"}), "bundle.json is missing or cannot be read"),
        (
            lambda parts: parts.update({"plugins/more.py": b""}),
            "plugins/more.py is in it and not in its list",
        ),
        (lambda parts: renamed(parts, "../evil.py"), "'../evil.py' is no name of a part"),
        (lambda parts: renamed(parts, "plugins/../../evil.py"), "is no name of a part"),
        (lambda parts: renamed(parts, "/tmp/evil.py"), "is no name of a part"),
        (lambda parts: parts.update({"bundle.json": b'{"format": 9, "sha256": {}}'}), "has format 9"),
    ],
)
def test_a_changed_bundle_is_refused(packed, change, message):
    path = rebuilt(packed / "mine.zip", packed / "changed.zip", change)
    with pytest.raises(BundleError, match=message), opened_bundle(path):
        pass


def test_every_damaged_byte_is_noticed_or_harmless(packed):
    """Of a bundle with one bit turned, either all parts are as packed or an error says that it is damaged."""
    whole = (packed / "mine.zip").read_bytes()
    damaged = packed / "damaged.zip"
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            with opened_bundle(damaged) as bundle:
                assert bundle.plugins[0].read_bytes() == CODE
        except BundleError:
            continue


@pytest.mark.parametrize("length", [0, 3, 500])
def test_a_bundle_that_was_cut_short_is_told(packed, length):
    cut = packed / "cut.zip"
    cut.write_bytes((packed / "mine.zip").read_bytes()[:length])
    with pytest.raises(BundleError, match="damaged or no bundle"), opened_bundle(cut):
        pass
