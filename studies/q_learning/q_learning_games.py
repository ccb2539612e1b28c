"""Games of a Q-learner against itself, and its learning from each move, compiled.

After Młokosiewicz's thesis (see :mod:`evolve_arena.studies.q_learning.q_learning`), listings 5.5 to
5.8. The module is copied for each board; see `evolve_arena.players.board.kernel.specialise_board`.
The network reads the discs of the player to move as its own, whether it moved first or second. The
random stream, the weights and all memory are arguments, so that a learner's games depend on nothing
else.

The network reads a board and a column and gives the column's value: one hidden layer and one linear
output, computed with SIMD vectors. In contrast to networks that only play (see
:mod:`evolve_arena.genomes.network`) its first layer is ``float32``, since learning changes weights
by less than integer weights could show. The first layer's sums for a board are computed anew for
each ply, cell by cell in a fixed order, and one more disc adds one row of weights to them. An
:class:`ActionNetwork` has every width padded to whole vectors with zeros, which stay zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number, Position
from evolve_arena.evolve.learning.tuple_learning import DRAWS, ERROR, FIRST_WINS, PLIES
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import ACTIVATIONS, activate, exponentials
from evolve_arena.genomes.simd import LANES, peek, poke
from evolve_arena.players.board.rules import (
    CELLS,
    GOES_ON,
    LONGEST,
    MOVES,
    adjudicate,
    begin,
    find_allowed,
    find_mover,
    follow,
    list_changes,
    look,
)

BEST_KNOWN, MEAN = 0, 1
FUTURES = {"best-known": BEST_KNOWN, "mean": MEAN}
"""Code of each way to estimate the future."""

DRAWN = 0
TANH = ACTIVATIONS["tanh"]
BIT = np.uint64(1)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
Lanes: TypeAlias = Any
"""A vector of sixteen floats; see `evolve_arena.genomes.simd`."""
HEIGHT = CELLS // MOVES
"""Bits of a column in a board's bits."""
OTHER = 64
"""First bit of the opponent's discs; a board has 64 cells at most."""


class ActionNetwork(NamedTuple):
    """The weights, which learning changes in place, and a mask of the hidden units."""

    rows: NDArray[np.float32]
    """First layer, shape ``((inputs + 1) * width,)`` with the padded hidden width: a row for each
    input, the column's last, then the biases."""
    last: NDArray[np.float32]
    """The output's bias and 15 zeros, then its weight for each hidden unit."""
    mask: NDArray[np.float32]
    """1 for each hidden unit, 0 for padding."""


class Reader(NamedTuple):
    """The map from a board to the network's inputs, and the kind of its units."""

    rows: NDArray[np.int64]
    """Start in ``rows`` of the row of each bit of the observation: of own discs on each cell, and
    from OTHER on of the opponent's."""
    factors: NDArray[np.float32]
    """Input value of each bit of the observation."""
    own_factor: np.float32
    """Value of an own disc (``float32``)."""
    other_factor: np.float32
    column_row: int
    """Start of the row of the input for the column."""
    bias_row: int
    width: int
    """Hidden units, padded."""
    kind: int
    """Code of the activation, sigmoid or tanh."""


MOVER, WAITER, REPLY, AGAIN, HIDDEN, SECTIONS = 0, 1, 2, 3, 4, 5
"""Sections of the workspace's sums, a padded hidden width each: sums of the board from the view of
the player to move and of the other, sums after a move from the other's view, sums after a reply,
and the hidden units' values. The values of the columns follow."""


class QLearningSettings(NamedTuple):
    """The settings of the method, which are the same in all games."""

    reader: Reader
    future: int
    discount: np.float32
    temperature: np.float32
    """Temperature of Boltzmann's distribution (``float32``), or 0 to choose by *epsilon*."""
    epsilon: float
    rate: np.float32
    win: np.float32
    loss: np.float32
    draw: np.float32
    move: np.float32
    faithful: bool
    mirror: bool


class Room(NamedTuple):
    """The workspace of a learner's games."""

    states: NDArray[np.int64]
    moves: NDArray[np.int64]
    planes: NDArray[np.uint64]
    """The discs in view: one's own, then the other's."""
    changes: NDArray[np.int64]
    sums: NDArray[np.float32]
    """The :data:`SECTIONS`, then a value for each column."""


@compiled
def play_games(
    learning: QLearningSettings,
    network: ActionNetwork,
    rng: Stream,
    room: Room,
    games: int,
    figures: Array,
) -> None:
    """Play *games* games, learn from every move, and add up their *figures*.

    Args:
        learning: Settings of the method, the same in all games.
        network: Weights of the network, changed in place.
        rng: Stream of random numbers, which moves on.
        room: Workspace of the games.
        games: Number of games.
        figures: Counters of `evolve_arena.evolve.learning.tuple_learning`, shape ``(FIGURES,)``,
            which are increased.
    """
    for _ in range(games):
        _play_game(learning, network, rng, room, figures)


@inlined
def _play_game(
    learning: QLearningSettings, network: ActionNetwork, rng: Stream, room: Room, figures: Array
) -> None:
    state, plies, result = begin(room.states), 0, GOES_ON
    while result == GOES_ON:
        sum_state(learning, network, state, room)
        column = choose_column(learning, network, state, rng, room)
        after = follow(room.states, 1, state, column)
        plies += 1
        result = end_of(learning, after, plies, room)
        target = find_target(learning, network, state, column, after, result, plies, room)
        error = learn_move(learning, network, column, target, room)
        figures[ERROR] += abs(np.float64(error))
        state = after
    figures[PLIES] += plies
    figures[FIRST_WINS] += result > 0
    figures[DRAWS] += result == DRAWN


@inlined
def sum_state(
    learning: QLearningSettings, network: ActionNetwork, state: Position, room: Room
) -> None:
    """Write the first layer's sums of a *state*, as the player to move and the other see it.

    Args:
        learning: Settings of the method, of which the reader is used.
        network: Weights of the network.
        state: State of a game that is not over.
        room: Workspace, whose planes and sections ``MOVER`` and ``WAITER`` are written.
    """
    reader = learning.reader
    look(room.states, state, find_mover(room.states, state), room.planes, 0)
    own, other = peek(room.planes, 0), peek(room.planes, 1)
    sum_board(network, reader, own, other, room.sums, MOVER * reader.width)
    sum_board(network, reader, other, own, room.sums, WAITER * reader.width)


@inlined
def choose_column(
    learning: QLearningSettings, network: ActionNetwork, state: Position, rng: Stream, room: Room
) -> Number:
    """Return the column that the player to move chooses in a *state* whose sums are known.

    With Boltzmann's distribution each column's probability is proportional to exp(value /
    temperature) (the thesis's equation 3.8). Else it is any column with probability epsilon, and
    the best one otherwise.

    Args:
        learning: Settings of the method: temperature, or share of random moves.
        network: Weights of the network.
        state: State of a game that is not over.
        rng: Stream of random numbers, which moves on.
        room: Workspace with the sums of this state, as :func:`sum_state` writes them; the values of
            its columns are written.
    """
    reader, allowed = learning.reader, find_allowed(room.states, state, room.moves)
    values = room.sums[SECTIONS * reader.width :]
    # Value all columns first: every choice depends on the best one.
    best = _value_all(network, reader, allowed, room, MOVER)
    # Boltzmann: weights relative to the best value, then a draw from their cumulated sum.
    if learning.temperature > ZERO:
        exponentials(values, MOVES, peek(values, best), learning.temperature)
        total = 0.0
        for column in range(MOVES):
            if (allowed >> np.uint64(column)) & BIT:
                total += np.float64(peek(values, column))
        left = chance(rng) * total
        chosen = best
        for column in range(MOVES):
            if (allowed >> np.uint64(column)) & BIT:
                chosen = column
                left -= np.float64(peek(values, column))
                if left < 0.0:
                    break
        return chosen
    # Epsilon: reject full columns until a free one is drawn.
    if chance(rng) < learning.epsilon:
        while True:
            column = below(rng, MOVES)
            if (allowed >> np.uint64(column)) & BIT:
                return column
    return best


@inlined
def end_of(learning: QLearningSettings, state: Position, plies: int, room: Room) -> Number:
    """Return the result of a *state* after *plies* plies: GOES_ON, DRAWN, or the winner's sign.

    The sign is 1 if the first player has won, -1 if the second has.

    If faithful to the thesis, a full board counts as a draw, whatever its lines.

    Args:
        learning: Settings of the method, of which ``faithful`` is used.
        state: State after a move.
        plies: Number of moves that led to it.
        room: Workspace of the game.
    """
    if learning.faithful and plies == LONGEST:
        return np.int64(DRAWN)
    return adjudicate(room.states, state)


@inlined
def find_target(
    learning: QLearningSettings,
    network: ActionNetwork,
    state: Position,
    column: int,
    after: Position,
    result: int,
    plies: int,
    room: Room,
) -> Number:
    """Return the target of a move into a *column*: its reward, and a future if the game continues.

    The future is the best value of the learner's next move: after the reply that it would choose
    itself in the opponent's place ("best-known"), or on average over all replies ("mean").

    Args:
        learning: The settings.
        network: The network whose values count.
        state: The state before the move, whose sums are known; the disc is added to the mover's.
        column: The column of the move, from 0.
        after: The state after the move.
        result: The result of *after*, as :func:`end_of` returns it.
        plies: The number of plies that led to *after*.
        room: The workspace.
    """
    # A move that ends the game has a reward and no future.
    if result != GOES_ON:
        return learning.draw if result == DRAWN else learning.win
    seat = find_mover(room.states, state)
    _add_move(learning, network, state, column, 1 - seat, room, WAITER, REPLY)
    _add_move(learning, network, state, column, seat, room, MOVER, MOVER)
    allowed = find_allowed(room.states, after, room.moves)
    reader = learning.reader
    # One reply, the best in the opponent's view, or all of them.
    first, stop = 0, MOVES
    if learning.future == BEST_KNOWN:
        first = _value_all(network, reader, allowed, room, REPLY)
        stop = first + 1
    total, count = ZERO, ZERO
    for reply in range(first, stop):
        if (allowed >> np.uint64(reply)) & BIT:
            total += _future_after(learning, network, after, reply, seat, plies + 1, room)
            count += ONE
    return learning.move + learning.discount * (total / count)


@inlined
def _add_move(
    learning: QLearningSettings,
    network: ActionNetwork,
    state: Position,
    column: int,
    seat: int,
    room: Room,
    at: int,
    to: int,
) -> None:
    """Write the sums of section *at* with one more disc, as a *seat* sees it, to section *to*."""
    reader = learning.reader
    list_changes(room.states, state, column, seat, room.changes)
    disc, width = peek(room.changes, 0), reader.width
    row, factor = peek(reader.rows, disc), peek(reader.factors, disc)
    add_disc(network, row, factor, width, room.sums, at * width, to * width)


@inlined
def _future_after(
    learning: QLearningSettings,
    network: ActionNetwork,
    state: Position,
    column: int,
    seat: int,
    plies: int,
    room: Room,
) -> Number:
    """Return the best value of the next move of a *seat* if the opponent replies with *column*.

    A reply that ends the game has no next move: it brings the reward for a loss or a draw, or,
    faithful to the thesis, nothing.
    """
    after = follow(room.states, 2, state, column)
    result = end_of(learning, after, plies, room)
    if result != GOES_ON:
        if learning.faithful:
            return ZERO
        return learning.draw if result == DRAWN else learning.loss
    _add_move(learning, network, state, column, seat, room, MOVER, AGAIN)
    allowed, reader = find_allowed(room.states, after, room.moves), learning.reader
    best = _value_all(network, reader, allowed, room, AGAIN)
    return peek(room.sums, SECTIONS * reader.width + best)


@inlined
def _value_all(
    network: ActionNetwork, reader: Reader, allowed: Number, room: Room, section: int
) -> Number:
    """Return the best column for the sums of a *section*, and write the values of all columns."""
    values = room.sums[SECTIONS * reader.width :]
    at = section * reader.width
    return value_columns(network, reader, MOVES, allowed, room.sums, at, values)


@inlined
def learn_move(
    learning: QLearningSettings, network: ActionNetwork, column: int, target: Number, room: Room
) -> Number:
    """Learn the value of a move, and then of its mirror image unless the board is symmetric.

    Args:
        learning: Settings of the method, such as the learning rate.
        network: Weights of the network, changed in place.
        column: Column of the move, counted from 0.
        target: Target of the move's value (``float32``).
        room: Workspace, whose planes hold the board before the move; sums and hidden values are
            overwritten.

    Returns:
        The error of the move itself, not that of its mirror image.
    """
    reader, rate, sums = learning.reader, learning.rate, room.sums
    own, other = peek(room.planes, 0), peek(room.planes, 1)
    bias_learns = not learning.faithful
    at, hidden = MOVER * reader.width, HIDDEN * reader.width
    own_image, other_image = mirror_discs(own), mirror_discs(other)
    images = 1
    if learning.mirror and (own_image != own or other_image != other):
        images = 2
    first_error = ZERO
    for image in range(images):
        sum_board(network, reader, own, other, sums, at)
        error = teach(
            network, reader, own, other, column, target, rate, bias_learns, sums, at, hidden
        )
        if image == 0:
            first_error = error
        own, other = own_image, other_image
        column = MOVES - 1 - column
    return first_error


@inlined
def mirror_discs(discs: Number) -> Number:
    """Return the *discs* with left and right exchanged."""
    whole = np.uint64(2**64 - 1) >> np.uint64(64 - HEIGHT)
    result = np.uint64(0)
    for column in range(MOVES):
        part = (discs >> np.uint64(column * HEIGHT)) & whole
        result |= part << np.uint64((MOVES - 1 - column) * HEIGHT)
    return result


@inlined
def sum_board(
    network: ActionNetwork, reader: Reader, own: Number, other: Number, workspace: Floats, at: int
) -> None:
    """Write the first layer's sums of a board, without a column, to *workspace* from *at* on.

    Args:
        network: Weights of the network.
        reader: Map from a board to the network's inputs.
        own: Discs of the player in whose view the board is, as bits of a ``uint64``.
        other: Discs of the opponent, likewise.
        workspace: Memory for sums, ``float32``.
        at: Index in *workspace* of the first sum; ``reader.width`` of them are written.
    """
    for block in range(0, reader.width, LANES):
        total = simd.load(network.rows, reader.bias_row + block)
        own_total = _sum_rows(network, reader, own, 0, block)
        other_total = _sum_rows(network, reader, other, OTHER, block)
        total = simd.add(total, simd.multiply(own_total, simd.spread(reader.own_factor)))
        total = simd.add(total, simd.multiply(other_total, simd.spread(reader.other_factor)))
        simd.store(workspace, at + block, total)


@inlined
def _sum_rows(
    network: ActionNetwork, reader: Reader, discs: Number, first: int, block: int
) -> Lanes:
    """Return the sum of the rows of *discs*, whose bits are counted from *first* on."""
    total = simd.spread(ZERO)
    while discs:
        row = peek(reader.rows, first + lowest_bit(discs)) + block
        total = simd.add(total, simd.load(network.rows, row))
        discs &= discs - BIT
    return total


@inlined
def add_disc(
    network: ActionNetwork,
    row: int,
    factor: Number,
    width: int,
    workspace: Floats,
    at: int,
    to: int,
) -> None:
    """Add a disc, *factor* times the row that begins at *row*, to the sums at *at*.

    Args:
        network: Weights of the network.
        row: Index in ``network.rows`` at which the row of the disc's input begins.
        factor: Value of the disc for that input (``float32``).
        width: Number of sums: the hidden units, padded.
        workspace: Memory for sums, ``float32``.
        at: Index of the first sum without the disc.
        to: Index at which the sums with the disc are written; may be *at*.
    """
    for block in range(0, width, LANES):
        term = simd.multiply(simd.load(network.rows, row + block), simd.spread(factor))
        simd.store(workspace, to + block, simd.add(simd.load(workspace, at + block), term))


@inlined
def value_columns(
    network: ActionNetwork,
    reader: Reader,
    columns: int,
    allowed: Number,
    workspace: Floats,
    at: int,
    values: Floats,
) -> Number:
    """Value every *allowed* column (bit c) for the board whose sums begin at *at*.

    Args:
        network: Weights of the network.
        reader: Map from a board to the network's inputs.
        columns: Number of columns of the board.
        allowed: Columns to value, as bits of a ``uint64``.
        workspace: Memory with sums, ``float32``.
        at: Index of the first sum of the board.
        values: Memory for the value of each column, ``float32``; those of other columns stay as
            they are.

    Returns:
        The first column of the largest value, or -1 if none is allowed.
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
def _value_column(
    network: ActionNetwork, reader: Reader, column: int, workspace: Floats, at: int
) -> Number:
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
    network: ActionNetwork,
    reader: Reader,
    own: Number,
    other: Number,
    column: int,
    target: Number,
    rate: Number,
    bias_learns: bool,
    workspace: Floats,
    at: int,
    hidden_at: int,
) -> Number:
    """Make one step of gradient descent on half the squared error of the value of *column*.

    Each weight moves by *rate* times the error times the value's derivative by it, all derivatives
    being those before the step. Source: Rumelhart, Hinton and Williams, "Learning representations
    by back-propagating errors", Nature 323 (1986), equations 6 to 9.

    Args:
        network: The network whose weights are changed.
        reader: Its map from a board to inputs.
        own: The discs of the player to move.
        other: The opponent's.
        column: The move.
        target: The target of its value (``float32``).
        rate: The learning rate (``float32``).
        bias_learns: True if the output's bias is changed as well.
        workspace: Memory with the sums of this board at *at*, and space for a value of each hidden
            unit at *hidden_at*.
        at: See *workspace*.
        hidden_at: See *workspace*.

    Returns:
        The error before the step: *target* less the value.
    """
    # Forward pass; the units' values are kept for the gradient.
    factor = simd.spread(np.float32(column))
    total = simd.spread(ZERO)
    for block in range(0, reader.width, LANES):
        term = simd.multiply(factor, simd.load(network.rows, reader.column_row + block))
        unit = activate(simd.add(simd.load(workspace, at + block), term), reader.kind)
        unit = simd.multiply(unit, simd.load(network.mask, block))
        simd.store(workspace, hidden_at + block, unit)
        total = simd.add(total, simd.multiply(unit, simd.load(network.last, LANES + block)))
    error = target - (simd.halve_sum(total) + peek(network.last, 0))
    # Backward pass, block by block: the output's weights, then the rows of the inputs.
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
        _change_rows(network, reader, own, 0, block, own_change)
        other_change = simd.multiply(simd.spread(reader.other_factor), change)
        _change_rows(network, reader, other, OTHER, block, other_change)
    return error


@inlined
def _change_rows(
    network: ActionNetwork, reader: Reader, discs: Number, first: int, block: int, change: Lanes
) -> None:
    """Add a *change* to the rows of *discs*, whose bits are counted from *first* on."""
    while discs:
        _change_row(network.rows, peek(reader.rows, first + lowest_bit(discs)) + block, change)
        discs &= discs - BIT


@inlined
def _change_row(rows: Floats, at: int, change: Lanes) -> None:
    simd.store(rows, at, simd.add(simd.load(rows, at), change))


@inlined
def _derivative(unit: Lanes, kind: int) -> Lanes:
    """Return the derivative of the activation from its value: s(1 - s), or 1 - t² for tanh."""
    one = simd.spread(ONE)
    if kind == TANH:
        return simd.subtract(one, simd.multiply(unit, unit))
    return simd.multiply(unit, simd.subtract(one, unit))
