"""DFL with the prediction error added, as LODL's published code runs it."""

from dataclasses import dataclass

from .. import methods
from ..contracts.search_space import Range
from .dfl import DFL, DFLConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class DFLRegConfig(DFLConfig):
    """The published weight is one."""

    prediction_weight: float = 1.0


@methods.register("dfl-reg", version=1, family="differentiation")
class DFLReg(DFL):
    """DFL plus the prediction loss: a gradient remains where the decision has none."""

    Config = DFLRegConfig
    search = {**DFL.search, "prediction_weight": Range(1e-3, 1e2)}
