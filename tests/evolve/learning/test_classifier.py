"""scikit-learn's network as arrays: what is stored is all there is, and it learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from evolve_arena.evolve.learning.classifier import LearningSettings, Training, learn_rows
from evolve_arena.genomes.mlp import MLP

NETWORK = MLP(inputs=3, hidden=(7, 5), outputs=4, activation="relu")
GENERATOR = np.random.default_rng(1)
INPUTS = GENERATOR.normal(size=(90, 3)).astype(np.float32)
CLASSES = (INPUTS[:, 0] > 0) * 2 + (INPUTS[:, 1] > 0).astype(np.int64)
ADAM = LearningSettings(
    sizes=NETWORK.sizes,
    activation="relu",
    solver="adam",
    learning_rate=0.01,
    penalty=0.0,
    batch=20,
)


def beginner() -> Training:
    genes = NETWORK.initialise(1, "glorot", np.random.default_rng(2))[0]
    return Training(genes, np.zeros((2, NETWORK.genes), dtype=np.float32), 0)


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_arrays_hold_everything_that_an_estimator_knows(solver: str) -> None:
    """Passes between which it was taken apart, and one estimator that went on all the time."""
    learning = replace(ADAM, solver=solver)
    training = beginner()
    for word in (5, 6, 7):
        training, _ = learn_rows(learning, training, INPUTS, CLASSES, word)
    assert training.steps == 3 * 5
    whole = MLPClassifier(
        hidden_layer_sizes=(7, 5),
        solver=solver,
        alpha=0.0,
        batch_size=20,
        learning_rate_init=0.01,
        learning_rate="constant",
    )
    with threadpool_limits(1):
        whole.batch_size = 90
        whole.learning_rate_init = 1e-30  # the first pass only makes it what it is
        whole.partial_fit(INPUTS, CLASSES, classes=np.arange(4))
        whole.batch_size = 20
        whole.learning_rate_init = 0.01
        del whole._optimizer
        at = 0
        for weights, biases in zip(whole.coefs_, whole.intercepts_, strict=True):
            for part in (weights, biases):
                part[...] = beginner().genes[at : at + part.size].reshape(part.shape)
                at += part.size
        for word in (5, 6, 7):
            whole.random_state = word
            whole.partial_fit(INPUTS, CLASSES)
    flat = [
        part.ravel()
        for layer in zip(whole.coefs_, whole.intercepts_, strict=True)
        for part in layer
    ]
    np.testing.assert_array_equal(np.concatenate(flat), training.genes)


def test_steps_of_adagrad_are_those_by_hand() -> None:
    """One input, four classes, no hidden layer: two steps of a batch of two rows."""
    learning = LearningSettings((1, 4), "relu", "adagrad", learning_rate=0.05, penalty=0.0, batch=2)
    inputs = np.array([[2.0], [2.0]], dtype=np.float32)
    training = Training(np.zeros(8, np.float32), np.zeros((2, 8), np.float32), 0)
    # Four equal chances: each row's gradient is 1/4, at its class -3/4; the loss is their sum.
    slopes = np.array([0.5, -1.5, 0.5, 0.5])
    gradient = np.concatenate([2.0 * slopes, slopes])
    weights = -0.05 * gradient / np.sqrt(0.1 + gradient**2)
    training, loss = learn_rows(learning, training, inputs, np.array([1, 1]), 1)
    assert loss == pytest.approx(np.log(4))
    np.testing.assert_allclose(training.genes, weights, rtol=1e-6)
    np.testing.assert_allclose(training.genes[:2], [-0.0476731, 0.0497245], rtol=1e-5)
    chances = np.exp(2.0 * weights[:4] + weights[4:])
    slopes = 2.0 * (chances / chances.sum() - np.array([0.0, 1.0, 0.0, 0.0]))
    second = np.concatenate([2.0 * slopes, slopes])
    weights -= 0.05 * second / np.sqrt(0.1 + gradient**2 + second**2)
    training, _ = learn_rows(learning, training, inputs, np.array([1, 1]), 2)
    np.testing.assert_allclose(training.genes, weights, rtol=1e-5)
    assert training.steps == 2
    assert not training.memory[1].any()


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
def test_a_trained_network_decides_as_it_learnt_when_our_own_code_evaluates_it(
    activation: str,
) -> None:
    learning = replace(ADAM, activation=activation, learning_rate=0.03)
    training = beginner()
    losses = []
    for word in range(60):
        training, loss = learn_rows(learning, training, INPUTS, CLASSES, word)
        losses.append(loss)
    network = replace(NETWORK, activation=activation)
    answers = network.evaluate(training.genes, INPUTS).argmax(axis=1)
    assert (answers == CLASSES).mean() > 0.97
    assert losses[-1] < 0.2 < losses[0]


def test_the_first_loss_of_a_network_that_says_nothing_is_that_of_guessing() -> None:
    nothing = replace(beginner(), genes=np.zeros(NETWORK.genes, dtype=np.float32))
    # All rows make one batch, so the loss is that before the step: four classes, all alike.
    _, loss = learn_rows(replace(ADAM, batch=1000), nothing, INPUTS, CLASSES, 1)
    assert loss == pytest.approx(np.log(4), rel=1e-6)


def test_what_is_given_stays_as_it_is() -> None:
    training = beginner()
    before = training.genes.copy()
    learn_rows(ADAM, training, INPUTS, CLASSES, 1)
    np.testing.assert_array_equal(training.genes, before)
    assert not training.memory.any()
