"""What a genome becomes: arrays that compiled code reads, and the forward pass over them.

A network reads *features* that are on or off (a disc of mine on this cell). Each feature adds
one column of numbers to the first layer, so that layer is kept as running sums: a move adds
one column and nothing is recomputed. The sums are integers, in units of 1/65536, because
integers add to the same total in any order: a position has one value, whatever the moves
that led to it. All later layers are ``float32``, added up in a fixed order.

Layout of one network, every width padded to a multiple of :data:`LANES` with zeros:

- ``columns`` (``int32``): the biases of the first layer, then one column per feature;
- ``weights`` (``float32``), for each later layer: its biases, then one row per unit of the
  layer before. A last layer of a single unit stands the other way: its bias alone in the
  first block, then its weights side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.genomes import simd
from evolve_arena.genomes.simd import LANES

ACTIVATION, LAYERS, SIZES = 0, 1, 2
"""Fields of a shape: the activation's code, the number of layers of weights, and from
``SIZES + 1`` on the number of units of each layer."""
MAX_LAYERS = 8
SHAPE_FIELDS = SIZES + 1 + MAX_LAYERS

SIGMOID, TANH, RELU = 0, 1, 2
ACTIVATIONS = {"sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}
"""The code of each activation function."""

RESOLUTION = 65536
"""Units of a first-layer sum per 1.0."""
UNIT = np.float32(1.0 / 65536)

LOG2_E = 1.4426950408889634
SIGMOID_SCALE = np.float32(-LOG2_E)
TANH_SCALE = np.float32(-2.0 * LOG2_E)
# 2**f for f in [-1/2, 1/2]: weighted least squares on Chebyshev nodes; in single precision
# the relative error is below 2.5e-7.
P0 = np.float32(1.0000001192092896)
P1 = np.float32(0.6931469440460205)
P2 = np.float32(0.24022120237350464)
P3 = np.float32(0.05550713092088699)
P4 = np.float32(0.009675540961325169)
P5 = np.float32(0.001327647129073739)
ROUNDER = np.float32(12582912.0)  # 1.5 * 2**23: adding it rounds to a whole number
FARTHEST = np.float32(126.0)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)


@inlined
def padded(size: int) -> Any:
    """*size*, rounded up to whole vectors."""
    return (size + LANES - 1) // LANES * LANES


@inlined
def start_sums(sums: Any, at: int, columns: Any, base: int, width: int) -> None:
    """Sets the running sums that begin at ``sums[at]`` to the biases at ``columns[base]``."""
    for block in range(0, width, LANES):
        simd.store_int(sums, at + block, simd.load_int(columns, base + block))


@inlined
def add_column(sums: Any, at: int, columns: Any, base: int, width: int) -> None:
    """Adds the column that begins at ``columns[base]`` to the sums that begin at ``sums[at]``."""
    total = simd.add_int(simd.load_int(sums, at), simd.load_int(columns, base))
    simd.store_int(sums, at, total)
    for block in range(LANES, width, LANES):
        total = simd.add_int(simd.load_int(sums, at + block), simd.load_int(columns, base + block))
        simd.store_int(sums, at + block, total)


@inlined
def activate_sums(
    shape: Any, sums: Any, at: int, columns: Any, base: int, extra: bool, out: Any
) -> None:
    """Puts the first layer's activations into *out*.

    The sums begin at ``sums[at]``; if *extra* is true, the column that begins at
    ``columns[base]`` counts as well. A network of a single layer gives its raw sums.
    """
    kind = shape[ACTIVATION]
    hidden = shape[LAYERS] > 1
    for block in range(0, padded(shape[SIZES + 1]), LANES):
        total = simd.load_int(sums, at + block)
        if extra:
            total = simd.add_int(total, simd.load_int(columns, base + block))
        value = simd.multiply(simd.to_float(total), simd.spread(UNIT))
        if hidden:
            value = activate(value, kind)
        simd.store(out, block, value)


@inlined
def evaluate_hidden(shape: Any, weights: Any, at: int, ping: Any, pong: Any) -> Any:
    """Runs the hidden layers after the first.

    *ping* holds the first layer's activations and *pong* is scratch.

    Returns:
        Where the last layer's weights begin, and which of the two holds its inputs.
    """
    kind = shape[ACTIVATION]
    for layer in range(2, shape[LAYERS]):
        units = shape[SIZES + layer - 1]
        width = padded(shape[SIZES + layer])
        for block in range(0, width, LANES):
            total = simd.load(weights, at + block)
            row = at + width + block
            for unit in range(units):
                term = simd.multiply(simd.spread(simd.peek(ping, unit)), simd.load(weights, row))
                total = simd.add(total, term)
                row += width
            simd.store(pong, block, activate(total, kind))
        at += width * (units + 1)
        ping, pong = pong, ping
    return at, ping


@inlined
def pick_output(shape: Any, weights: Any, at: int, inputs: Any, allowed: Any) -> Any:
    """The first of the strongest outputs among the *allowed* ones (bit k: output k).

    The last layer has at most :data:`LANES` outputs and no activation: a monotone one would
    not change which is strongest.
    """
    if shape[LAYERS] == 1:
        return simd.first_of_maximum(simd.load(inputs, 0), allowed)
    total = simd.load(weights, at)
    for unit in range(shape[SIZES + shape[LAYERS] - 1]):
        at += LANES
        total = simd.add(
            total, simd.multiply(simd.spread(simd.peek(inputs, unit)), simd.load(weights, at))
        )
    return simd.first_of_maximum(total, allowed)


@inlined
def single_output(shape: Any, weights: Any, at: int, inputs: Any) -> Any:
    """The one output of a last layer of a single unit, without activation."""
    if shape[LAYERS] == 1:
        return inputs[0]
    total = simd.multiply(simd.load(inputs, 0), simd.load(weights, at + LANES))
    for block in range(LANES, padded(shape[SIZES + shape[LAYERS] - 1]), LANES):
        term = simd.multiply(simd.load(inputs, block), simd.load(weights, at + LANES + block))
        total = simd.add(total, term)
    return simd.halve_sum(total) + weights[at]


@inlined
def shallow_pick(
    kind: int, units: int, sums: Any, at: int, weights: Any, row: int, workspace: Any, allowed: Any
) -> Any:
    """Like :func:`pick_output`, for a network with one hidden layer.

    Most networks are such, and they have no time for the detours of the others. *kind* is the
    activation's code; the sums of the hidden *units* begin at ``sums[at]``, the last layer at
    ``weights[row]``; *workspace* is used again and again.
    """
    value = simd.multiply(simd.to_float(simd.load_int(sums, at)), simd.spread(UNIT))
    simd.store(workspace, 0, activate(value, kind))
    for block in range(LANES, units, LANES):
        value = simd.multiply(simd.to_float(simd.load_int(sums, at + block)), simd.spread(UNIT))
        simd.store(workspace, block, activate(value, kind))
    total = simd.load(weights, row)
    for unit in range(units):
        row += LANES
        term = simd.multiply(simd.spread(simd.peek(workspace, unit)), simd.load(weights, row))
        total = simd.add(total, term)
    return simd.first_of_maximum(total, allowed)


@inlined
def shallow_output(
    kind: int, width: int, sums: Any, at: int, columns: Any, base: int, weights: Any, row: int
) -> Any:
    """Like :func:`single_output`, for a network with one hidden layer of padded *width*.

    The column that begins at ``columns[base]`` counts as well.
    """
    value = _activate_with_column(kind, sums, at, columns, base)
    total = simd.multiply(value, simd.load(weights, row + LANES))
    for block in range(LANES, width, LANES):
        value = _activate_with_column(kind, sums, at + block, columns, base + block)
        total = simd.add(total, simd.multiply(value, simd.load(weights, row + LANES + block)))
    return simd.halve_sum(total) + simd.peek(weights, row)


@inlined
def _activate_with_column(kind: int, sums: Any, at: int, columns: Any, base: int) -> Any:
    total = simd.add_int(simd.load_int(sums, at), simd.load_int(columns, base))
    return activate(simd.multiply(simd.to_float(total), simd.spread(UNIT)), kind)


@inlined
def activate(vector: Any, kind: int) -> Any:
    """Each number's activation; *kind* is the function's code in :data:`ACTIVATIONS`."""
    if kind == RELU:
        return simd.maximum(vector, simd.spread(ZERO))
    scale = SIGMOID_SCALE
    if kind == TANH:
        scale = TANH_SCALE
    value = _logistic(vector, scale)
    if kind == TANH:
        value = simd.subtract(simd.add(value, value), simd.spread(ONE))
    return value


@inlined
def _logistic(vector: Any, scale: Any) -> Any:
    """1 / (1 + 2**(scale * x)): two to a whole number by its exponent, the rest by P0..P5."""
    power = simd.clamp(simd.multiply(vector, simd.spread(scale)), -FARTHEST, FARTHEST)
    rounder = simd.spread(ROUNDER)
    shifted = simd.add(power, rounder)
    rest = simd.subtract(power, simd.subtract(shifted, rounder))
    result = simd.add(simd.multiply(simd.spread(P5), rest), simd.spread(P4))
    result = simd.add(simd.multiply(result, rest), simd.spread(P3))
    result = simd.add(simd.multiply(result, rest), simd.spread(P2))
    result = simd.add(simd.multiply(result, rest), simd.spread(P1))
    result = simd.add(simd.multiply(result, rest), simd.spread(P0))
    one = simd.spread(ONE)
    return simd.divide(one, simd.add(one, simd.power_of_two(result, simd.bits_of(shifted))))


@inlined
def exponentials(values: Any, count: int, highest: Any, temperature: Any) -> None:
    """Puts exp((value - *highest*) / *temperature*) in the place of each of the *values*.

    None of the *count* that matter is above *highest*, so nothing overflows; nothing becomes less
    than 2**-126. The relative error is about 1e-7, and as much again for each 1 in the exponent.
    """
    scale = simd.spread(np.float32(LOG2_E) / temperature)
    rounder = simd.spread(ROUNDER)
    for block in range(0, count, LANES):
        power = simd.subtract(simd.load(values, block), simd.spread(highest))
        power = simd.clamp(simd.multiply(power, scale), -FARTHEST, ZERO)
        shifted = simd.add(power, rounder)
        rest = simd.subtract(power, simd.subtract(shifted, rounder))
        result = simd.add(simd.multiply(simd.spread(P5), rest), simd.spread(P4))
        result = simd.add(simd.multiply(result, rest), simd.spread(P3))
        result = simd.add(simd.multiply(result, rest), simd.spread(P2))
        result = simd.add(simd.multiply(result, rest), simd.spread(P1))
        result = simd.add(simd.multiply(result, rest), simd.spread(P0))
        simd.store(values, block, simd.power_of_two(result, simd.bits_of(shifted)))
