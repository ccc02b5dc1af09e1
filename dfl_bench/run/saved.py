"""Predictors as files of numbers: NumPy's .npz with a description, never pickled code."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..contracts.files import write_atomically
from ..contracts.problem import Network
from ..errors import DataError, DflBenchError
from ..methods._regression import LinearPredictor
from .fitted import FittedPredictor

FORMAT = "dfl-bench predictor 1"
ADVICE = "expected a file that `result.predictor.save(path)` wrote"


def save(fitted: FittedPredictor, path: Path) -> None:
    """Write a predictor to a file."""
    kind, facts, arrays = _parts(fitted)
    about = {"format": FORMAT, "kind": kind, "facts": facts}
    about |= {name: getattr(fitted, name) for name in ("method", "problem", "seed", "features", "outcomes")}
    text = np.array(json.dumps(about))
    write_atomically(path, lambda file: np.savez(file, about=text, **arrays))  # type: ignore[arg-type]


def load_predictor(path: str | Path, module: Any = None) -> FittedPredictor:
    """Return a predictor from a file of weights; nothing in the file is run.

    Args:
        path: what `result.predictor.save(path)` wrote.
        module: for a predictor that was the user's torch module: such a module, or what makes it.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no predictor at {path}; {ADVICE}.")
    try:
        with np.load(path, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        about = json.loads(str(arrays.pop("about")))
    except (ValueError, KeyError, OSError, EOFError) as error:
        raise DataError(f"{path} is no predictor ({error}); {ADVICE}.") from error
    if about.get("format") != FORMAT:
        raise DataError(
            f"{path} has the format {about.get('format')!r}, this version reads {FORMAT!r}; {ADVICE}."
        )
    predict = _LOADERS[about["kind"]](about["facts"], arrays, module)
    shapes = (tuple(about["features"]), tuple(about["outcomes"]))
    return FittedPredictor(predict, about["method"], about["problem"], about["seed"], *shapes)


def _parts(fitted: FittedPredictor) -> tuple[str, dict[str, Any], dict[str, np.ndarray]]:
    predict: Any = fitted.predict
    if isinstance(predict, LinearPredictor):
        return "linear", {"shape": predict.shape}, {"weights": predict.weights}
    if callable(getattr(predict, "state", None)):
        return predict.state()
    model = getattr(predict, "model", None)
    if model is not None:
        raise DflBenchError(
            f"a {type(model).__name__} cannot be saved as weights; keep result.predictor.predict.model "
            "with the tools of "
            "its library (joblib, skops)."
        )
    raise DflBenchError(f"the predictor of {fitted.method} cannot be saved as weights.")


def _linear(facts: dict[str, Any], arrays: dict[str, np.ndarray], module: Any) -> LinearPredictor:
    return LinearPredictor(arrays["weights"], tuple(facts["shape"]))


def _network(facts: dict[str, Any], arrays: dict[str, np.ndarray], module: Any) -> Any:
    import torch

    from ..training.predictor import PredictorNetwork, TrainedPredictor
    from ..training.units import Units

    units = [torch.from_numpy(arrays.pop(name)) for name in ("mean", "spread") if name in arrays]
    shape, scale = Network(**facts["network"]), torch.from_numpy(arrays["scale"])
    network = PredictorNetwork(shape, facts["n_features"], scale, [np.random.default_rng(0)])
    network.load_state_dict({name: torch.from_numpy(values) for name, values in arrays.items()})
    return TrainedPredictor(network, 0, False, "cpu", Units(*units) if units else None)


@dataclass(frozen=True, slots=True)
class ModulePredictor:
    """A user's module with loaded weights."""

    module: Any
    arrays: dict[str, np.ndarray]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return predictions (n, ...) for features (n, ...)."""
        import torch

        given = (x - self.arrays["mean"][0]) / self.arrays["spread"][0] if "mean" in self.arrays else x
        with torch.no_grad():
            raw = self.module(torch.from_numpy(np.ascontiguousarray(given))).numpy()
        shape = (len(x), *self.arrays["start"].shape[2:])
        return raw.reshape(shape) * self.arrays["scale"][0] + self.arrays["start"][0]


def _module(facts: dict[str, Any], arrays: dict[str, np.ndarray], module: Any) -> ModulePredictor:
    import torch

    from ..training.own_network import made

    if module is None:
        raise ValueError(
            "this predictor was a torch module of your own: give it again, load_predictor(path, module=...)."
        )
    own = made(module, np.random.default_rng(0)).double().eval()
    weights = {name: torch.from_numpy(arrays[key][0]) for name, key in facts["names"].items()}
    try:
        own.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"the module is not the one that was saved: {error}") from error
    return ModulePredictor(own, arrays)


_LOADERS: dict[str, Callable[..., Any]] = {"linear": _linear, "network": _network, "module": _module}
