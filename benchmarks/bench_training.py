"""Sampling, the surrogate fit, steps of each method, and whole small fits."""

import numpy as np
import torch

import lcgln
from benchmarks.inputs import METHODS, SHORT, SMALL, configured, fit
from dfl_bench.contracts.task import Task
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.speed.inputs import markets, probabilities
from dfl_bench.training.samplers import ModelBased, Perturbed
from kernels import inventory


class Sampling:
    params = ["inventory", "budget", "portfolio-synthetic"]
    param_names = ["problem"]

    def setup(self, name):
        problem = make_problem(name, **SMALL[name])
        data = problem.data(0)
        self.task = Task(problem, data.train, data.val, 0)
        self.model, self.perturbed = ModelBased(), Perturbed()
        self.time_model_based(name)
        self.time_perturbed(name)

    def time_model_based(self, name):
        self.model.draw(self.task, 32)

    def time_perturbed(self, name):
        for _ in range(5):
            self.perturbed.draw(self.task, 32)


class SurrogateFit:
    """Two hundred steps of LCGLN's loss network, for one seed and for ten trained as one batch."""

    params = [1, 10]
    param_names = ["seeds"]

    def setup(self, seeds):
        y = np.stack([probabilities(320)[1]] * seeds)
        y_hat = np.random.default_rng(1).dirichlet(np.ones(5), (seeds, 32, 320))
        self.data = (y, y_hat, inventory.regret(y_hat, y[:, None]))
        self.config = lcgln.SurrogateConfig(steps=200)
        self.time_fit(seeds)

    def time_fit(self, seeds):
        rngs = [np.random.default_rng(seed) for seed in range(seeds)]
        lcgln.fit_surrogate(*self.data, config=self.config, rng=rngs)


class Steps:
    """A hundred predictor steps and the whole fit around them; the sizes are small."""

    params = (METHODS, list(SMALL))
    param_names = ["method", "problem"]
    timeout = 300

    def setup(self, method, name):
        self.problem = make_problem(name, **SMALL[name])
        self.time_fit(method, name)

    def time_fit(self, method, name):
        fit(method, self.problem, [0], **SHORT)

    def peakmem_fit(self, method, name):
        fit(method, self.problem, [0], **SHORT)

    def track_step(self, method, name):
        """Milliseconds of training a step, validation included, by the ledger."""
        chosen = configured(method, self.problem, **SHORT)
        (result,) = evaluate_batch(chosen, self.problem, [0])
        steps = 25 if method == "lancer" else SHORT["steps"]
        return 1e3 * result.ledger.seconds["train"] / steps

    track_step.unit = "ms"


class DecisionLayer:
    """Decision and gradient of one step: 32 instances."""

    params = list(SMALL)
    param_names = ["problem"]

    def setup(self, name):
        self.problem = make_problem(name, **SMALL[name]).in_training
        train = self.problem.data(0).train[:32].to("cpu")
        self.context, self.y = train.context, train.y
        self.y_hat = torch.as_tensor(train.y).clone().requires_grad_()
        self.time_gradient(name)

    def time_gradient(self, name):
        for _ in range(5):
            z = self.problem.decision_layer(self.y_hat, self.context)
            self.problem.cost(z, self.y, self.context).sum().backward()


class Threads:
    """Steps of the widest network by torch threads: how many to use is a measurement."""

    params = [1, 2]
    param_names = ["threads"]

    def setup(self, threads):
        torch.set_num_threads(threads)
        y, _ = markets(32, 1)
        self.x = torch.randn(32 * 50, 28, dtype=torch.float64)
        self.y = torch.from_numpy(y[:, 0]).reshape(-1, 1)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(28, 500), torch.nn.ReLU(), torch.nn.Linear(500, 1)
        ).double()
        self.time_steps(threads)

    def time_steps(self, threads):
        for _ in range(5):
            self.network.zero_grad()
            (self.network(self.x) - self.y).square().mean().backward()
