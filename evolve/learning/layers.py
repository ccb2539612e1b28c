"""A multilayer perceptron that learns: forward pass and backpropagation of any layers, compiled.

Outputs are linear; the caller turns them into a value (tanh) or into probabilities (softmax), and
writes the negative gradient of the loss in each output into `deltas`. :func:`backward` propagates
it through the layers (Rumelhart, Hinton and Williams 1986): added to the weights at once, the
result is plain gradient descent; summed over a batch, it is the input of Adam (Kingma and Ba 2015,
algorithm 1).

Only the inputs that are not 0 are read. Rows of weights are padded with zeros to whole vectors, and
the padding stays exactly zero. All is ``float32``, added up in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import ACTIVATIONS, activate, exponentials, padded
from evolve_arena.genomes.simd import LANES, peek, poke

RELU, TANH = ACTIVATIONS["relu"], ACTIVATIONS["tanh"]
ZERO, ONE = np.float32(0.0), np.float32(1.0)
FIRST, SECOND = 0.9, 0.999
"""Adam's β₁ and β₂: the decay rates of the two moments."""
TINY = np.float32(1e-8)


class Layers(NamedTuple):
    """A network's structure and weights, and its work space."""

    sizes: NDArray[np.int64]
    """Units of each layer, inputs and outputs included."""
    rows: NDArray[np.int64]
    """Index in ``weights`` of each layer's first row; a layer's biases follow its rows."""
    places: NDArray[np.int64]
    """Index in ``units`` and ``deltas`` of each layer's first unit."""
    weights: NDArray[np.float32]
    units: NDArray[np.float32]
    """Activations after :func:`forward`; the outputs, which are linear, begin at ``places[-1]``."""
    deltas: NDArray[np.float32]
    """Negative gradient of the loss in each unit's pre-activation."""
    scratch: NDArray[np.float32]
    """Scratch space for one vector."""
    activation: int


def new_layers(mlp: MLP) -> Layers:
    """Return a network of the structure of *mlp*, whose weights are all 0."""
    widths = [int(padded(size)) for size in mlp.sizes]
    numbers = [(before + 1) * width for before, width in zip(mlp.sizes, widths[1:], strict=False)]
    rows = np.cumsum([0, *numbers])
    places = np.cumsum([0, 0, *widths[1:-1]])  # inputs have no room: they come as a list
    return Layers(
        sizes=np.array(mlp.sizes, dtype=np.int64),
        rows=rows[:-1].astype(np.int64),
        places=places.astype(np.int64),
        weights=np.zeros(rows[-1], dtype=np.float32),
        units=np.zeros(sum(widths[1:]), dtype=np.float32),
        deltas=np.zeros(sum(widths[1:]), dtype=np.float32),
        scratch=np.zeros(LANES, dtype=np.float32),
        activation=ACTIVATIONS[mlp.activation],
    )


def pad_numbers(layers: Layers, genes: Array, padded_numbers: Array) -> None:
    """Copy a number for each gene, in the order of `evolve_arena.genomes.mlp`, to padded rows.

    Args:
        layers: Network whose structure the arrays have.
        genes: A number for each gene, shape ``(genes,)``.
        padded_numbers: Array of the shape of ``layers.weights``, changed in place; its padding
            stays as it is.
    """
    for genes_of, rows_of in _pair_layers(layers, genes, padded_numbers):
        rows_of[:, : genes_of.shape[1]] = genes_of


def unpad_numbers(layers: Layers, padded_numbers: Array, genes: Array) -> None:
    """Copy a number for each gene from padded rows, the reverse of :func:`pad_numbers`.

    Args:
        layers: Network whose structure the arrays have.
        padded_numbers: Array of the shape of ``layers.weights``.
        genes: Room for a number for each gene, shape ``(genes,)``, changed in place.
    """
    for genes_of, rows_of in _pair_layers(layers, genes, padded_numbers):
        genes_of[:] = rows_of[:, : genes_of.shape[1]]


def _pair_layers(
    layers: Layers, genes: Array, padded_numbers: Array
) -> Iterator[tuple[Array, Array]]:
    """Return views of the same layers in both arrays, each of shape ``(inputs + 1, units)``."""
    at = 0
    for layer, (before, after) in enumerate(pairwise(layers.sizes.tolist())):
        rows, width, row = before + 1, int(padded(after)), int(layers.rows[layer])
        own = genes[at : at + rows * after].reshape(rows, after)
        yield own, padded_numbers[row : row + rows * width].reshape(rows, width)
        at += rows * after


@compiled
def forward(layers: Layers, sources: Array, values: Floats, count: Number) -> None:
    """Compute all units from the first *count* inputs that are not 0.

    Args:
        layers: The network.
        sources: Indices of these inputs (``int64``).
        values: Values of these inputs (``float32``).
        count: Number of these inputs.
    """
    last = layers.sizes.shape[0] - 2
    for layer in range(last + 1):
        inputs, width = layers.sizes[layer], padded(layers.sizes[layer + 1])
        first, start, end = layers.rows[layer], layers.places[layer], layers.places[layer + 1]
        for block in range(0, width, LANES):
            total = simd.load(layers.weights, first + inputs * width + block)
            for place in range(count if layer == 0 else inputs):
                source = peek(sources, place) if layer == 0 else np.int64(place)
                value = peek(values, place) if layer == 0 else peek(layers.units, start + place)
                row = simd.load(layers.weights, first + source * width + block)
                total = simd.add(total, simd.multiply(simd.spread(value), row))
            if layer < last:
                total = activate(total, layers.activation)
            simd.store(layers.units, end + block, total)


@compiled
def backward(
    layers: Layers, into: Floats, rates: Floats, sources: Array, values: Floats, count: Number
) -> None:
    """Backpropagate the outputs' ``deltas``, and add the step of each weight to *into*.

    Args:
        layers: The network after :func:`forward` of the same inputs.
        into: The network's weights, or a sum of gradients of the same layout.
        rates: Learning rate of each layer (``float32``).
        sources: Indices of the inputs that are not 0 (``int64``).
        values: Values of these inputs (``float32``).
        count: Number of these inputs.
    """
    for layer in range(layers.sizes.shape[0] - 2, -1, -1):
        inputs, width = layers.sizes[layer], padded(layers.sizes[layer + 1])
        first, start, end = layers.rows[layer], layers.places[layer], layers.places[layer + 1]
        rate = peek(rates, layer)
        for place in range(count if layer == 0 else inputs):
            source = peek(sources, place) if layer == 0 else np.int64(place)
            value = peek(values, place) if layer == 0 else peek(layers.units, start + place)
            if layer > 0:
                delta = _pass_down(layers, first + source * width, end, width)
                poke(layers.deltas, start + place, delta * _slope(layers, value))
            _add_step(layers, into, first + source * width, end, width, rate * value)
        _add_step(layers, into, first + inputs * width, end, width, rate)


@inlined
def _pass_down(layers: Layers, row: Number, end: Number, width: Number) -> Number:
    """Return the sum of the next layer's deltas, weighted by a unit's outgoing weights."""
    total = simd.spread(ZERO)
    for block in range(0, width, LANES):
        weight = simd.load(layers.weights, row + block)
        delta = simd.load(layers.deltas, end + block)
        total = simd.add(total, simd.multiply(weight, delta))
    return simd.halve_sum(total)


@inlined
def _add_step(
    layers: Layers, into: Floats, row: Number, end: Number, width: Number, factor: Number
) -> None:
    for block in range(0, width, LANES):
        step = simd.multiply(simd.spread(factor), simd.load(layers.deltas, end + block))
        simd.store(into, row + block, simd.add(simd.load(into, row + block), step))


@inlined
def _slope(layers: Layers, value: Number) -> Number:
    """Return the derivative of the activation whose *value* is known."""
    if layers.activation == RELU:
        return ONE if value > ZERO else ZERO
    return ONE - value * value if layers.activation == TANH else value * (ONE - value)


@inlined
def squash(layers: Layers, number: Number) -> Number:
    """Return the tanh of a *number*."""
    simd.store(layers.scratch, 0, activate(simd.spread(number), TANH))
    return peek(layers.scratch, 0)


@inlined
def aim_at_choice(layers: Layers, allowed: Array, at: Number, choice: Number) -> Number:
    """Set the outputs' deltas to the negative gradient of the cross-entropy of a *choice*.

    Args:
        layers: The network after :func:`forward`.
        allowed: The outputs that may be chosen, as bits of words (``uint64``).
        at: Index in *allowed* of the first word.
        choice: Index of the chosen output.

    Returns:
        The probability of the choice under the softmax of the allowed outputs.
    """
    outputs, place = layers.sizes[-1], layers.places[-1]
    highest = peek(layers.units, place + choice)
    for output in range(outputs):
        if peek(allowed, at + (output >> 6)) >> np.uint64(output & 63) & np.uint64(1):
            highest = max(highest, peek(layers.units, place + output))
    for output in range(outputs):  # the others must not overflow
        value = peek(layers.units, place + output)
        poke(layers.deltas, place + output, min(value, highest))
    exponentials(layers.deltas[place:], outputs, highest, ONE)
    total = ZERO
    for output in range(outputs):
        if peek(allowed, at + (output >> 6)) >> np.uint64(output & 63) & np.uint64(1):
            total += peek(layers.deltas, place + output)
        else:
            poke(layers.deltas, place + output, ZERO)
    chosen = peek(layers.deltas, place + choice) / total
    for output in range(padded(outputs)):
        share = peek(layers.deltas, place + output) / total if output < outputs else ZERO
        poke(layers.deltas, place + output, (ONE if output == choice else ZERO) - share)
    return chosen


@compiled
def descend(
    layers: Layers, moments: Floats, gradient: Floats, scale: Number, rate: Number, step: Number
) -> None:
    """Take one step of Adam.

    Args:
        layers: The network, whose weights are changed.
        moments: Running means of the gradient and of its square, shape ``(2, weights)``.
        gradient: Sum of negative gradients, shape ``(weights,)``, which is reset to 0.
        scale: Factor that turns this sum into a mean (``float32``).
        rate: Learning rate (``float32``).
        step: The number of the step, from 1 on.
    """
    first, second = np.float32(FIRST), np.float32(SECOND)
    mean = np.float32(1.0 / (1.0 - FIRST**step))
    square = np.float32(1.0 / (1.0 - SECOND**step))
    for place in range(gradient.shape[0]):
        direction = scale * gradient[place]
        gradient[place] = ZERO
        moments[0, place] = first * moments[0, place] + (ONE - first) * direction
        moments[1, place] = second * moments[1, place] + (ONE - second) * direction * direction
        size = np.sqrt(square * moments[1, place]) + TINY
        layers.weights[place] += rate * (mean * moments[0, place]) / size
