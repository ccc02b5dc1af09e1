"""SPO+ training as PyEPO's documentation does it: a loader, a linear model, Adam, GLOP for every solve."""

from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import torch
from torch import nn

from .shortest_path import pyepo_model


def epochs_by_pyepo(
    x: np.ndarray, costs: np.ndarray, side: int, batch: int = 32, rate: float = 1e-2
) -> Callable[[int], Callable[[np.ndarray], np.ndarray]]:
    """Return the function from a number of epochs to a newly trained predictor.

    Args:
        x: features (n, features).
        costs: the true costs (n, a) of a grid; their paths are solved here, before training.
        side: rows and columns of the grid.
        batch: instances of a step.
        rate: the learning rate.
    """
    model = pyepo_model(side)  # first, for what it imports

    from pyepo.data.dataset import optDataset
    from pyepo.func import SPOPlus
    from torch.utils.data import DataLoader

    with redirect_stderr(StringIO()):  # a progress bar
        data = optDataset(model, x, costs)
    loss = SPOPlus(model, processes=1)

    def train(epochs: int) -> Callable[[np.ndarray], np.ndarray]:
        torch.manual_seed(0)
        network = nn.Linear(x.shape[1], costs.shape[1])
        optimizer = torch.optim.Adam(network.parameters(), lr=rate)
        loader = DataLoader(data, batch_size=batch, shuffle=True)
        for _ in range(epochs):
            for features, true_costs, path, optimum in loader:
                optimizer.zero_grad()
                loss(network(features), true_costs, path, optimum).backward()
                optimizer.step()
        return lambda rows: network(torch.from_numpy(rows).float()).detach().double().numpy()

    return train
