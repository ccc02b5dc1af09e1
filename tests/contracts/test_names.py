import importlib
import pkgutil
import subprocess
import sys
import types

import pytest

import dfl_bench
import kernels
import lcgln


def packages():
    for root in (dfl_bench, kernels, lcgln):
        yield root
        for info in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if info.ispkg:
                yield importlib.import_module(info.name)


@pytest.mark.parametrize("package", list(packages()), ids=lambda package: package.__name__)
def test_no_name_hides_a_module(package):
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("__"):
            continue
        importlib.import_module(f"{package.__name__}.{info.name}")
        assert isinstance(getattr(package, info.name), types.ModuleType), f"{package.__name__}.{info.name}"


def test_methods_and_problems_are_packages_and_registries():
    code = (
        "import dfl_bench.methods.lcgln, dfl_bench.problems.budget, dfl_bench\n"
        "assert dfl_bench.methods.lcgln.LCGLN is dfl_bench.methods.get('lcgln')\n"
        "assert dfl_bench.problems.budget.Budget is dfl_bench.problems.get('budget')\n"
        "assert dfl_bench.methods.names() and dfl_bench.__version__\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_everything_public_is_there():
    for name in dfl_bench.__all__:
        assert getattr(dfl_bench, name) is not None
    training = importlib.import_module("dfl_bench.training")
    for name in training.__all__:
        assert getattr(training, name).__doc__
