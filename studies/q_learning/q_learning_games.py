"""The games that a Q-learner plays against itself, and what it learns from each move; compiled.

After Młokosiewicz's thesis (see :mod:`evolve_arena.studies.q_learning.q_learning`), listings 5.5 to
5.8. Who moves reads his own discs as the first kind, whoever began. The random stream, the weights
and all room to work in are handed in, so that a learner's games depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, chance, new_stream
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    all_cells,
    cell_of,
    column_height,
    drop,
    has_line,
    make_rules,
    mark_if_full,
)
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.genomes.network import ACTIVATIONS, exponentials, padded
from evolve_arena.genomes.simd import peek
from evolve_arena.studies.q_learning.q_learning_network import (
    Reader,
    add_disc,
    best_column,
    make_network,
    read_genome,
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

GOES_ON, WON, DRAWN = 0, 1, 2
BIT = np.uint64(1)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)

MOVER, WAITER, REPLY, AGAIN, HIDDEN, SECTIONS = 0, 1, 2, 3, 4, 5
"""Sections of the room, a hidden width each: the sums of the board as the player to move and as
the other reads it, those after a move as the other reads them, those after a reply, and the hidden
units' values. The values of the columns follow."""


class LearningSettings(NamedTuple):
    """Everything that stays the same from game to game."""

    rules: Rules
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


def learn_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Plays the games of some learners; a kernel, see :mod:`evolve_arena.arena.work`.

    Args:
        options: What :func:`make_learning_settings` takes, and ``games``, how many each
            learner plays.
        inputs: The population, shape ``(individuals, genes)``, and a seed for each.
        outputs: The population afterwards, and the :data:`FIGURES` of each learner's games.
        part: Which learners.
    """
    decoder = NetworkDecoder(**{**options["design"], "hidden": tuple(options["design"]["hidden"])})
    learning = make_learning_settings(decoder, options)
    workspace = make_workspace(learning)
    genomes, seeds = inputs
    taught, figures = outputs
    if part.start == part.stop:  # only to compile
        network = make_network(decoder.mlp, genomes[0])
        play_games(learning, network, new_stream(0), workspace, 0, np.zeros(FIGURES))
    for one in range(part.start, part.stop):
        network = make_network(decoder.mlp, genomes[one])
        figures[one] = 0.0
        play_games(
            learning,
            network,
            new_stream(int(seeds[one])),
            workspace,
            options["games"],
            figures[one],
        )
        taught[one] = read_genome(decoder.mlp, network)


def make_learning_settings(decoder: NetworkDecoder, options: Mapping[str, Any]) -> LearningSettings:
    """The *options*, which are `QLearningConfig`'s, as compiled code reads them."""
    rules = decoder.game.rules
    cells = rules.columns * rules.height
    width = int(padded(decoder.hidden[0]))
    index = np.maximum(decoder.board.index, 0) * width
    factor = decoder.board.factor
    boltzmann = options["exploration"] == "boltzmann"
    rewards = options["rewards"]
    reader = Reader(
        own_rows=index[:cells].copy(),
        other_rows=index[cells : 2 * cells].copy(),
        own_factor=np.float32(factor[0]),
        other_factor=np.float32(factor[cells]),
        column_row=(decoder.inputs - 1) * width,
        bias_row=decoder.inputs * width,
        width=width,
        kind=ACTIVATIONS[decoder.activation],
    )
    return LearningSettings(
        rules=make_rules(*(int(size) for size in rules)),
        reader=reader,
        future=FUTURES[options["future"]],
        discount=np.float32(options["discount"]),
        temperature=np.float32(options["temperature"] if boltzmann else 0.0),
        epsilon=float(options["epsilon"]),
        rate=np.float32(options["learning_rate"]),
        win=np.float32(rewards["win"]),
        loss=np.float32(rewards["loss"]),
        draw=np.float32(rewards["draw"]),
        move=np.float32(rewards["move"]),
        faithful=bool(options["faithful"]),
        mirror=bool(options["mirror"]),
    )


def make_workspace(learning: LearningSettings) -> NDArray[np.float32]:
    """Where a learner's games compute."""
    width = learning.reader.width
    return np.zeros(SECTIONS * width + int(padded(learning.rules.columns)), dtype=np.float32)


@compiled
def play_games(
    learning: Any, network: Any, stream: Any, workspace: Any, games: int, figures: Any
) -> None:
    """Plays *games* games, learns from every move, and adds up their *figures*."""
    for _ in range(games):
        _play_game(learning, network, stream, workspace, figures)


@inlined
def _play_game(learning: Any, network: Any, stream: Any, workspace: Any, figures: Any) -> None:
    rules, reader = learning.rules, learning.reader
    own, other, full = np.uint64(0), np.uint64(0), np.uint64(0)
    plies = 0
    result = GOES_ON
    while result == GOES_ON:
        sum_board(network, reader, own, other, workspace, MOVER * reader.width)
        sum_board(network, reader, other, own, workspace, WAITER * reader.width)
        column = choose_column(learning, network, full, stream, workspace)
        bit = drop(own | other, column, rules)
        result = end_of(learning, own | bit, own | bit | other)
        full_after = mark_if_full(full, bit, column, rules)
        target = find_target(
            learning, network, own | bit, other, bit, result, full_after, workspace
        )
        error = learn_move(learning, network, own, other, column, target, workspace)
        figures[ERRORS] += abs(np.float64(error))
        own, other = other, own | bit
        full = full_after
        plies += 1
    figures[PLIES] += plies
    if result == DRAWN:
        figures[DRAWS] += 1.0
    elif plies & 1:
        figures[FIRST_WINS] += 1.0


@inlined
def choose_column(learning: Any, network: Any, full: Any, stream: Any, workspace: Any) -> Any:
    """The column that the player to move, whose sums stand in the room, tries.

    With Boltzmann's distribution each column's probability is proportional to
    exp(value / temperature) (the thesis's equation 3.8). Else any column with probability epsilon,
    and the best one otherwise.
    """
    rules, reader = learning.rules, learning.reader
    columns = rules.columns
    values = workspace[SECTIONS * reader.width :]
    best = value_columns(network, reader, columns, full, workspace, MOVER * reader.width, values)
    if learning.temperature > ZERO:
        exponentials(values, columns, peek(values, best), learning.temperature)
        total = 0.0
        for column in range(columns):
            if not (full >> np.uint64(column)) & BIT:
                total += np.float64(peek(values, column))
        left = chance(stream) * total
        chosen = best
        for column in range(columns):
            if not (full >> np.uint64(column)) & BIT:
                chosen = column
                left -= np.float64(peek(values, column))
                if left < 0.0:
                    break
        return chosen
    if chance(stream) < learning.epsilon:
        while True:
            column = below(stream, columns)
            if not (full >> np.uint64(column)) & BIT:
                return column
    return best


@inlined
def end_of(learning: Any, own: Any, discs: Any) -> Any:
    """How the game stands after a move of who has the *own* discs: GOES_ON, WON or DRAWN.

    A full board counts as a draw, whatever lies on it, for who is faithful to the thesis.
    """
    is_full = count_bits(discs) == all_cells(learning.rules)
    if is_full and learning.faithful:
        return DRAWN
    if has_line(own, learning.rules):
        return WON
    return DRAWN if is_full else GOES_ON


@inlined
def find_target(
    learning: Any,
    network: Any,
    own: Any,
    other: Any,
    bit: Any,
    result: int,
    full: Any,
    workspace: Any,
) -> Any:
    """What the move that put a disc on *bit* is worth: its reward, and a future if it has one.

    The future is the best value of the learner's next move: after the reply that it would choose
    itself in the opponent's place ("best-known"), or on average over all replies ("mean").

    *own* and *full* are those after the move, whose *result* is known. The sums in the room are
    those before it; the mover's have the disc afterwards.
    """
    if result == WON:
        return learning.win
    if result == DRAWN:
        return learning.draw
    width = learning.reader.width
    row = peek(learning.reader.other_rows, cell_of(bit))
    factor = learning.reader.other_factor
    add_disc(network, row, factor, width, workspace, WAITER * width, REPLY * width)
    row = peek(learning.reader.own_rows, cell_of(bit))
    factor = learning.reader.own_factor
    add_disc(network, row, factor, width, workspace, MOVER * width, MOVER * width)
    first, stop = 0, learning.rules.columns
    if learning.future == BEST_KNOWN:
        first, _ = best_column(network, learning.reader, stop, full, workspace, REPLY * width)
        stop = first + 1
    total, count = ZERO, ZERO
    for reply in range(first, stop):
        if not (full >> np.uint64(reply)) & BIT:
            total += _future_after(learning, network, own, other, reply, full, workspace)
            count += ONE
    return learning.move + learning.discount * (total / count)


@inlined
def _future_after(
    learning: Any, network: Any, own: Any, other: Any, column: int, full: Any, workspace: Any
) -> Any:
    """The best value of the next move if the opponent replies with *column*.

    A reply that ends the game has no next move: it brings the reward for a loss or a draw, or,
    faithful to the thesis, nothing.
    """
    rules, reader = learning.rules, learning.reader
    bit = drop(own | other, column, rules)
    result = end_of(learning, other | bit, own | other | bit)
    if result != GOES_ON:
        if learning.faithful:
            return ZERO
        return learning.loss if result == WON else learning.draw
    row = peek(reader.other_rows, cell_of(bit))
    width = reader.width
    add_disc(network, row, reader.other_factor, width, workspace, MOVER * width, AGAIN * width)
    full = mark_if_full(full, bit, column, rules)
    _, value = best_column(network, reader, rules.columns, full, workspace, AGAIN * width)
    return value


@inlined
def learn_move(
    learning: Any, network: Any, own: Any, other: Any, column: int, target: Any, workspace: Any
) -> Any:
    """Teaches the value of a move, and then of its mirror image unless the board is its own.

    Returns:
        The error of the first.
    """
    rules, reader, rate = learning.rules, learning.reader, learning.rate
    bias_learns = not learning.faithful
    at, hidden = MOVER * reader.width, HIDDEN * reader.width
    own_image, other_image = mirror_discs(own, rules), mirror_discs(other, rules)
    images = 1
    if learning.mirror and (own_image != own or other_image != other):
        images = 2
    first_error = ZERO
    for image in range(images):
        sum_board(network, reader, own, other, workspace, at)
        error = teach(
            network, reader, own, other, column, target, rate, bias_learns, workspace, at, hidden
        )
        if image == 0:
            first_error = error
        own, other = own_image, other_image
        column = rules.columns - 1 - column
    return first_error


@inlined
def mirror_discs(discs: Any, rules: Rules) -> Any:
    """The *discs* with left and right exchanged."""
    height = column_height(rules)
    whole = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - height)
    result = np.uint64(0)
    for column in range(rules.columns):
        part = (discs >> np.uint64(column * height)) & whole
        result |= part << np.uint64((rules.columns - 1 - column) * height)
    return result
