"""How a predictor is trained, and where labelled samples come from."""

from dataclasses import dataclass

from ..contracts.checks import require_between, require_choice, require_counts, require_positive


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How a predictor is trained. None means what the problem's network says."""

    learning_rate: float | None = None
    steps: int | None = None
    batch: int | None = None
    validate_every: int = 50
    patience: int = 500
    weight_decay: float = 0.0
    select: str = "best"  # which state is kept: the "best" by validation regret, or the "last"

    def __post_init__(self) -> None:
        require_choice(self, "select", "best", "last")
        require_counts(self, "steps", "batch", "validate_every", "patience")
        require_between(self, 0.0, 1e6, "weight_decay")
        check_shared(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledConfig(TrainingConfig):
    """A method that learns from labelled samples; which sampler draws them is a setting."""

    samples: int = 32
    sampler: str = "model-based"
    sampling_rate: float = 0.1  # model-based: the learning rate of the models whose states are taken
    checkpoints: str = "every"  # model-based: at "every" step or at "log"-spaced ones
    trajectories: int = 1  # model-based: how many models take turns
    width: float = 1.0  # perturbed, gaussian: of the noise, in standard deviations of the labels
    entries: int = 2  # perturbed: how many entries of an outcome are changed


# Names that several methods give a setting of one meaning.
_COUNTS = ("surrogate_steps", "rounds", "warm_epochs", "predictor_steps", "trajectories", "entries", "rank")
_POSITIVE = ("learning_rate", "sampling_rate", "surrogate_rate", "start_rate", "width", "noise")


def check_shared(config: object) -> None:
    """Check those settings by name that methods share, where a configuration has them."""
    require_counts(config, *(name for name in _COUNTS if hasattr(config, name)))
    # None stands where the problem's network says it; a field that must be a number declares its type.
    require_positive(config, *(name for name in _POSITIVE if getattr(config, name, None) is not None))
    if hasattr(config, "samples"):
        require_counts(config, "samples", least=2)
    if hasattr(config, "checkpoints"):
        require_choice(config, "checkpoints", "every", "log")
    if hasattr(config, "hold_out"):
        require_choice(config, "hold_out", "samples", "instances")
    for width in getattr(config, "hidden", ()):
        if type(width) is not int or width < 1:
            raise ValueError(f"expected hidden to hold positive whole numbers, got {width!r}.")
