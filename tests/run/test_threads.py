"""`evaluate` computes in one thread and gives torch and Numba their numbers back."""

import numba
import pytest
import torch

from dfl_bench import evaluate, make_problem
from tests.faults.support import method_text, write_plugin

LOOKS = """
import torch, numba
assert (torch.get_num_threads(), numba.get_num_threads()) == (1, 1)
"""


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("fails", [False, True])
def test_threads_are_one_inside_and_given_back(tmp_path, toy, two_threads, fails):
    name = f"looks-{fails}".lower()
    write_plugin(
        tmp_path, name.replace("-", "_"), method_text(name, LOOKS + ("raise KeyError" if fails else ""))
    )
    before = numba.get_num_threads()
    if fails:
        with pytest.raises(KeyError):
            evaluate(name, make_problem("toy"))
    else:
        evaluate(name, make_problem("toy"))
    assert (torch.get_num_threads(), numba.get_num_threads()) == (2, before)
