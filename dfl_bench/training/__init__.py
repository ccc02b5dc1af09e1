"""The torch part that trained methods share: a batch of seeds, its predictor, samplers and fitted losses."""

from .config import SampledConfig, TrainingConfig
from .pools import Pool
from .prediction_loss import PredictionLoss
from .predictor import PredictorNetwork
from .samplers import sampler_of
from .seed_batch import Minibatch, SeedBatch, keep_finite
from .solutions import Solutions
from .surrogates import Samples, fit_to_samples

__all__ = [
    "Minibatch",
    "Pool",
    "PredictionLoss",
    "PredictorNetwork",
    "SampledConfig",
    "Samples",
    "SeedBatch",
    "Solutions",
    "TrainingConfig",
    "fit_to_samples",
    "keep_finite",
    "sampler_of",
]
