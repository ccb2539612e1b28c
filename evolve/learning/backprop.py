"""A value network that learns: forward pass and backpropagation of one hidden layer, compiled.

The network has tanh units, the output among them. It learns one example after the other, by
plain gradient descent on half the squared error, each layer at a rate of its own. Only the rows
of inputs that are not 0 are read and written: most of a board's inputs are.

Rows of weights are padded with zeros to whole vectors. The padding stays exactly zero, as the
tanh of 0 is exactly 0, so genes copied in, trained and copied out do not depend on it. All is
``float32``, added up in a fixed order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import ACTIVATIONS, activate, padded
from evolve_arena.genomes.simd import LANES, peek, poke

TANH = ACTIVATIONS["tanh"]
ONE = np.float32(1.0)


class Network(NamedTuple):
    """A network with one hidden layer and one output, and its work space."""

    first: NDArray[np.float32]
    """The first layer, flat: a padded row for each input, then the biases."""
    last: NDArray[np.float32]
    """The last layer: its weights, padded, then a block that begins with its bias."""
    hidden: NDArray[np.float32]
    """Activations of the hidden units, padded, then a block of scratch space."""
    inputs: int
    units: int
    width: int
    """The number of units, padded: the length of a row."""


def new_network(inputs: int, units: int) -> Network:
    """Return a network whose weights are all 0."""
    width = int(padded(units))
    return Network(
        np.zeros((inputs + 1) * width, dtype=np.float32),
        np.zeros(width + LANES, dtype=np.float32),
        np.zeros(width + LANES, dtype=np.float32),
        inputs,
        units,
        width,
    )


@compiled
def read_genes(network: Network, genes: Floats) -> None:
    """Copy *genes*, in the order of :mod:`evolve_arena.genomes.mlp`, into the network."""
    at = 0
    for row in range(network.inputs + 1):
        for unit in range(network.units):
            network.first[row * network.width + unit] = genes[at]
            at += 1
    for unit in range(network.units):
        network.last[unit] = genes[at]
        at += 1
    network.last[network.width] = genes[at]


@compiled
def write_genes(network: Network, genes: Floats) -> None:
    """Copy the network's weights and biases into *genes*."""
    at = 0
    for row in range(network.inputs + 1):
        for unit in range(network.units):
            genes[at] = network.first[row * network.width + unit]
            at += 1
    for unit in range(network.units):
        genes[at] = network.last[unit]
        at += 1
    genes[at] = network.last[network.width]


@inlined
def start_sums(network: Network, sums: Floats, at: int) -> None:
    """Set the sums of the hidden units, which begin at ``sums[at]``, to their biases.

    Args:
        network: Network whose biases are read.
        sums: Sums of hidden units, flat (``float32``), changed in place.
        at: Index in *sums* of the first unit's; they take up ``network.width`` places.
    """
    biases = network.inputs * network.width
    for block in range(0, network.width, LANES):
        simd.store(sums, at + block, simd.load(network.first, biases + block))


@inlined
def add_input(network: Network, sums: Floats, at: int, source: int, value: Number) -> None:
    """Add the contribution of the input numbered *source*, of this *value*, to the sums.

    Args:
        network: Network whose first layer is read.
        sums: Sums of hidden units, flat (``float32``), changed in place.
        at: Index in *sums* of the first unit's.
        source: Number of the input, from 0.
        value: Number that is added to the input (``float32``).
    """
    row = source * network.width
    for block in range(0, network.width, LANES):
        term = simd.multiply(simd.spread(value), simd.load(network.first, row + block))
        simd.store(sums, at + block, simd.add(simd.load(sums, at + block), term))


@inlined
def output_with(network: Network, sums: Floats, at: int, source: int, value: Number) -> Number:
    """Return the output's pre-activation if one more input had this *value*.

    Args:
        network: Network whose weights are read.
        sums: Sums of hidden units without that input, flat (``float32``); they stay as they are.
        at: Index in *sums* of the first unit's.
        source: Number of the input, from 0.
        value: Number that is added to the input (``float32``).
    """
    row = source * network.width
    factor = simd.spread(value)
    total = simd.load(network.last, network.width)
    for block in range(0, network.width, LANES):
        term = simd.multiply(factor, simd.load(network.first, row + block))
        unit = activate(simd.add(simd.load(sums, at + block), term), TANH)
        total = simd.add(total, simd.multiply(unit, simd.load(network.last, block)))
    return simd.halve_sum(total)


@inlined
def add_changes(
    network: Network,
    sums: Floats,
    at: int,
    index: Array,
    factor: Number,
    changes: Array,
    count: int,
) -> None:
    """Update the hidden units' sums: add features that appeared, subtract those that disappeared.

    Args:
        network: Network whose first layer is read.
        sums: Sums of hidden units, flat (``float32``), changed in place.
        at: Index in *sums* of the first unit's.
        index: The input that each feature raises, shape ``(features,)`` (``int64``).
        factor: Number by which each feature raises it, shape ``(features,)`` (``float32``).
        changes: Features that appeared, and complements of those that disappeared (``int64``).
        count: Number of changes, the first ones of *changes*.
    """
    for place in range(count):
        change = peek(changes, place)
        feature = change ^ (change >> 63)
        value = peek(factor, feature) if change >= 0 else -peek(factor, feature)
        add_input(network, sums, at, peek(index, feature), value)


@inlined
def output_after(
    network: Network,
    sums: Floats,
    at: int,
    index: Array,
    factor: Number,
    changes: Array,
    count: int,
) -> Number:
    """Return the output's pre-activation after changes of features, which are not applied.

    Args:
        network: Network whose weights are read.
        sums: Sums of hidden units before the changes, flat (``float32``); they stay as they are.
        at: Index in *sums* of the first unit's.
        index: The input that each feature raises, shape ``(features,)`` (``int64``).
        factor: Number by which each feature raises it, shape ``(features,)`` (``float32``).
        changes: Features that appeared, and complements of those that disappeared (``int64``).
        count: Number of changes, the first ones of *changes*.
    """
    total = simd.load(network.last, network.width)
    for block in range(0, network.width, LANES):
        unit = simd.load(sums, at + block)
        for place in range(count):
            change = peek(changes, place)
            feature = change ^ (change >> 63)
            value = peek(factor, feature) if change >= 0 else -peek(factor, feature)
            row = peek(index, feature) * network.width + block
            term = simd.multiply(simd.spread(value), simd.load(network.first, row))
            unit = simd.add(unit, term)
        unit = activate(unit, TANH)
        total = simd.add(total, simd.multiply(unit, simd.load(network.last, block)))
    return simd.halve_sum(total)


@inlined
def apply_tanh(network: Network, number: Number) -> Number:
    """Return the tanh of one *number*, bit-identical to that of the hidden units."""
    simd.store(network.hidden, network.width, activate(simd.spread(number), TANH))
    return peek(network.hidden, network.width)


@inlined
def learn(
    network: Network,
    sources: Array,
    values: Floats,
    at: int,
    count: int,
    target: Number,
    hidden_rate: Number,
    output_rate: Number,
    bias_factor: Number,
    damped: Number = ONE,
) -> Number:
    """Take one step of gradient descent for one example, with this *target* of the value.

    Args:
        network: Network whose weights are changed.
        sources: Indices of the inputs that are not 0 (``int64``); all others are taken for 0.
        values: Values of these inputs (``float32``), at the same places.
        at: Index in both arrays of the first of these inputs.
        count: Number of these inputs.
        target: Target of the value, from -1 to 1 (``float32``).
        hidden_rate: Learning rate of the first layer (``float32``).
        output_rate: Learning rate of the last layer (``float32``).
        bias_factor: 1 to train biases, 0 to leave them unchanged (``float32``).
        damped: 1 for the gradient of the squared error, with tanh's slope as a factor, 0 for that
            of the cross-entropy, without (``float32``).

    Returns:
        The value before the step, from -1 to 1.
    """
    value = apply_tanh(network, forward(network, sources, values, at, count))
    error = (target - value) * (ONE - damped * value * value)
    _descend(
        network,
        sources,
        values,
        at,
        count,
        hidden_rate * error,
        output_rate * error,
        bias_factor,
    )
    return value


@inlined
def forward(network: Network, sources: Array, values: Floats, at: int, count: int) -> Number:
    """Return the output's pre-activation; the hidden units' activations are kept.

    Args:
        network: The network; the activations are kept in ``network.hidden``.
        sources: Indices of the inputs that are not 0 (``int64``); all others are taken for 0.
        values: Values of these inputs (``float32``), at the same places.
        at: Index in both arrays of the first of these inputs.
        count: Number of these inputs.
    """
    biases = network.inputs * network.width
    output = simd.load(network.last, network.width)
    for block in range(0, network.width, LANES):
        total = simd.load(network.first, biases + block)
        for place in range(at, at + count):
            row = peek(sources, place) * network.width + block
            term = simd.multiply(simd.spread(peek(values, place)), simd.load(network.first, row))
            total = simd.add(total, term)
        unit = activate(total, TANH)
        simd.store(network.hidden, block, unit)
        output = simd.add(output, simd.multiply(unit, simd.load(network.last, block)))
    return simd.halve_sum(output)


@inlined
def _descend(
    network: Network,
    sources: Array,
    values: Floats,
    at: int,
    count: int,
    hidden_step: Number,
    output_step: Number,
    bias_factor: Number,
) -> None:
    biases = network.inputs * network.width
    one = simd.spread(ONE)
    for block in range(0, network.width, LANES):
        unit = simd.load(network.hidden, block)
        weight = simd.load(network.last, block)
        slope = simd.subtract(one, simd.multiply(unit, unit))
        step = simd.multiply(simd.multiply(simd.spread(hidden_step), weight), slope)
        gain = simd.multiply(simd.spread(output_step), unit)
        simd.store(network.last, block, simd.add(weight, gain))
        for place in range(at, at + count):
            row = peek(sources, place) * network.width + block
            term = simd.multiply(simd.spread(peek(values, place)), step)
            simd.store(network.first, row, simd.add(simd.load(network.first, row), term))
        term = simd.multiply(simd.spread(bias_factor), step)
        row = biases + block
        simd.store(network.first, row, simd.add(simd.load(network.first, row), term))
    bias = peek(network.last, network.width) + bias_factor * output_step
    poke(network.last, network.width, bias)
