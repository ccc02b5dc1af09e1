"""A plugin with a problem that costs nothing and methods that behave in every way a method can."""

import os
import subprocess
import time
from dataclasses import dataclass

import numpy as np

from dfl_bench import Method, Network, Problem, Reference, Split, Splits, methods, problems, rng_for
from dfl_bench.contracts.method import SeedBatched


@dataclass(frozen=True)
class ToyConfig:
    rows: int = 40
    fake_targets: int = 0


@problems.register("toy", version=1)
class Toy(Problem):
    """Pick the item worth most."""

    Config = ToyConfig
    sweeps = ("fake_targets",)
    provenance = "synthetic: toy"
    network = Network(outputs=3, activation="linear")

    def data(self, seed):
        rng = rng_for("toy", "data", seed=seed)
        x = rng.standard_normal((3 * self.config.rows, 4))
        y = x @ rng.standard_normal((4, 3)) + rng.standard_normal((len(x), 3))
        whole, n = Split(x, y), self.config.rows
        return Splits(whole[:n], whole[n : 2 * n], whole[2 * n :])

    def decide(self, y_hat, context):
        return y_hat.argmax(-1)

    def cost(self, z, y, context):
        return -(y * (z[..., None] == np.arange(3))).sum(-1)

    def worst(self, y, context):
        return y.argmin(-1)


@dataclass(frozen=True)
class Pace:
    seconds: float = 0.0
    samples: int = 2


@methods.register("toy-noisy", version=1)
class Noisy(Method):
    """Least squares plus the method's own noise; takes as long as it is told."""

    Config = Pace
    seeds = 1  # observed at once

    def fit(self, task, rng):
        with task.ledger.phase("train"):
            time.sleep(self.config.seconds)
            weights = np.linalg.lstsq(task.train.x, task.train.y)[0] + rng.standard_normal((4, 3))
            task.ledger.count(len(task.train))
            task.ledger.observe([0.5] * self.seeds)
        return lambda x: x @ weights


@methods.register("toy-starts", version=1)
class Starts(Noisy):
    """The same, with a process of its own that has to live until it is done."""

    def fit(self, task, rng):
        subprocess.run(["sleep", str(self.config.seconds)], check=True)
        return Noisy(Pace()).fit(task, rng)


@methods.register("toy-batched", version=1)
class Batched(SeedBatched):
    """The same, for a group of seeds at once."""

    Config = Pace

    def fit_batch(self, tasks, rngs):
        one = Noisy(self.config)
        one.seeds = len(tasks)
        return [one.fit(task, rng) for task, rng in zip(tasks, rngs, strict=True)]


@methods.register("toy-constant", version=1)
class Constant(Reference):
    """The mean label."""

    def predict(self, task, split, rng):
        return np.broadcast_to(task.train.y.mean(0), split.y.shape).copy()


class Plain(Method):
    def fit(self, task, rng):
        return lambda x: self.answer(x, task)

    def answer(self, x, task):
        return np.zeros((len(x), 3))


@methods.register("toy-raises", version=1)
class Raises(Plain):
    """Raises."""

    def answer(self, x, task):
        raise RuntimeError("I always raise")


@methods.register("toy-hangs", version=1)
class Hangs(Plain):
    """Never comes back."""

    def answer(self, x, task):
        time.sleep(10_000)


@methods.register("toy-wrong-shape", version=1)
class WrongShape(Plain):
    """Predicts two numbers where three are asked for."""

    def answer(self, x, task):
        return np.zeros((len(x), 2))


@methods.register("toy-one-row", version=1)
class OneRow(Plain):
    """Predicts one row for all."""

    def answer(self, x, task):
        return np.zeros((1, 3))


@methods.register("toy-eats", version=1)
class Eats(Plain):
    """Takes a GiB and holds it."""

    def answer(self, x, task):
        held = np.ones(2**27)
        time.sleep(60)
        return held


@methods.register("toy-dies", version=1)
class Dies(Plain):
    """Ends its process."""

    def answer(self, x, task):
        os.kill(os.getpid(), 11)


@methods.register("toy-diverges", version=1)
class Diverges(Plain):
    """Diverges on seed 1 alone."""

    def answer(self, x, task):
        return np.full((len(x), 3), np.nan if task.seed == 1 else 0.0)


@methods.register("toy-refuses", version=1)
class Refuses(Plain):
    """Applies to nothing."""

    @classmethod
    def not_applicable(cls, problem):
        return "needs a linear objective"
