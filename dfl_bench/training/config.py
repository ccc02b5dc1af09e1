"""How a predictor is trained."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How a predictor is trained. None means what the problem's network says."""

    learning_rate: float = 1e-3
    steps: int | None = None
    batch: int | None = None
    validate_every: int = 50
    patience: int = 500
    weight_decay: float = 0.0
