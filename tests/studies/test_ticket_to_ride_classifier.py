"""The classifier's steps against those of formulas in double precision."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.genomes.mlp import MLP
from evolve_arena.studies.ticket_to_ride.classifier import ClassifierSettings, Training, learn_rows

NETWORK = MLP(inputs=3, hidden=(7, 5), outputs=4, activation="relu")
DATA = np.random.default_rng(1)
INPUTS = DATA.normal(size=(90, 3)).astype(np.float32)
CLASSES = (INPUTS[:, 0] > 0) * 2 + (INPUTS[:, 1] > 0).astype(np.int64)
ADAM = ClassifierSettings(NETWORK, "adam", learning_rate=0.01, penalty=0.0, batch=20)
SLOPES = {
    "relu": lambda values: (values > 0).astype(float),
    "tanh": lambda values: 1 - values**2,
    "sigmoid": lambda values: values * (1 - values),
}
FUNCTIONS = {
    "relu": lambda sums: np.maximum(sums, 0),
    "tanh": np.tanh,
    "sigmoid": lambda sums: 1 / (1 + np.exp(-sums)),
}


def beginner() -> Training:
    genes = NETWORK.initialise(1, "glorot", np.random.default_rng(2))[0]
    return Training(genes, np.zeros((2, NETWORK.genes), dtype=np.float32), 0)


class Slow:
    """The same learner in NumPy, as the formulas stand in the papers."""

    def __init__(self, settings: ClassifierSettings, genes: NDArray[np.float32]) -> None:
        self.settings, self.genes = settings, genes.astype(float)
        self.first, self.second = np.zeros(len(genes)), np.zeros(len(genes))
        self.steps, self.loss = 0, 0.0

    def split(self, genes: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return views of the weights and biases of each layer."""
        parts, at, sizes = [], 0, self.settings.mlp.sizes
        for before, after in pairwise(sizes):
            parts.append(genes[at : at + before * after].reshape(before, after))
            parts.append(genes[at + before * after : at + (before + 1) * after])
            at += (before + 1) * after
        return parts

    def learn(self, inputs: NDArray[np.float32], classes: NDArray[np.int64], seed: int) -> None:
        """Learn all rows once."""
        order, batch = np.random.default_rng(seed).permutation(len(inputs)), self.settings.batch
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            self.step(self.differentiate(inputs[rows].astype(float), classes[rows]), len(rows))

    def differentiate(
        self, inputs: NDArray[np.float64], classes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the gradient of the mean loss; add up the loss."""
        activation, gradient = self.settings.mlp.activation, np.zeros(len(self.genes))
        parts, slopes, penalty = self.split(self.genes), self.split(gradient), self.settings.penalty
        units = [inputs]
        for layer in range(0, len(parts), 2):
            sums = units[-1] @ parts[layer] + parts[layer + 1]
            units.append(sums if layer == len(parts) - 2 else FUNCTIONS[activation](sums))
        powers = np.exp(units[-1] - units[-1].max(axis=1, keepdims=True))
        chances = powers / powers.sum(axis=1, keepdims=True)
        self.loss -= np.log(chances[np.arange(len(classes)), classes]).sum()
        self.loss += penalty / 2 * sum((part**2).sum() for part in parts[::2])
        delta = chances
        delta[np.arange(len(classes)), classes] -= 1
        for layer in range(len(parts) - 2, -1, -2):
            below = units[layer // 2]
            slopes[layer][:] = (below.T @ delta + penalty * parts[layer]) / len(classes)
            slopes[layer + 1][:] = delta.sum(axis=0) / len(classes)
            delta = delta @ parts[layer].T * SLOPES[activation](below)
        return gradient

    def step(self, gradient: NDArray[np.float64], rows: int) -> None:
        """Take a step of the optimiser."""
        rate = self.settings.learning_rate
        self.steps += 1
        if self.settings.solver == "adam":
            self.first = 0.9 * self.first + 0.1 * gradient
            self.second = 0.999 * self.second + 0.001 * gradient**2
            mean = self.first / (1 - 0.9**self.steps)
            size = np.sqrt(self.second / (1 - 0.999**self.steps)) + 1e-8
            self.genes -= rate * mean / size
        elif self.settings.solver == "sgd":
            self.first = 0.9 * self.first - rate * gradient
            self.genes += 0.9 * self.first - rate * gradient
        else:
            self.first += gradient**2
            root = np.sqrt(0.1 / self.settings.batch**2 + self.first)
            self.genes -= rate * gradient / root


@pytest.mark.parametrize("penalty", [0.0, 0.5])
@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
@pytest.mark.parametrize("solver", ["adam", "sgd", "adagrad"])
def test_passes_are_those_of_the_formulas(solver: str, activation: str, penalty: float) -> None:
    """Learn three times; the last batch is smaller than the others."""
    settings = replace(
        ADAM, solver=solver, penalty=penalty, mlp=replace(NETWORK, activation=activation)
    )
    training = beginner()
    slow = Slow(settings, training.genes)
    for seed in (5, 6, 7):
        slow.loss = 0.0
        slow.learn(INPUTS, CLASSES, seed)
        training, loss = learn_rows(
            settings, training, INPUTS, CLASSES, np.random.default_rng(seed)
        )
        assert loss == pytest.approx(slow.loss / len(INPUTS), rel=1e-4)
    assert training.steps == slow.steps == 3 * 5
    np.testing.assert_allclose(training.genes, slow.genes, rtol=2e-3, atol=2e-4)
    assert np.abs(training.genes - beginner().genes).max() > 0.01


def test_steps_of_adagrad_are_those_by_hand() -> None:
    """Take two steps of a batch of two rows: one input, four classes, no hidden layer."""
    mlp = MLP(inputs=1, hidden=(), outputs=4, activation="relu")
    settings = ClassifierSettings(mlp, "adagrad", learning_rate=0.05, penalty=0.0, batch=2)
    inputs = np.array([[2.0], [2.0]], dtype=np.float32)
    training = Training(np.zeros(8, np.float32), np.zeros((2, 8), np.float32), 0)
    # Four equal chances: each row's gradient is 1/4, at its class -3/4; the loss is their sum.
    slopes = np.array([0.5, -1.5, 0.5, 0.5])
    gradient = np.concatenate([2.0 * slopes, slopes])
    weights = -0.05 * gradient / np.sqrt(0.1 + gradient**2)
    rng = np.random.default_rng(1)
    training, loss = learn_rows(settings, training, inputs, np.array([1, 1]), rng)
    assert loss == pytest.approx(np.log(4))
    np.testing.assert_allclose(training.genes, weights, rtol=1e-6)
    np.testing.assert_allclose(training.genes[:2], [-0.0476731, 0.0497245], rtol=1e-5)
    chances = np.exp(2.0 * weights[:4] + weights[4:])
    slopes = 2.0 * (chances / chances.sum() - np.array([0.0, 1.0, 0.0, 0.0]))
    second = np.concatenate([2.0 * slopes, slopes])
    weights -= 0.05 * second / np.sqrt(0.1 + gradient**2 + second**2)
    training, _ = learn_rows(settings, training, inputs, np.array([1, 1]), rng)
    np.testing.assert_allclose(training.genes, weights, rtol=1e-5)
    assert training.steps == 2
    assert not training.memory[1].any()


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
def test_a_trained_network_decides_as_it_learnt_when_our_own_code_evaluates_it(
    activation: str,
) -> None:
    network = replace(NETWORK, activation=activation)
    settings = replace(ADAM, mlp=network, learning_rate=0.03)
    training = beginner()
    losses = []
    for seed in range(60):
        training, loss = learn_rows(
            settings, training, INPUTS, CLASSES, np.random.default_rng(seed)
        )
        losses.append(loss)
    answers = network.evaluate(training.genes, INPUTS).argmax(axis=1)
    assert (answers == CLASSES).mean() > 0.97
    assert losses[-1] < 0.2 < losses[0]


def test_the_first_loss_of_a_network_that_says_nothing_is_that_of_guessing() -> None:
    nothing = replace(beginner(), genes=np.zeros(NETWORK.genes, dtype=np.float32))
    # All rows make one batch, so the loss is that before the step: four classes, all alike.
    settings, rng = replace(ADAM, batch=1000), np.random.default_rng(1)
    _, loss = learn_rows(settings, nothing, INPUTS, CLASSES, rng)
    assert loss == pytest.approx(np.log(4), rel=1e-6)


def test_what_is_given_stays_as_it_is() -> None:
    training = beginner()
    before = training.genes.copy()
    learn_rows(ADAM, training, INPUTS, CLASSES, np.random.default_rng(1))
    np.testing.assert_array_equal(training.genes, before)
    assert not training.memory.any()
