import subprocess
import sys
import textwrap

import pytest

from dfl_bench import problems
from dfl_bench.contracts.problem import Problem
from dfl_bench.contracts.registry import Registry, load_plugin
from dfl_bench.errors import UnknownNameError
from dfl_bench.problems import make_problem


@pytest.fixture
def registry(tmp_path, monkeypatch) -> Registry:
    """An empty registry over a package of its own, with one thing in it."""
    package = tmp_path / f"things_{tmp_path.name}".replace("-", "_")
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "hammer.py").write_text(
        textwrap.dedent('''
        from shop import things
        @things.register("hammer", version=3)
        class Hammer:
            """Drive nails.

            More of it.
            """
        ''')
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry("thing", package.name)
    monkeypatch.setitem(sys.modules, "shop", type(sys)("shop"))
    sys.modules["shop"].things = registry
    return registry


def test_names_are_known_before_import(registry):
    assert registry.names() == ["hammer"]
    assert registry.entries()["hammer"].summary == "Drive nails."
    assert f"{registry.package}.hammer" not in sys.modules


def test_get_imports_and_files_name_and_version(registry):
    cls = registry.get("hammer")
    assert (cls.name, cls.version) == ("hammer", 3)
    assert registry.get("hammer") is cls


def test_unknown_name_suggests(registry):
    with pytest.raises(
        UnknownNameError, match=r"no thing named 'hamer'\. Did you mean 'hammer'\? Registered: hammer"
    ):
        registry.get("hamer")


def test_nothing_close_suggests_nothing(registry):
    with pytest.raises(UnknownNameError) as error:
        registry.get("zzz")
    assert "Did you mean" not in str(error.value)


def test_a_taken_name_is_refused(registry):
    with pytest.raises(ValueError, match="'hammer' is taken"):

        @registry.register("hammer", version=1)
        class Other:
            pass

    assert registry.get("hammer").version == 3


def test_a_name_taken_at_run_time_is_refused(registry):
    registry.register("saw", version=1)(type("Saw", (), {}))
    with pytest.raises(ValueError, match="'saw' is taken"):
        registry.register("saw", version=1)(type("OtherSaw", (), {}))


def test_a_reloaded_class_replaces_itself(registry):
    first, second = (type("Saw", (), {}) for _ in range(2))
    registry.register("saw", version=1)(first)
    registry.register("saw", version=2)(second)
    assert registry.get("saw") is second


PLUGIN = '''
from dfl_bench import problems
from dfl_bench.problems.inventory import Inventory

@problems.register("shop-{tag}", version=1)
class Shop(Inventory):
    """A plugin's problem."""
'''


@pytest.fixture
def no_leftovers():
    """Give the problem registry back as it was, but for built-in problems that were imported on the way."""
    yield
    for name in [name for name in problems.registry._classes if name.startswith("shop-")]:
        del problems.registry._classes[name]


def test_plugin_file_registers(tmp_path, no_leftovers):
    file = tmp_path / "my_problem.py"
    file.write_text(PLUGIN.format(tag="file"))
    load_plugin(file)
    load_plugin(file)  # a plugin given twice replaces itself
    assert "shop-file" in problems.names()
    problem = make_problem("shop-file", n_train=3)
    assert isinstance(problem, Problem)
    assert problem.version == 1


def test_plugin_cannot_take_a_built_in_name(tmp_path, no_leftovers):
    file = tmp_path / "thief.py"
    file.write_text(PLUGIN.replace("shop-{tag}", "budget"))
    with pytest.raises(ValueError, match="'budget' is taken"):
        load_plugin(file)
    assert problems.get("budget").__module__ == "dfl_bench.problems.budget"


def test_plugin_with_a_syntax_error_names_file_and_line(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("x = 1\ndef (:\n")
    with pytest.raises(SyntaxError) as error:
        load_plugin(file)
    assert (error.value.filename, error.value.lineno) == (str(file), 2)
    assert "dfl_bench_plugin_broken" not in sys.modules


def test_missing_plugin_says_what_was_expected(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"expected a \.py file"):
        load_plugin(tmp_path / "absent.py")


def test_entry_point_is_listed_and_imported(tmp_path, monkeypatch, no_leftovers):
    (tmp_path / "shop_plugin.py").write_text(PLUGIN.format(tag="dist"))
    info = tmp_path / "shop_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dfl_bench.problems]\nshop-dist = shop_plugin:Shop\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "shop-dist" in problems.names()
    assert "shop_plugin" not in sys.modules
    assert problems.get("shop-dist").__name__ == "Shop"
    del sys.modules["shop_plugin"]


def test_listing_names_imports_nothing_heavy():
    code = (
        "import sys; from dfl_bench import problems; names = problems.names(); "
        "print(*names); print({'torch', 'numba', 'kernels', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, heavy = done.stdout.splitlines()
    assert {"budget", "inventory", "portfolio", "portfolio-synthetic"} <= set(names.split())
    assert heavy == "set()"


def test_data_of_every_problem_needs_no_torch():
    code = (
        "import sys; from dfl_bench import make_problem\n"
        "for name in ('inventory', 'budget', 'portfolio-synthetic'):\n"
        "    problem = make_problem(name, n_train=3, n_val=3, n_test=3)\n"
        "    rows = problem.data(0).test\n"
        "    problem.in_training.regret(rows.y, rows.y, rows.context)\n"
        "print('torch' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert out == ["False"]
