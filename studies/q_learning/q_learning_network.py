"""The network that Q-learning teaches: reads a board and a column, tells the column's worth.

One hidden layer, one linear output. Compiled, on explicit vectors. In contrast to networks that
only play (see :mod:`evolve_arena.genomes.network`) its first layer is ``float32``, since learning
moves weights by less than the steps of whole numbers. A board's sums are added up anew for each
ply, cell by cell in a fixed order, and a disc more adds one row to them.

Whoever makes a :class:`ActionNetwork` pads every width to whole vectors with zeros; they stay zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import inlined
from evolve_arena.genomes import simd
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import ACTIVATIONS, activate, padded
from evolve_arena.genomes.simd import LANES, peek, poke

TANH = ACTIVATIONS["tanh"]
ONE = np.float32(1.0)
ZERO = np.float32(0.0)
BIT = np.uint64(1)
OTHER = 64
"""The first bit of the opponent's discs; a board has 64 cells at most."""


class ActionNetwork(NamedTuple):
    """The weights, which learning changes in place, and what marks the true units."""

    rows: NDArray[np.float32]
    """One row per input, the column's last, then the biases: ``inputs + 1`` times the padded
    hidden width."""
    last: NDArray[np.float32]
    """The output's bias and 15 zeros, then its weight for each hidden unit."""
    mask: NDArray[np.float32]
    """1 for each hidden unit, 0 for what pads them."""


class Reader(NamedTuple):
    """How a board reaches the network's inputs, and the kind of its units."""

    rows: NDArray[np.int64]
    """Where in ``rows`` the row of each bit that is seen begins: of one's own disc on each cell,
    and from OTHER on of the opponent's."""
    factors: NDArray[np.float32]
    """What each bit gives to its input."""
    own_factor: Any
    """What an own disc does (``float32``)."""
    other_factor: Any
    column_row: Any
    """Where the row of the input for the column begins."""
    bias_row: Any
    width: Any
    """Hidden units, padded."""
    kind: Any
    """The activation's code, sigmoid or tanh."""


def make_network(mlp: MLP, genome: NDArray[np.float32]) -> ActionNetwork:
    """The network of *genome*, of shape ``(genes,)``, as it can be taught."""
    inputs, units, _ = mlp.sizes
    width = padded(units)
    rows = np.zeros((inputs + 1, width), dtype=np.float32)
    rows[:, :units] = genome[: (inputs + 1) * units].reshape(inputs + 1, units)
    last = np.zeros(LANES + width, dtype=np.float32)
    last[0] = genome[-1]
    last[LANES : LANES + units] = genome[(inputs + 1) * units : -1]
    mask = np.zeros(width, dtype=np.float32)
    mask[:units] = 1.0
    return ActionNetwork(rows.ravel(), last, mask)


def read_genome(mlp: MLP, network: ActionNetwork) -> NDArray[np.float32]:
    """The genome of the taught network, shape ``(genes,)``."""
    inputs, units, _ = mlp.sizes
    rows = network.rows.reshape(inputs + 1, -1)[:, :units]
    output = network.last[LANES : LANES + units]
    return np.concatenate([rows.ravel(), output, network.last[:1]])


@inlined
def sum_board(network: Any, reader: Any, own: Any, other: Any, workspace: Any, at: int) -> None:
    """Puts the first layer's sums of a board into *workspace* from *at* on, without a column."""
    for block in range(0, reader.width, LANES):
        own_total = simd.spread(ZERO)
        bits = own
        while bits:
            row = peek(reader.rows, lowest_bit(bits)) + block
            own_total = simd.add(own_total, simd.load(network.rows, row))
            bits &= bits - BIT
        other_total = simd.spread(ZERO)
        bits = other
        while bits:
            row = peek(reader.rows, OTHER + lowest_bit(bits)) + block
            other_total = simd.add(other_total, simd.load(network.rows, row))
            bits &= bits - BIT
        total = simd.load(network.rows, reader.bias_row + block)
        total = simd.add(total, simd.multiply(own_total, simd.spread(reader.own_factor)))
        total = simd.add(total, simd.multiply(other_total, simd.spread(reader.other_factor)))
        simd.store(workspace, at + block, total)


@inlined
def add_disc(
    network: Any, row: int, factor: Any, width: int, workspace: Any, at: int, to: int
) -> None:
    """Adds a disc, *factor* times the row that begins at *row*, to the sums at *at*."""
    for block in range(0, width, LANES):
        term = simd.multiply(simd.load(network.rows, row + block), simd.spread(factor))
        simd.store(workspace, to + block, simd.add(simd.load(workspace, at + block), term))


@inlined
def value_columns(
    network: Any, reader: Any, columns: int, allowed: Any, workspace: Any, at: int, values: Any
) -> Any:
    """Values every *allowed* column (bit c) for the board whose sums begin at *at*.

    Returns:
        The first column of the largest value; that value stands in *values*.
    """
    best = -1
    for column in range(columns):
        if not (allowed >> np.uint64(column)) & BIT:
            continue
        value = _value_column(network, reader, column, workspace, at)
        poke(values, column, value)
        if best < 0 or value > peek(values, best):
            best = column
    return best


@inlined
def best_column(
    network: Any, reader: Any, columns: int, allowed: Any, workspace: Any, at: int
) -> Any:
    """The first column of the largest value, and the value."""
    best = -1
    best_value = ZERO
    for column in range(columns):
        if not (allowed >> np.uint64(column)) & BIT:
            continue
        value = _value_column(network, reader, column, workspace, at)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best, best_value


@inlined
def _value_column(network: Any, reader: Any, column: int, workspace: Any, at: int) -> Any:
    factor = simd.spread(np.float32(column))
    total = simd.spread(ZERO)
    for block in range(0, reader.width, LANES):
        term = simd.multiply(factor, simd.load(network.rows, reader.column_row + block))
        unit = activate(simd.add(simd.load(workspace, at + block), term), reader.kind)
        weight = simd.load(network.last, LANES + block)
        total = simd.add(total, simd.multiply(unit, weight))
    return simd.halve_sum(total) + peek(network.last, 0)


@inlined
def teach(
    network: Any,
    reader: Any,
    own: Any,
    other: Any,
    column: int,
    target: Any,
    rate: Any,
    bias_learns: Any,
    workspace: Any,
    at: int,
    hidden_at: int,
) -> Any:
    """One step of gradient descent on half the squared error of the value of *column*.

    Each weight moves by *rate* times the error times the value's derivative by it, all
    derivatives being those before the step. Source: Rumelhart, Hinton and Williams, "Learning
    representations by back-propagating errors", Nature 323 (1986), equations 6 to 9.

    Args:
        network: Whose weights are changed.
        reader: How it reads the board.
        own: The discs of who moves.
        other: The opponent's.
        column: The move.
        target: What its value should be (``float32``).
        rate: The step's length (``float32``).
        bias_learns: Whether the output's bias is changed as well.
        workspace: Where the sums of this board begin at *at*, and where there is room for a value
            of each hidden unit at *hidden_at*.
        at: See *workspace*.
        hidden_at: See *workspace*.

    Returns:
        The error before the step: *target* less the value.
    """
    factor = simd.spread(np.float32(column))
    total = simd.spread(ZERO)
    for block in range(0, reader.width, LANES):
        term = simd.multiply(factor, simd.load(network.rows, reader.column_row + block))
        unit = activate(simd.add(simd.load(workspace, at + block), term), reader.kind)
        unit = simd.multiply(unit, simd.load(network.mask, block))
        simd.store(workspace, hidden_at + block, unit)
        total = simd.add(total, simd.multiply(unit, simd.load(network.last, LANES + block)))
    error = target - (simd.halve_sum(total) + peek(network.last, 0))
    step = rate * error
    if bias_learns:
        poke(network.last, 0, peek(network.last, 0) + step)
    for block in range(0, reader.width, LANES):
        unit = simd.load(workspace, hidden_at + block)
        weight = simd.load(network.last, LANES + block)
        new_weight = simd.add(weight, simd.multiply(simd.spread(step), unit))
        simd.store(network.last, LANES + block, new_weight)
        slope = simd.multiply(weight, _derivative(unit, reader.kind))
        change = simd.multiply(simd.spread(step), slope)
        _change_row(network.rows, reader.bias_row + block, change)
        _change_row(network.rows, reader.column_row + block, simd.multiply(factor, change))
        own_change = simd.multiply(simd.spread(reader.own_factor), change)
        bits = own
        while bits:
            _change_row(network.rows, peek(reader.rows, lowest_bit(bits)) + block, own_change)
            bits &= bits - BIT
        other_change = simd.multiply(simd.spread(reader.other_factor), change)
        bits = other
        while bits:
            _change_row(
                network.rows, peek(reader.rows, OTHER + lowest_bit(bits)) + block, other_change
            )
            bits &= bits - BIT
    return error


@inlined
def _change_row(rows: Any, at: int, change: Any) -> None:
    simd.store(rows, at, simd.add(simd.load(rows, at), change))


@inlined
def _derivative(unit: Any, kind: int) -> Any:
    """The derivative of the activation, told by its value: s(1 - s), or 1 - t² for tanh."""
    one = simd.spread(ONE)
    if kind == TANH:
        return simd.subtract(one, simd.multiply(unit, unit))
    return simd.multiply(unit, simd.subtract(one, unit))
