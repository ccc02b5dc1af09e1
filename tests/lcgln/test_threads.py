import pytest
import torch

import lcgln
from lcgln.ensemble.threads import one_thread
from tests.lcgln import toy

QUICK = lcgln.Config(
    samples=4, sampling_rates=(0.05,), surrogate=lcgln.SurrogateConfig(steps=20), steps=20, every=10
)


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
def test_one_thread_inside_and_the_old_number_after():
    with one_thread():
        assert torch.get_num_threads() == 1
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_an_error_gives_the_number_back_too():
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_training_runs_in_one_thread_and_gives_the_number_back():
    seen = []

    def regret(y_hat, rows):
        seen.append(torch.get_num_threads())
        return toy.regret(y_hat, rows)

    lcgln.train(toy.predictor(0), toy.rows(30, 0), toy.rows(20, 1), regret=regret, config=QUICK)
    assert set(seen) == {1}
    assert torch.get_num_threads() == 3

    def broken(y_hat, rows):
        raise RuntimeError("no regret")

    with pytest.raises(RuntimeError, match="no regret"):
        lcgln.train(toy.predictor(0), toy.rows(30, 0), toy.rows(20, 1), regret=broken, config=QUICK)
    assert torch.get_num_threads() == 3
