"""Games of checkers in which linear players learn, against others or themselves; compiled.

It is copied for the players who meet; see `evolve_arena.players.board.kernel.specialise_board`. A
player's weights are 64-bit numbers here. After each change they are written, of 32 bits, to the
network of its seat, so that its next move is searched with what it has learned; two slots may
belong to one player, who then learns from both sides of the board. Among equally good moves chance
decides, so that games differ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.alpha_beta import value_moves
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    advance,
    begin,
    count_features,
    features_at,
    find_mover,
    judge,
    judge_at,
    list_moves,
)
from evolve_arena.players.board.values import take_slot
from evolve_arena.players.packed import KIND, NOISE, RANDOM, WEIGHTS_AT
from evolve_arena.players.search import TABLE_AT
from evolve_arena.studies.checkers_td.linear_learning import (
    AFTER,
    BEFORE,
    EVERY_MOVE,
    FEATURE_COUNT,
    RATE,
    STATES,
    UPDATE,
    VALUES,
    clear_traces,
    learn_from_game,
    learn_from_move,
    write_weights,
)

PLIES, FIRST_WINS, DRAWS, ERROR = range(4)
FIGURES = 4
"""What is counted over all games: jumps and steps, games that who began has won, draws, and the sum
of the differences between values and their targets."""

STANDARD, FORTY_MOVES, PIECES = 0, 1, 2
DRAW_RULES = {"standard": STANDARD, "forty-moves": FORTY_MOVES, "pieces": PIECES}
"""When a game is drawn. ``standard``: by the rules. ``forty-moves``: after 40 moves each without a
capture or a man's move, but not by repetition. ``pieces``: what is drawn by the standard is won by
who has more pieces."""

LAST_VALUE = VALUES - 1


class EpisodeWorkspace(NamedTuple):
    """Room for a game and what is learned from it."""

    states: NDArray[np.int64]
    """The features of both players' positions, one's behind the other's."""
    counts: NDArray[np.int64]
    """How many positions each has."""
    traces: NDArray[np.float64]
    """Shape ``(2, MOST_GENES)``."""
    values: NDArray[np.float64]


@compiled
def play_and_learn(
    draws: int,
    learn: bool,
    first: int,
    second: int,
    packed: Any,
    learning_rows: Any,
    weights: Any,
    workspace: Any,
    episode: EpisodeWorkspace,
    figures: Any,
) -> Any:
    """Plays one game, from which the players learn.

    Args:
        draws: When the game is drawn, one of the values of :data:`DRAW_RULES`.
        learn: Whether anybody learns.
        first: Who begins, a row of the packed players, of *learning_rows* and of *weights*.
        second: The other; the same if somebody plays himself.
        packed: The players, with the weights that they play by.
        learning_rows: How each learns, shape ``(players, SETTINGS_FIELDS)``.
        weights: What each knows, shape ``(players, MOST_GENES)``; changed in place, with the
            packed ones.
        workspace: What the players need, with the stream that chance comes from.
        episode: Memory that is used again and again.
        figures: :data:`FIGURES`, to which the game's are added.

    Returns:
        1 if who began has won, 0 for a draw, -1 if the other has.
    """
    given = packed, learning_rows, weights, workspace, episode
    for slot in range(2):
        who = second if slot else first
        take_slot(packed, who, slot, workspace)
        episode.counts[slot] = 0
        clear_traces(learning_rows, who, episode.traces, slot)
    states = workspace.states
    state, ply, before, error = begin(states), 0, -1, 0.0
    outcome = judge(states, state)
    while outcome == GOES_ON and ply < LONGEST:
        slot = find_mover(states, state)
        who = second if slot else first
        learns = learn and learning_rows[who, RATE] > 0.0
        # Who jumps on saw the position before the first jump, and sees that after the last one.
        if learns and learning_rows[who, STATES] == BEFORE and slot != before:
            error += _see(who, slot, state, False, 0.0, *given)
        workspace.plies[0] = ply
        move = _choose_move(packed, who, slot, state, workspace)
        ply += 1
        state = advance(states, state, move, ply)
        outcome = judge_at(states, state, ply)
        goes_on = outcome == GOES_ON and ply < LONGEST and find_mover(states, state) != slot
        if learns and learning_rows[who, STATES] == AFTER and goes_on:
            error += _see(who, slot, state, False, 0.0, *given)
        before = slot
    if outcome == GOES_ON:
        outcome = 0
    if outcome == 0 and draws == PIECES:
        lead = count_bits(state[0]) - count_bits(state[1])
        outcome = int(lead > 0) - int(lead < 0)
    for slot in range(2):
        who = second if slot else first
        if learn and learning_rows[who, RATE] > 0.0:
            error += _see(who, slot, state, True, float(outcome * (1 - 2 * slot)), *given)
    figures[PLIES] += ply
    figures[FIRST_WINS] += outcome > 0
    figures[DRAWS] += outcome == 0
    figures[ERROR] += error
    return outcome


@inlined
def _choose_move(packed: Any, who: int, slot: int, state: Any, workspace: Any) -> Any:
    """One of the moves that the player in a *slot* values highest, or now and then any."""
    moves, stream, noise = workspace.moves, workspace.streams, packed.seats[who, NOISE]
    strays = noise > 0 and np.int64(next_word(stream) >> np.uint64(32)) < noise
    count = list_moves(workspace.states, state, moves, 0)
    if count > 1 and not strays and packed.seats[who, KIND] != RANDOM:
        best = value_moves(packed, slot, state, count, False, workspace)
        equals = np.int64(0)
        for place in range(count):
            if peek(workspace.ratings, place) == best:
                poke(moves, equals, peek(moves, place))
                equals += 1
        count = equals
    return peek(moves, below(stream, count) if count > 1 else np.int64(0))


@compiled
def _see(
    who: int,
    slot: int,
    state: Any,
    is_last: bool,
    reward: float,
    packed: Any,
    learning_rows: Any,
    weights: Any,
    workspace: Any,
    episode: EpisodeWorkspace,
) -> Any:
    """Adds a position to the episode of who sits on *slot*, and learns if it is time to.

    Args:
        who: Whose episode.
        slot: See there.
        state: The position.
        is_last: Whether the game has ended in that position.
        reward: What the player gets there.
        packed: As in :func:`play_and_learn`, like what follows.
        learning_rows: See there.
        weights: See there.
        workspace: See there.
        episode: See there.

    Returns:
        By how much values were off their targets.
    """
    features = int(learning_rows[who, FEATURE_COUNT])
    start = slot * (episode.states.shape[0] // 2)
    here = start + episode.counts[slot] * features
    given = workspace.states, state, slot, workspace.values, features
    count_features(*given, workspace.notes, np.int64(0))
    counted = features_at(workspace.values)
    for place in range(features):
        value = int(workspace.values[counted + place])
        episode.states[here + place] = min(value, LAST_VALUE)
    episode.counts[slot] += 1
    count = episode.counts[slot]
    if learning_rows[who, UPDATE] == EVERY_MOVE:
        if count == 1:
            return 0.0
        error = learn_from_move(
            *(learning_rows, weights, who, episode.states, here - features, here, is_last, reward),
            *(episode.traces, slot),
        )
    elif is_last:
        error = learn_from_game(
            *(learning_rows, weights, who, episode.states, start, count, reward),
            *(episode.traces, slot, episode.values),
        )
    else:
        return 0.0
    write_weights(learning_rows, weights, who, packed.weights, packed.seats[who, WEIGHTS_AT])
    for place in range(TABLE_AT, workspace.memory.shape[0]):  # values of positions are others now
        workspace.memory[place] = 0
    return error
