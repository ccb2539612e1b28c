"""scikit-learn's multilayer perceptron, put together from plain arrays and taken apart again.

An estimator that was trained a little, stored as arrays, and put together again in another process
goes on to the bit as if nothing had happened: its weights, its optimiser's memory and the
shuffling of rows are all that the next pass depends on. One thread adds everything up, because
the order of sums, and so the last bits, would depend on how many there are. On another kind of
processor they may still be others.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

ACTIVATIONS = {"relu": "relu", "tanh": "tanh", "sigmoid": "logistic"}
"""scikit-learn's names for ours."""
SOLVERS = ("adam", "sgd", "adagrad")
MEMORIES = {"adam": ("ms", "vs"), "sgd": ("velocities",), "adagrad": ("squares",)}
"""Memory of an optimiser for each weight, by the names of scikit-learn and of `AdaGrad`."""
FIRST_SQUARES = 0.1
"""Number that TensorFlow adds to AdaGrad's sums of squares, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Training:
    """A network that is being trained."""

    genes: NDArray[np.float32]
    """Weights and biases, in the order of :mod:`evolve_arena.genomes.mlp`; shape ``(genes,)``."""
    memory: NDArray[np.float32]
    """Memory of the optimiser, shape ``(2, genes)``: Adam's two moments of the gradient; or
    the velocity of descent with momentum, or AdaGrad's sum of squared gradients, and zeros."""
    steps: int
    """Batches learnt so far."""


@dataclass(frozen=True)
class LearningSettings:
    """Settings of learning."""

    sizes: tuple[int, ...]
    """Units of each layer, inputs and outputs included."""
    activation: str
    """One of :data:`ACTIVATIONS`."""
    solver: str
    """One of :data:`SOLVERS`."""
    learning_rate: float
    penalty: float
    """Cost of the squares of the weights."""
    batch: int
    """Rows of a step."""


def learn_rows(
    learning: LearningSettings,
    training: Training,
    inputs: NDArray[np.float32],
    classes: NDArray[np.int64],
    word: int,
) -> tuple[Training, float]:
    """One pass over rows in random order, a step for each batch.

    Args:
        learning: How they are learnt.
        training: The network so far.
        inputs: Shape ``(rows, inputs)``.
        classes: From 0 to the number of outputs - 1, shape ``(rows,)``.
        word: Where the order comes from, below 2**32.

    Returns:
        The network after it, and the mean loss that it had on the way: the negative logarithm of
        what it gave the right class, and the penalty.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator = _put_together(learning, training, inputs, classes)
        estimator.random_state = word
        estimator.partial_fit(inputs, classes)
    steps = -(-len(inputs) // min(learning.batch, len(inputs)))
    return _take_apart(learning, estimator, training.steps + steps), float(estimator.loss_)


class AdaGrad:
    """Duchi, Hazan and Singer (2011), section 1.1, as TensorFlow has it; scikit-learn has none.

    The loss of a step is the sum over its rows, as in TensorFlow's ``DNNClassifier``. The gradients
    that scikit-learn gives are of the mean, so what is added to the squares is divided instead.

    Args:
        parameters: Those that are learnt, as scikit-learn lists them.
        learning_rate: The first step of each of them.
        batch: Rows of a step.
    """

    def __init__(
        self, parameters: list[NDArray[np.float32]], learning_rate: float, batch: int
    ) -> None:
        self.learning_rate = learning_rate
        self.squares = [np.zeros_like(parameter) for parameter in parameters]
        self._first = FIRST_SQUARES / batch**2

    def update_params(
        self, parameters: list[NDArray[np.float32]], gradients: list[NDArray[np.float32]]
    ) -> None:
        """Take a step; scikit-learn calls it."""
        for parameter, gradient, squares in zip(parameters, gradients, self.squares, strict=True):
            squares[...] += gradient * gradient
            parameter[...] -= self.learning_rate * gradient / np.sqrt(self._first + squares)

    def iteration_ends(self, time_step: int) -> None:
        """Do nothing; scikit-learn calls it after each pass."""


def _put_together(
    learning: LearningSettings,
    training: Training,
    inputs: NDArray[np.float32],
    classes: NDArray[np.int64],
) -> Any:
    """Return the estimator as it was when it was taken apart.

    It learns a batch first, so that it has all it needs; nothing of that stays.
    """
    from sklearn.neural_network import MLPClassifier  # it takes a second to load

    batch = min(learning.batch, len(inputs))
    estimator = MLPClassifier(
        hidden_layer_sizes=learning.sizes[1:-1],
        activation=ACTIVATIONS[learning.activation],
        solver="sgd" if learning.solver == "adagrad" else learning.solver,
        alpha=learning.penalty,
        batch_size=batch,
        learning_rate_init=learning.learning_rate,
        random_state=0,
    )
    estimator.partial_fit(inputs[:batch], classes[:batch], classes=np.arange(learning.sizes[-1]))
    weights, biases = _split(learning, training.genes)
    for parameter, values in zip(
        [*estimator.coefs_, *estimator.intercepts_], [*weights, *biases], strict=True
    ):
        parameter[...] = values
    if learning.solver == "adagrad":
        parameters = [*estimator.coefs_, *estimator.intercepts_]
        estimator._optimizer = AdaGrad(parameters, learning.learning_rate, batch)
    for name, row in zip(MEMORIES[learning.solver], training.memory, strict=False):
        parts = _split(learning, row)
        setattr(estimator._optimizer, name, [part.copy() for side in parts for part in side])
    estimator._optimizer.t = training.steps
    return estimator


def _take_apart(learning: LearningSettings, estimator: Any, steps: int) -> Training:
    layers = len(learning.sizes) - 1
    genes = _join(estimator.coefs_, estimator.intercepts_)
    memory = np.zeros((2, len(genes)), dtype=np.float32)
    for row, name in zip(memory, MEMORIES[learning.solver], strict=False):
        parts = getattr(estimator._optimizer, name)
        row[:] = _join(parts[:layers], parts[layers:])
    return Training(genes, memory, steps)


def _split(
    learning: LearningSettings, numbers: NDArray[np.float32]
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """Return the matrices of weights, and the biases, of all layers."""
    weights, biases = [], []
    at = 0
    for before, after in pairwise(learning.sizes):
        end = at + before * after
        weights.append(numbers[at:end].reshape(before, after))
        biases.append(numbers[end : end + after])
        at = end + after
    return weights, biases


def _join(weights: Any, biases: Any) -> NDArray[np.float32]:
    parts = [part for layer in zip(weights, biases, strict=True) for part in layer]
    return np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)
