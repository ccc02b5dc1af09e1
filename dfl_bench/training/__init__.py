"""The torch part that trained methods share: a batch of seeds, its predictor, samplers and fitted losses."""

from .config import TrainingConfig
from .predictor import PredictorNetwork
from .seed_batch import Minibatch, SeedBatch, keep_finite
from .surrogates import Samples, fit_by_instance

__all__ = [
    "Minibatch",
    "PredictorNetwork",
    "Samples",
    "SeedBatch",
    "TrainingConfig",
    "fit_by_instance",
    "keep_finite",
]
