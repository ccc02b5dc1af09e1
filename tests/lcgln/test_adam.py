import numpy as np
import pytest
import torch

from lcgln.ensemble.adam import Adam, gradients_of


def parameters(dtype=torch.float64):
    """Sizes that do and do not fill a vector register, and one that is not contiguous."""
    torch.manual_seed(0)
    shapes = (1, 10, 20), (1, 1, 10), (3,), ()
    made = [torch.randn(shape, dtype=dtype) for shape in shapes] + [torch.randn(4, 7, dtype=dtype).t()]
    return [p.requires_grad_() for p in made]


def losses(params, step):
    return torch.stack([((p - step) ** 2 * (1 + p.cos())).sum() for p in params])


@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_every_step_is_that_of_torch_to_the_last_bit(weight_decay, dtype):
    ours, theirs = parameters(dtype), parameters(dtype)
    adam = Adam(ours, 0.03, weight_decay)
    reference = torch.optim.AdamW(theirs, lr=0.03, weight_decay=weight_decay, fused=True)
    for step in range(40):
        adam.step(gradients_of(losses(ours, step), ours))
        reference.zero_grad()
        losses(theirs, step).sum().backward()
        reference.step()
        assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True)), f"step {step}"
    assert not torch.equal(ours[0], parameters(dtype)[0])


def test_a_parameter_without_a_gradient_stays_and_counts_no_step():
    ours, theirs = parameters(), parameters()
    adam, reference = Adam(ours, 0.1, 0.2), torch.optim.AdamW(theirs, lr=0.1, weight_decay=0.2, fused=True)
    for step in range(12):
        used = slice(step % 3, 4)  # the last one is never reached, the first ones now and then
        adam.step(gradients_of(losses(ours[used], step), ours))
        reference.zero_grad()
        losses(theirs[used], step).sum().backward()
        reference.step()
        assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True)), f"step {step}"
    assert torch.equal(ours[4], parameters()[4])


def test_nothing_moves_when_there_is_no_gradient_at_all():
    params = parameters()
    Adam(params, 0.1).step([None] * len(params))
    assert all(torch.equal(a, b) for a, b in zip(params, parameters(), strict=True))


def test_gradients_are_of_the_weighted_sum_and_new_each_time():
    p, q = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([5.0], requires_grad=True)
    for _ in range(2):
        gradient, missing = gradients_of(p**2, [p, q], weight=0.5)
        assert gradient.tolist() == [1.0, 2.0]
        assert missing is None


def test_no_parameters_are_refused():
    with pytest.raises(ValueError, match="parameters to train"):
        Adam([], 0.1)


def test_some_members_go_on_as_if_they_had_been_alone():
    rng = np.random.default_rng(0)
    start, goal = (torch.from_numpy(rng.standard_normal((5, 8))) for _ in range(2))
    kept = torch.tensor([True, False, True, True, False])

    def train(part, leave_at):
        parameter = start[part].clone()
        target, adam = goal[part], Adam([parameter], 0.1)
        for step in range(20):
            if step == leave_at:
                (parameter,) = adam.keep(kept)
                target = target[kept]
            adam.step([(parameter - target) ** 3])
        return parameter

    assert torch.equal(train(slice(None), 7), train(kept, None))
