"""Compiled training of a multilayer perceptron as a classifier, by mini-batches.

The whole state of training is in plain arrays, so training that is stored and resumed gives the
same bits. Sums are computed in a fixed order and without other libraries, so the bits are the same
on all processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array, Floats
from evolve_arena.evolve.learning.layers import (
    Layers,
    aim_at_choice,
    backward,
    descend,
    forward,
    new_layers,
    pad_numbers,
    unpad_numbers,
)
from evolve_arena.genomes.mlp import MLP

ACTIVATIONS = ("relu", "tanh", "sigmoid")
"""Activations of hidden units through which a gradient can be passed."""
SOLVERS = ("adam", "sgd", "adagrad")
ADAM, SGD, ADAGRAD = range(3)
MOMENTUM = np.float32(0.9)
FIRST_SQUARES = 0.1
"""Initial value of AdaGrad's sums of squared gradients, as in TensorFlow."""
ZERO, ONE = np.float32(0.0), np.float32(1.0)


@dataclass(frozen=True, eq=False)
class Training:
    """A network that is being trained."""

    genes: Floats
    """Weights and biases, in the order of :mod:`evolve_arena.genomes.mlp`; shape ``(genes,)``."""
    memory: Floats
    """The optimiser's memory, shape ``(2, genes)``: Adam's two moments of the gradient; or the
    velocity of descent with momentum, or AdaGrad's sum of squared gradients, and zeros."""
    steps: int
    """Number of batches learnt so far."""


@dataclass(frozen=True)
class ClassifierSettings:
    """The network's structure, and its optimiser."""

    mlp: MLP
    """The structure; its activation is one of :data:`ACTIVATIONS`."""
    solver: str
    """One of :data:`SOLVERS`."""
    learning_rate: float
    penalty: float
    """Weight of the squared weights in the loss (L2); biases are left out."""
    batch: int
    """Number of rows of a step."""


class _Descent(NamedTuple):
    """An optimiser's settings in compiled code."""

    solver: int
    """Index in :data:`SOLVERS`."""
    rate: np.float32
    penalty: np.float32
    first_squares: np.float32
    """Initial value of AdaGrad's sums, for gradients that are means over a batch."""


class _Workspace(NamedTuple):
    """Memory of a pass over the rows, during which nothing is allocated."""

    decays: Floats
    """A 1 for each weight, a 0 for each bias and for padding."""
    gradient: Floats
    """Sum of the negative gradients of a batch's rows."""
    rates: Floats
    """A 1 for each layer."""
    sources: NDArray[np.int64]
    """Indices of a row's inputs that are not 0."""
    values: Floats
    """Values of these inputs."""
    allowed: NDArray[np.uint64]
    """A bit for each class, all of them set."""


def learn_rows(
    settings: ClassifierSettings,
    training: Training,
    inputs: Floats,
    classes: NDArray[np.int64],
    rng: np.random.Generator,
) -> tuple[Training, float]:
    """Train on each row once, in random order, with a step for each batch.

    Args:
        settings: The structure and the optimiser.
        training: The network so far.
        inputs: Inputs of each row, shape ``(rows, inputs)``.
        classes: Class of each row, from 0 to the number of outputs - 1, shape ``(rows,)``.
        rng: Generator that draws the order of the rows.

    Returns:
        The network afterwards, and the mean loss on the way: the negative logarithm of the
        probability of the right class, and the penalty. Both are not finite if it diverged.
    """
    layers = new_layers(settings.mlp)
    pad_numbers(layers, training.genes, layers.weights)
    memory = np.zeros((2, len(layers.weights)), dtype=np.float32)
    for row, stored in zip(memory, training.memory, strict=True):
        pad_numbers(layers, stored, row)
    workspace = _make_workspace(settings.mlp, layers)
    batch = min(settings.batch, len(inputs))
    descent = _Descent(
        SOLVERS.index(settings.solver),
        np.float32(settings.learning_rate),
        np.float32(settings.penalty),
        np.float32(FIRST_SQUARES / batch**2),
    )
    order = rng.permutation(len(inputs))
    steps, loss = _learn(
        descent, layers, memory, workspace, inputs[order], classes[order], batch, training.steps
    )
    genes, after = np.empty_like(training.genes), np.zeros_like(training.memory)
    unpad_numbers(layers, layers.weights, genes)
    for row, stored in zip(memory, after, strict=True):
        unpad_numbers(layers, row, stored)
    return Training(genes, after, steps), loss / len(inputs)


def _make_workspace(mlp: MLP, layers: Layers) -> _Workspace:
    parts = []
    for before, after in pairwise(mlp.sizes):
        parts += [np.ones(before * after), np.zeros(after)]
    decays, gradient = np.zeros((2, len(layers.weights)), dtype=np.float32)
    pad_numbers(layers, np.concatenate(parts), decays)
    return _Workspace(
        decays,
        gradient,
        rates=np.ones(len(mlp.sizes), dtype=np.float32),
        sources=np.zeros(mlp.inputs, dtype=np.int64),
        values=np.zeros(mlp.inputs, dtype=np.float32),
        allowed=np.full((mlp.outputs + 63) // 64, -1, dtype=np.int64).view(np.uint64),
    )


@compiled
def _learn(
    descent: _Descent,
    layers: Layers,
    memory: Array,
    workspace: _Workspace,
    inputs: Array,
    classes: Array,
    batch: int,
    steps: int,
) -> tuple[int, float]:
    """Take a step for each batch; return the number of all steps, and the sum of the losses."""
    decays, gradient, rates, sources, values, allowed = workspace
    loss = 0.0
    for start in range(0, inputs.shape[0], batch):
        end = min(start + batch, inputs.shape[0])
        # The penalty is of the weights before the step, and counts once a batch.
        for place in range(gradient.shape[0]):
            decayed = descent.penalty * decays[place] * layers.weights[place]
            gradient[place] = -decayed
            loss += 0.5 * np.float64(decayed * layers.weights[place])
        # The direction of each row is added to those before it.
        for row in range(start, end):
            count = 0
            for source in range(inputs.shape[1]):
                if inputs[row, source] != ZERO:
                    sources[count], values[count] = source, inputs[row, source]
                    count += 1
            forward(layers, sources, values, count)
            chosen = aim_at_choice(layers, allowed, 0, classes[row])
            loss -= np.log(max(np.float64(chosen), 1e-30))
            backward(layers, gradient, rates, sources, values, count)
        steps += 1
        scale = ONE / np.float32(end - start)
        if descent.solver == ADAM:
            descend(layers, memory, gradient, scale, descent.rate, steps)
        else:
            _descend_plainly(descent, layers, memory, gradient, scale)
    return steps, loss


@compiled
def _descend_plainly(
    descent: _Descent, layers: Layers, memory: Array, gradient: Array, scale: np.float32
) -> None:
    """Take a step of gradient descent with Nesterov's momentum, or of AdaGrad.

    Sources: Sutskever and others, "On the importance of initialization and momentum in deep
    learning" (2013); Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011), section 1.1.
    """
    for place in range(gradient.shape[0]):
        direction = scale * gradient[place]
        if descent.solver == SGD:
            memory[0, place] = MOMENTUM * memory[0, place] + descent.rate * direction
            layers.weights[place] += MOMENTUM * memory[0, place] + descent.rate * direction
        else:
            memory[0, place] += direction * direction
            size = np.sqrt(descent.first_squares + memory[0, place])
            layers.weights[place] += descent.rate * direction / size
