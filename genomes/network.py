"""Networks with binary features: their arrays for compiled code, and the forward pass over them.

A network reads *features* that are on or off (a disc of mine on this cell). Each feature adds one
column of numbers to the first layer, so that layer is kept as running sums: a move adds one column
and nothing is recomputed. The sums are integers, in units of 1/65536, because integers add to the
same total in any order: a position has one value, whatever moves led to it. All later layers are
``float32``, summed in a fixed order.

Layout of one network, every width padded to a multiple of :data:`LANES` with zeros:

- ``columns`` (``int32``): the biases of the first layer, then one column per feature;
- ``weights`` (``float32``), for each later layer: its biases, then one row per unit of the
  layer before. A last layer of a single unit is transposed: its bias alone in the first block,
  then its weights side by side.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import Numba, inlined
from evolve_arena.core.types import Array, Floats, Number
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
def padded(size: int) -> Number:
    """Return *size*, rounded up to whole vectors."""
    return (size + LANES - 1) // LANES * LANES


@inlined
def start_sums(sums: Array, at: int, columns: Array, base: int, width: int) -> None:
    """Set the running sums that begin at ``sums[at]`` to the biases at ``columns[base]``.

    Args:
        sums: Running sums of first layers, ``int32``.
        at: Beginning of this network's sums.
        columns: First layers of networks, ``int32``; see the module's docstring.
        base: Beginning of this network's biases.
        width: Padded width of its first layer.
    """
    for block in range(0, width, LANES):
        simd.store_int(sums, at + block, simd.load_int(columns, base + block))


@inlined
def add_column(sums: Array, at: int, columns: Array, base: int, width: int) -> None:
    """Add the column that begins at ``columns[base]`` to the sums that begin at ``sums[at]``.

    Args:
        sums: Running sums of first layers, ``int32``.
        at: Beginning of this network's sums.
        columns: First layers of networks, ``int32``; see the module's docstring.
        base: Beginning of the column of the feature that is turned on.
        width: Padded width of the first layer.
    """
    total = simd.add_int(simd.load_int(sums, at), simd.load_int(columns, base))
    simd.store_int(sums, at, total)
    for block in range(LANES, width, LANES):
        total = simd.add_int(simd.load_int(sums, at + block), simd.load_int(columns, base + block))
        simd.store_int(sums, at + block, total)


@inlined
def activate_sums(
    shape: Array, sums: Array, at: int, columns: Array, base: int, extra: bool, out: Floats
) -> None:
    """Write the first layer's activations to *out*.

    A network of a single layer gives its raw sums.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        sums: Running sums of first layers, ``int32``.
        at: Beginning of this network's sums, which do not change.
        columns: First layers of networks, ``int32``; see the module's docstring.
        base: Beginning of the column to add; only read if *extra* is true.
        extra: True to add a column, as if its feature were on.
        out: Receives the activations, from 0 on, for the padded width of the layer.
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
def evaluate_hidden(shape: Array, weights: Floats, at: int, ping: Floats, pong: Floats) -> Number:
    """Run the hidden layers after the first.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network's second layer.
        ping: The first layer's activations, from 0 on; may be overwritten. It has space for the
            widest hidden layer, padded.
        pong: Scratch space of that size.

    Returns:
        The beginning of the last layer's weights, and the one of the two that holds its inputs.
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
def pick_output(shape: Array, weights: Floats, at: int, inputs: Array, allowed: Number) -> Number:
    """Return the index of the largest *allowed* output (bit k: output k), the first among equals.

    The last layer has at most :data:`LANES` outputs and no activation: a monotone one would not
    change the order.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network's last layer.
        inputs: Inputs of the last layer, ``float32``, from 0 on; the outputs if there is a single
            layer.
        allowed: Mask of outputs, ``uint64``.
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
def single_output(shape: Array, weights: Floats, at: int, inputs: Array) -> Number:
    """Return the output of a last layer of a single unit, without activation.

    Args:
        shape: The network's structure, an ``int64`` array of shape ``(SHAPE_FIELDS,)``.
        weights: Weights and biases of networks; see the module's docstring.
        at: Beginning of this network's last layer.
        inputs: Inputs of the last layer, ``float32``, padded with any finite numbers; the output if
            there is a single layer.
    """
    if shape[LAYERS] == 1:
        return inputs[0]
    total = simd.multiply(simd.load(inputs, 0), simd.load(weights, at + LANES))
    for block in range(LANES, padded(shape[SIZES + shape[LAYERS] - 1]), LANES):
        term = simd.multiply(simd.load(inputs, block), simd.load(weights, at + LANES + block))
        total = simd.add(total, term)
    return simd.halve_sum(total) + weights[at]


@inlined
def shallow_pick(
    kind: int,
    units: int,
    sums: Array,
    at: int,
    weights: Floats,
    row: int,
    workspace: Floats,
    allowed: Number,
) -> Number:
    """Return the same as :func:`pick_output`, for a network with one hidden layer.

    This path is faster, and most networks have that form.

    Args:
        kind: Code of the activation function in :data:`ACTIVATIONS`.
        units: Number of hidden units.
        sums: Running sums of first layers, ``int32``.
        at: Beginning of this network's sums.
        weights: Weights and biases of networks; see the module's docstring.
        row: Beginning of this network's last layer.
        workspace: Scratch space for the hidden layer, padded.
        allowed: Mask of outputs, ``uint64``: bit k for output k.
    """
    # Hidden layer, a vector at a time.
    value = simd.multiply(simd.to_float(simd.load_int(sums, at)), simd.spread(UNIT))
    simd.store(workspace, 0, activate(value, kind))
    for block in range(LANES, units, LANES):
        value = simd.multiply(simd.to_float(simd.load_int(sums, at + block)), simd.spread(UNIT))
        simd.store(workspace, block, activate(value, kind))
    # Output layer: all outputs are one vector.
    total = simd.load(weights, row)
    for unit in range(units):
        row += LANES
        term = simd.multiply(simd.spread(simd.peek(workspace, unit)), simd.load(weights, row))
        total = simd.add(total, term)
    return simd.first_of_maximum(total, allowed)


@inlined
def shallow_output(
    kind: int,
    width: int,
    sums: Array,
    at: int,
    columns: Array,
    base: int,
    weights: Floats,
    row: int,
) -> Number:
    """Return the same as :func:`single_output`, for a network with one hidden layer.

    Args:
        kind: Code of the activation function in :data:`ACTIVATIONS`.
        width: Padded width of the hidden layer.
        sums: Running sums of first layers, ``int32``.
        at: Beginning of this network's sums, which do not change.
        columns: First layers of networks, ``int32``; see the module's docstring.
        base: Beginning of the column that is added to the sums.
        weights: Weights and biases of networks; see the module's docstring.
        row: Beginning of this network's last layer.
    """
    value = _activate_with_column(kind, sums, at, columns, base)
    total = simd.multiply(value, simd.load(weights, row + LANES))
    for block in range(LANES, width, LANES):
        value = _activate_with_column(kind, sums, at + block, columns, base + block)
        total = simd.add(total, simd.multiply(value, simd.load(weights, row + LANES + block)))
    return simd.halve_sum(total) + simd.peek(weights, row)


@inlined
def _activate_with_column(kind: int, sums: Array, at: int, columns: Array, base: int) -> Numba:
    total = simd.add_int(simd.load_int(sums, at), simd.load_int(columns, base))
    return activate(simd.multiply(simd.to_float(total), simd.spread(UNIT)), kind)


@inlined
def activate(vector: Numba, kind: int) -> Numba:
    """Apply an activation function, whose code in :data:`ACTIVATIONS` is *kind*, to each number."""
    if kind == RELU:
        return simd.maximum(vector, simd.spread(ZERO))
    # tanh(x) = 2 * sigmoid(2 * x) - 1
    scale = SIGMOID_SCALE
    if kind == TANH:
        scale = TANH_SCALE
    value = _logistic(vector, scale)
    if kind == TANH:
        value = simd.subtract(simd.add(value, value), simd.spread(ONE))
    return value


@inlined
def _logistic(vector: Numba, scale: Number) -> Numba:
    """Return 1 / (1 + 2**(scale * x)): the whole part by the exponent, the rest by P0..P5."""
    power = simd.clamp(simd.multiply(vector, simd.spread(scale)), -FARTHEST, FARTHEST)
    # Split the power into a whole number, in the low bits of *shifted*, and a rest.
    rounder = simd.spread(ROUNDER)
    shifted = simd.add(power, rounder)
    rest = simd.subtract(power, simd.subtract(shifted, rounder))
    # Horner's scheme for 2**rest.
    result = simd.add(simd.multiply(simd.spread(P5), rest), simd.spread(P4))
    result = simd.add(simd.multiply(result, rest), simd.spread(P3))
    result = simd.add(simd.multiply(result, rest), simd.spread(P2))
    result = simd.add(simd.multiply(result, rest), simd.spread(P1))
    result = simd.add(simd.multiply(result, rest), simd.spread(P0))
    one = simd.spread(ONE)
    return simd.divide(one, simd.add(one, simd.power_of_two(result, simd.bits_of(shifted))))


@inlined
def exponentials(values: Floats, count: int, highest: Number, temperature: Number) -> None:
    """Replace each of the *values* by exp((value - *highest*) / *temperature*).

    No result is below 2**-126. The relative error is about 1e-7 times (1 + the exponent's
    magnitude).

    Args:
        values: The numbers, from 0 on; all up to the next multiple of
            :data:`~evolve_arena.genomes.simd.LANES` change.
        count: Number of values that matter.
        highest: A ``float32`` that none of these exceeds, so that nothing overflows.
        temperature: A ``float32`` above 0: the higher, the more alike the results.
    """
    scale = simd.spread(np.float32(LOG2_E) / temperature)
    rounder = simd.spread(ROUNDER)
    for block in range(0, count, LANES):
        # The same approximation as in _logistic.
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
