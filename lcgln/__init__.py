"""LCGLN: a loss for decision-focused learning that is convex in the prediction.

A library that stands alone: it needs torch and one function, the regret of predictions, and knows no problem.
"""

from .algorithm import Config, Trained, train
from .fit import fit_surrogate
from .picnn import PICNN
from .surrogate import Surrogate, SurrogateConfig

__all__ = ["PICNN", "Config", "Surrogate", "SurrogateConfig", "Trained", "fit_surrogate", "train"]
