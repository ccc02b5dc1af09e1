"""The predictor of a problem made of a user's rows: our network by default, or what the user hands in."""

from dataclasses import fields
from typing import Any

from ..contracts.problem import Network
from ..contracts.split import Split

HIDDEN, BATCH, RATE = 32, 32, 5e-3


def network_for(predictor: Any, rows: Split) -> Network:
    """Return the network that is trained, or that a user's own predictor stands for.

    Args:
        predictor: None, "linear", a `Network`, or the user's own.
        rows: whose features and outcomes it maps.
    """
    outputs = 1 if rows.x.ndim == 3 else rows.y.shape[1]
    if isinstance(predictor, Network):
        if predictor.outputs != outputs:
            raise ValueError(
                f"expected a network with outputs={outputs} for these rows, got {predictor.outputs}."
            )
        return predictor
    if isinstance(predictor, str) and predictor != "linear":
        raise ValueError(
            f"expected predictor to be 'linear', a Network, a torch module or a regressor, got {predictor!r}."
        )
    return Network(
        outputs=outputs,
        activation="linear",
        hidden=0 if predictor == "linear" else HIDDEN,
        batch=BATCH,
        learning_rate=RATE,
        passes=True,
        standardize=True,
    )


def describe_predictor(predictor: Any) -> str:
    """Return what tables call a predictor; "" for the usual one."""
    if predictor is None:
        return ""
    if isinstance(predictor, str):
        return predictor
    if isinstance(predictor, Network):
        usual = {f.name: f.default for f in fields(Network)}
        changed = [
            f"{n}={getattr(predictor, n)}"
            for n in usual
            if n != "outputs" and getattr(predictor, n) != usual[n]
        ]
        return f"Network({', '.join(changed)})"
    if isinstance(predictor, type) or hasattr(predictor, "__code__"):
        return str(predictor.__name__)
    return type(predictor).__name__
