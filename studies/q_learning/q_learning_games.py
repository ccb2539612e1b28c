"""The games that a Q-learner plays against itself, and what it learns from each move; compiled.

After Młokosiewicz's thesis (see :mod:`evolve_arena.studies.q_learning.q_learning`), listings 5.5 to
5.8. It is copied for the board that is played; see
`evolve_arena.players.board.kernel.specialise_board`. Who moves reads his own discs as the first
kind, whoever began. The random stream, the weights and all room to work in are handed in, so that a
learner's games depend on nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, chance
from evolve_arena.genomes.network import exponentials
from evolve_arena.genomes.simd import peek
from evolve_arena.players.board.rules import (
    CELLS,
    GOES_ON,
    LONGEST,
    MOVES,
    begin,
    find_allowed,
    find_mover,
    follow,
    judge,
    list_changes,
    look,
)
from evolve_arena.studies.q_learning.q_learning_network import (
    Reader,
    add_disc,
    best_column,
    sum_board,
    teach,
    value_columns,
)

BEST_KNOWN, MEAN = 0, 1
FUTURES = {"best-known": BEST_KNOWN, "mean": MEAN}
"""The code of each way to estimate the future."""

ERRORS, PLIES, FIRST_WINS, DRAWS = 0, 1, 2, 3
FIGURES = 4
"""What is counted over all games: how far off the moves' values were, plies, games that who began
won, draws."""

DRAWN = 0
BIT = np.uint64(1)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
HEIGHT = CELLS // MOVES
"""Bits of a column."""

MOVER, WAITER, REPLY, AGAIN, HIDDEN, SECTIONS = 0, 1, 2, 3, 4, 5
"""Sections of the sums, a hidden width each: those of the board as the player to move and as the
other reads it, those after a move as the other reads them, those after a reply, and the hidden
units' values. The values of the columns follow."""


class LearningSettings(NamedTuple):
    """Everything that stays the same from game to game."""

    reader: Reader
    future: Any
    discount: Any
    temperature: Any
    """Of Boltzmann's distribution (``float32``), or 0 to choose by *epsilon*."""
    epsilon: Any
    rate: Any
    win: Any
    loss: Any
    draw: Any
    move: Any
    faithful: Any
    mirror: Any


class Room(NamedTuple):
    """Where a learner's games compute."""

    states: NDArray[np.int64]
    moves: NDArray[np.int64]
    planes: NDArray[np.uint64]
    """The discs that are seen: one's own, then the other's."""
    changes: NDArray[np.int64]
    sums: NDArray[np.float32]
    """The :data:`SECTIONS`, then a value for each column."""


@compiled
def play_games(
    learning: Any, network: Any, stream: Any, room: Any, games: int, figures: Any
) -> None:
    """Plays *games* games, learns from every move, and adds up their *figures*."""
    for _ in range(games):
        _play_game(learning, network, stream, room, figures)


@inlined
def _play_game(learning: Any, network: Any, stream: Any, room: Any, figures: Any) -> None:
    state, plies, result = begin(room.states), 0, GOES_ON
    while result == GOES_ON:
        sum_state(learning, network, state, room)
        column = choose_column(learning, network, state, stream, room)
        after = follow(room.states, 1, state, column)
        plies += 1
        result = end_of(learning, after, plies, room)
        target = find_target(learning, network, state, column, after, result, plies, room)
        error = learn_move(learning, network, column, target, room)
        figures[ERRORS] += abs(np.float64(error))
        state = after
    figures[PLIES] += plies
    figures[FIRST_WINS] += result > 0
    figures[DRAWS] += result == DRAWN


@inlined
def sum_state(learning: Any, network: Any, state: Any, room: Any) -> None:
    """Puts the sums of a *state* into the room, as the player to move and as the other reads it."""
    reader = learning.reader
    look(room.states, state, find_mover(room.states, state), room.planes, 0)
    own, other = peek(room.planes, 0), peek(room.planes, 1)
    sum_board(network, reader, own, other, room.sums, MOVER * reader.width)
    sum_board(network, reader, other, own, room.sums, WAITER * reader.width)


@inlined
def choose_column(learning: Any, network: Any, state: Any, stream: Any, room: Any) -> Any:
    """The column that the player to move in a *state*, whose sums stand in the room, tries.

    With Boltzmann's distribution each column's probability is proportional to
    exp(value / temperature) (the thesis's equation 3.8). Else any column with probability epsilon,
    and the best one otherwise.
    """
    reader, allowed = learning.reader, find_allowed(room.states, state, room.moves)
    values = room.sums[SECTIONS * reader.width :]
    best = value_columns(network, reader, MOVES, allowed, room.sums, MOVER * reader.width, values)
    if learning.temperature > ZERO:
        exponentials(values, MOVES, peek(values, best), learning.temperature)
        total = 0.0
        for column in range(MOVES):
            if (allowed >> np.uint64(column)) & BIT:
                total += np.float64(peek(values, column))
        left = chance(stream) * total
        chosen = best
        for column in range(MOVES):
            if (allowed >> np.uint64(column)) & BIT:
                chosen = column
                left -= np.float64(peek(values, column))
                if left < 0.0:
                    break
        return chosen
    if chance(stream) < learning.epsilon:
        while True:
            column = below(stream, MOVES)
            if (allowed >> np.uint64(column)) & BIT:
                return column
    return best


@inlined
def end_of(learning: Any, state: Any, plies: Any, room: Any) -> Any:
    """How the game stands in a *state* after so many plies: GOES_ON, DRAWN or won by who moved.

    A full board counts as a draw, whatever lies on it, for who is faithful to the thesis.
    """
    if learning.faithful and plies == LONGEST:
        return np.int64(DRAWN)
    return judge(room.states, state)


@inlined
def find_target(
    learning: Any,
    network: Any,
    state: Any,
    column: Any,
    after: Any,
    result: Any,
    plies: Any,
    room: Any,
) -> Any:
    """What the move into a *column* is worth: its reward, and a future if it has one.

    The future is the best value of the learner's next move: after the reply that it would choose
    itself in the opponent's place ("best-known"), or on average over all replies ("mean").

    Args:
        learning: The settings.
        network: Whose values count.
        state: The state before the move, whose sums stand in the room; the mover's have the disc
            afterwards.
        column: The move.
        after: The state after it.
        result: How the game stands then.
        plies: After how many plies.
        room: Where to compute.
    """
    if result != GOES_ON:
        return learning.draw if result == DRAWN else learning.win
    seat = find_mover(room.states, state)
    _add_move(learning, network, state, column, 1 - seat, room, WAITER, REPLY)
    _add_move(learning, network, state, column, seat, room, MOVER, MOVER)
    allowed = find_allowed(room.states, after, room.moves)
    reader = learning.reader
    first, stop = 0, MOVES
    if learning.future == BEST_KNOWN:
        first, _ = best_column(network, reader, stop, allowed, room.sums, REPLY * reader.width)
        stop = first + 1
    total, count = ZERO, ZERO
    for reply in range(first, stop):
        if (allowed >> np.uint64(reply)) & BIT:
            total += _future_after(learning, network, after, reply, seat, plies + 1, room)
            count += ONE
    return learning.move + learning.discount * (total / count)


@inlined
def _add_move(
    learning: Any, network: Any, state: Any, column: Any, seat: Any, room: Any, at: int, to: int
) -> None:
    """Adds the disc of a move, as a *seat* sees it, to the sums of section *at*."""
    reader = learning.reader
    list_changes(room.states, state, column, seat, room.changes)
    disc, width = peek(room.changes, 0), reader.width
    row, factor = peek(reader.rows, disc), peek(reader.factors, disc)
    add_disc(network, row, factor, width, room.sums, at * width, to * width)


@inlined
def _future_after(
    learning: Any, network: Any, state: Any, column: Any, seat: Any, plies: Any, room: Any
) -> Any:
    """The best value of the next move of a *seat* if the opponent replies with *column*.

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
    _, value = best_column(network, reader, MOVES, allowed, room.sums, AGAIN * reader.width)
    return value


@inlined
def learn_move(learning: Any, network: Any, column: Any, target: Any, room: Any) -> Any:
    """Teaches the value of a move, and then of its mirror image unless the board is its own.

    The board is the one that was seen last.

    Returns:
        The error of the first.
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
def mirror_discs(discs: Any) -> Any:
    """The *discs* with left and right exchanged."""
    whole = np.uint64(2**64 - 1) >> np.uint64(64 - HEIGHT)
    result = np.uint64(0)
    for column in range(MOVES):
        part = (discs >> np.uint64(column * HEIGHT)) & whole
        result |= part << np.uint64((MOVES - 1 - column) * HEIGHT)
    return result
