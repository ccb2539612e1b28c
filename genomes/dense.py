"""Forward pass of networks with real-valued inputs, instead of features that are on or off.

Their first layer is computed like the later ones, and is laid out like them, in front of them in
``weights``: its biases, then one row per input, every width padded with zeros to a multiple of
:data:`~evolve_arena.genomes.simd.LANES` (see :mod:`evolve_arena.genomes.network` for the later
layers). To evaluate many input vectors that differ in few inputs, add the common inputs once, and
the others for each vector.

All numbers are ``float32``, each unit's terms are added one by one in the order of the inputs, and
nothing is fused, so that a network gives the same bits on every machine.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.mlp import MLP, Genomes
from evolve_arena.genomes.network import ACTIVATION, LAYERS, SIZES, activate, padded
from evolve_arena.genomes.simd import LANES

TOGETHER = 4
"""Vectors of units that are summed side by side, to hide the latency of an addition."""


def pack_dense(mlp: MLP, genomes: Genomes) -> NDArray[np.float32]:
    """Return the networks of *genomes* for compiled code, shape ``(individuals, weights)``.

    Raises:
        BadValueError: *genomes* does not have the shape ``(individuals, genes)``.
    """
    if genomes.ndim != 2 or genomes.shape[1] != mlp.genes:
        raise BadValueError(
            f"genomes have shape {genomes.shape}, expected (individuals, {mlp.genes})"
        )
    parts, at = [], 0
    for layer, (before, after) in enumerate(pairwise(mlp.sizes)):
        # Genes are ordered by input; compiled code wants padded rows, with the biases first.
        rows = genomes[:, at : at + before * after].reshape(-1, before, after)
        biases = genomes[:, at + before * after : at + (before + 1) * after]
        at += (before + 1) * after
        # A single last unit: its bias alone in the first vector, then its weights side by side.
        if after == 1 and layer > 0 and layer == len(mlp.hidden):
            part = np.zeros((len(genomes), 1 + _vectors(before), LANES), dtype=np.float32)
            part[:, 0, 0] = biases[:, 0]
            part.reshape(len(genomes), -1)[:, LANES : LANES + before] = rows[:, :, 0]
        else:
            width = _vectors(after) * LANES
            part = np.zeros((len(genomes), 1 + before, width), dtype=np.float32)
            part[:, 0, :after] = biases
            part[:, 1:, :after] = rows
        parts.append(part.reshape(len(genomes), -1))
    return np.concatenate(parts, axis=1)


def room_for(shapes: NDArray[np.int64]) -> int:
    """Return the padded width of the widest layer of networks of these *shapes*.

    Args:
        shapes: Shape ``(structures, SHAPE_FIELDS)``.
    """
    widest = 0
    for shape in shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, _vectors(int(units.max(initial=0))) * LANES)
    return widest


def _vectors(size: int) -> int:
    return -(-size // LANES)


@inlined
def start_first(shape: Array, weights: Floats, at: int, out: Floats) -> None:
    """Copy the biases of the first layer of the network at ``weights[at]`` into *out*.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network.
        out: Receives the biases, from 0 on, for the padded width of the layer.
    """
    for block in range(0, padded(shape[SIZES + 1]), LANES):
        simd.store(out, block, simd.load(weights, at + block))


@inlined
def add_inputs(
    shape: Array,
    weights: Floats,
    at: int,
    inputs: Array,
    first: int,
    count: int,
    base: Array,
    out: Floats,
) -> None:
    """Add *count* inputs, times their weights, to the sums of the first layer.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network.
        inputs: The values of all inputs, by their numbers.
        first: Number of the first input to add; its value is ``inputs[first]``.
        count: Number of inputs to add, in order.
        base: The sums so far, ``float32``, for the padded width of the layer.
        out: Receives the new sums; may be *base*.
    """
    width = padded(shape[SIZES + 1])
    _add_rows(weights, at + width * (1 + first), width, inputs, first, count, base, out)


@inlined
def add_row(shape: Array, weights: Floats, at: int, number: Number, sums: Array) -> None:
    """Add an input of value 1, given by its *number*, to the *sums* of the first layer.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network.
        number: Number of the input, from 0 on.
        sums: The sums so far, ``float32``; they change in place.
    """
    width = padded(shape[SIZES + 1])
    row = at + width * (1 + number)
    for block in range(0, width, LANES):
        total = simd.add(simd.load(sums, block), simd.load(weights, row + block))
        simd.store(sums, block, total)


@inlined
def add_some_inputs(
    shape: Array,
    weights: Floats,
    at: int,
    inputs: Array,
    places: Array,
    count: int,
    base: Array,
    out: Floats,
) -> None:
    """Add the inputs whose numbers are ``places[:count]`` to the sums of the first layer.

    This suits sparse inputs.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network.
        inputs: The values of all inputs, by their numbers.
        places: Numbers of the inputs to add, in this order.
        count: Number of inputs to add.
        base: The sums so far, ``float32``.
        out: Receives the new sums; may be *base*.
    """
    width = padded(shape[SIZES + 1])
    for block in range(0, width, LANES):
        total = simd.load(base, block)
        for number in range(count):
            place = simd.peek(places, number)
            row = simd.load(weights, at + width * (1 + place) + block)
            total = simd.add(total, simd.multiply(simd.spread(simd.peek(inputs, place)), row))
        simd.store(out, block, total)


@inlined
def activate_first(shape: Array, sums: Array, out: Floats) -> None:
    """Write the first layer's activations to *out*, or its raw sums if it is the only layer.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        sums: The complete sums of the first layer, ``float32``.
        out: Receives the activations, for the padded width of the layer; may be *sums*.
    """
    kind = shape[ACTIVATION]
    for block in range(0, padded(shape[SIZES + 1]), LANES):
        value = simd.load(sums, block)
        if shape[LAYERS] > 1:
            value = activate(value, kind)
        simd.store(out, block, value)


@inlined
def later_layers_at(shape: Array, at: int) -> Number:
    """Return the place of the second layer in ``weights``, for the network that begins at *at*."""
    return at + padded(shape[SIZES + 1]) * (1 + shape[SIZES])


@inlined
def evaluate_later(
    shape: Array, weights: Floats, at: int, ping: Floats, pong: Floats, out: Floats
) -> None:
    """Run all layers after the first; the last one has no activation.

    Args:
        shape: The network's structure, which does not end in a single unit.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of the second layer in *weights*.
        ping: The first layer's activations; overwritten.
        pong: Scratch space for the widest layer.
        out: Receives the outputs, from 0 on.
    """
    # Hidden layers: each reads one buffer and writes the other.
    kind, layers = shape[ACTIVATION], shape[LAYERS]
    for layer in range(2, layers):
        width = padded(shape[SIZES + layer])
        _run_layer(weights, at, shape[SIZES + layer - 1], width, ping, pong)
        for block in range(0, width, LANES):
            simd.store(pong, block, activate(simd.load(pong, block), kind))
        at += width * (shape[SIZES + layer - 1] + 1)
        ping, pong = pong, ping
    # Output layer, or the raw sums of a network of a single layer.
    width = padded(shape[SIZES + layers])
    if layers > 1:
        _run_layer(weights, at, shape[SIZES + layers - 1], width, ping, out)
    else:
        for block in range(0, width, LANES):
            simd.store(out, block, simd.load(ping, block))


@inlined
def _run_layer(
    weights: Floats, at: int, units: int, width: int, inputs: Array, out: Floats
) -> None:
    """Write the sums of a layer to *out*: its biases, and its *units* times their rows."""
    for block in range(0, width, LANES):
        simd.store(out, block, simd.load(weights, at + block))
    _add_rows(weights, at + width, width, inputs, 0, units, out, out)


@inlined
def _add_rows(
    weights: Floats,
    row: int,
    width: int,
    inputs: Array,
    first: int,
    count: int,
    base: Array,
    out: Floats,
) -> None:
    """Add *count* rows of weights, the first one at ``weights[row]``, times their inputs."""
    block = 0
    # Four vectors of units at a time, in registers over all inputs.
    while block + TOGETHER * LANES <= width:
        one, two = simd.load(base, block), simd.load(base, block + LANES)
        three = simd.load(base, block + 2 * LANES)
        four = simd.load(base, block + 3 * LANES)
        at = row + block
        for number in range(first, first + count):
            value = simd.spread(np.float32(simd.peek(inputs, number)))
            one = simd.add(one, simd.multiply(value, simd.load(weights, at)))
            two = simd.add(two, simd.multiply(value, simd.load(weights, at + LANES)))
            three = simd.add(three, simd.multiply(value, simd.load(weights, at + 2 * LANES)))
            four = simd.add(four, simd.multiply(value, simd.load(weights, at + 3 * LANES)))
            at += width
        simd.store(out, block, one)
        simd.store(out, block + LANES, two)
        simd.store(out, block + 2 * LANES, three)
        simd.store(out, block + 3 * LANES, four)
        block += TOGETHER * LANES
    # The vectors that are left, one at a time.
    while block < width:
        total = simd.load(base, block)
        at = row + block
        for number in range(first, first + count):
            value = simd.spread(np.float32(simd.peek(inputs, number)))
            total = simd.add(total, simd.multiply(value, simd.load(weights, at)))
            at += width
        simd.store(out, block, total)
        block += LANES
