"""The imports users write, and what they must not bring along."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def imported_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sorted(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(shown.stdout.split())


def test_both_paths_give_the_same_modules():
    import dfl_bench.kernels
    import kernels.errors
    from kernels import budget, inventory, portfolio

    assert dfl_bench.kernels.inventory is inventory
    assert dfl_bench.kernels.budget is budget
    assert dfl_bench.kernels.portfolio is portfolio
    assert dfl_bench.kernels.SolverError is kernels.errors.SolverError


def test_the_suite_alone_imports_neither_numba_nor_torch():
    assert not {"numba", "torch", "kernels", "dfl_bench.kernels"} & imported_after("import dfl_bench")


@pytest.mark.parametrize("kernel", ["inventory", "budget", "portfolio", "polytope"])
def test_a_kernel_imports_neither_torch_nor_the_suite(kernel):
    modules = imported_after(f"from kernels import {kernel}")
    assert "numba" in modules
    assert not {"torch", "dfl_bench", "lcgln"} & modules


def test_the_other_public_names():
    from kernels.deferred import deferred, require
    from kernels.directed import directed_quadratics
    from kernels.errors import SolverError

    assert callable(deferred) and callable(require) and callable(directed_quadratics)
    assert issubclass(SolverError, RuntimeError)


@pytest.mark.parametrize("kernel", ["inventory", "budget", "portfolio", "polytope"])
def test_every_name_a_kernel_exports_exists_and_is_no_module(kernel):
    module = getattr(__import__("kernels", fromlist=[kernel]), kernel)
    assert module.__all__ == sorted(module.__all__, key=lambda name: (not name.isupper(), name))
    for name in module.__all__:
        assert not isinstance(getattr(module, name), type(sys))
