"""Games of checkers in which linear players learn, and the updates of their weights; compiled.

The module is copied for each pair of players, see
`evolve_arena.players.board.kernel.specialise_board`. A player's weights have 64 bits here. After
each change they are written, with 32 bits, to the network of its seat, so that its next move is
searched with the learned weights; both seats may belong to one player, which then learns from both
sides of the board. Of equally good moves a random one is played, so that games differ.

After Piotrowski, "Warcaby i uczenie się ze wzmocnieniem" (Wrocław, 2004), sections 5.2 to 5.6.
An episode is one player's view of a game: the features of position after position, of which the
last is that in which the game ended. A reward comes there and nowhere else. Where his printed
formulas are not those of TD(λ), a lesson selects one of the two:

==============  ================================  =============================================
what            TD(λ)                             as printed
==============  ================================  =============================================
the last        is worth nothing but the reward   is worth the reward and the value of its
position                                          features
after a move    weights of the position before    weights of the position reached change
                change
after a game    traces run forward, and values    one sweep from the last position to the
                are those of the game's           first, in which traces gather later positions
                beginning: the sum of what        and values change at once
                TD(λ) gives off-line
==============  ================================  =============================================

Replacing traces take a feature's value where that is not 0, as his text says, and leave the
trace to decay elsewhere. (The printed loop replaces all of them, so λ would play no part.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.core.types import Array, Floats, Number, Position
from evolve_arena.evolve.learning.tuple_learning import DRAWS, ERROR, FIRST_WINS, PLIES
from evolve_arena.genomes.simd import LANES, peek, poke
from evolve_arena.players.board.alpha_beta import value_moves
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    adjudicate,
    adjudicate_at,
    advance,
    begin,
    count_features,
    features_at,
    find_mover,
    list_moves,
)
from evolve_arena.players.board.values import take_slot
from evolve_arena.players.board.workspace import BoardWorkspace
from evolve_arena.players.packed import KIND, NOISE, RANDOM, WEIGHTS_AT, PackedPlayers
from evolve_arena.players.search import TABLE_AT

STANDARD, FORTY_MOVES, PIECES = 0, 1, 2
DRAW_RULES = {"standard": STANDARD, "forty-moves": FORTY_MOVES, "pieces": PIECES}
"""Rules for draws. ``standard``: those of the game. ``forty-moves``: after 40 moves of each side
without a capture or a man's move, but not by repetition. ``pieces``: draws of the standard are won
by the player with more pieces."""

VALUES = 32
"""Number of distinct values of a feature, from 0 on; larger ones count as the last."""
LAST_VALUE = VALUES - 1
MAX_FEATURES = 20
MAX_GENES = MAX_FEATURES * VALUES
LOST = 1e6
"""Largest absolute value of a weight; larger weights have diverged."""

EVERY_MOVE, END_OF_GAME = 0, 1
TD, BURGE = 0, 1
NONE, ACCUMULATING, REPLACING = 0, 1, 2
AFTER, BEFORE = 0, 1

SETTINGS_FIELDS = 11
RATE, DISCOUNT, DECAY, TRACE, UPDATE, RULE = range(6)
FAITHFUL, STATES, FEATURE_COUNT, BINARY, EXPLORATION = range(6, SETTINGS_FIELDS)
"""Indices of a player's row of settings, in the order of :class:`TDLinearSettings`."""


class TDLinearSettings(NamedTuple):
    """The learning settings of a player; compiled code reads them as a row of numbers."""

    rate: float
    """Learning rate α; at 0 nothing is learned."""
    discount: float
    """Discount factor γ."""
    decay: float
    """Trace decay λ."""
    trace: int
    """Kind of eligibility traces: NONE, ACCUMULATING or REPLACING."""
    update: int
    """Time of updates: EVERY_MOVE or END_OF_GAME."""
    rule: int
    """TD, or BURGE: from the last position to the first, each is drawn towards the current value of
    the next one, and the last towards the reward (section 5.6)."""
    faithful: int
    """1 for the formulas as printed, 0 for TD(λ)."""
    states: int
    """AFTER or BEFORE: an episode has the positions after a player's own moves, or those before
    them."""
    features: int
    """Number of features of a position."""
    binary: int
    """1 if each value of a feature has a weight of its own, 0 if a feature has one."""
    exploration: float
    """Share of random moves, from 0 to 1."""

    def row(self) -> NDArray[np.float64]:
        """Return the settings as an array of shape ``(SETTINGS_FIELDS,)``."""
        return np.array(self, dtype=np.float64)


class Lesson(NamedTuple):
    """The learning data of one player in a game."""

    settings: NDArray[np.float64]
    """Shape ``(SETTINGS_FIELDS,)``; see :class:`TDLinearSettings`."""
    weights: NDArray[np.float64]
    """Shape ``(MAX_GENES,)``. The weight of feature j is at index j or, if each value has a weight,
    that of its value v at ``VALUES * j + v``."""
    traces: NDArray[np.float64]
    """Eligibility traces of the weights, shape ``(MAX_GENES,)``."""


class LearningTable(NamedTuple):
    """The learning players of a game, and memory for the game."""

    settings: NDArray[np.float64]
    """Learning settings of each player, shape ``(players, SETTINGS_FIELDS)``."""
    weights: NDArray[np.float64]
    """Weights of each player, shape ``(players, MAX_GENES)``; changed in place, with the packed
    ones."""
    states: NDArray[np.int64]
    """Features of the positions of both episodes: the first seat's in the first half, the other's
    in the second."""
    counts: NDArray[np.int64]
    """Number of positions in each episode so far, shape ``(2,)``."""
    traces: NDArray[np.float64]
    """Eligibility traces of each seat, shape ``(2, MAX_GENES)``."""
    values: NDArray[np.float64]


@inlined
def _take_lesson(table: LearningTable, who: int, slot: int) -> Lesson:
    """Return the settings and weights in row *who* of the table, with the traces of a *slot*."""
    return Lesson(table.settings[who], table.weights[who], table.traces[slot])


@compiled
def play_and_learn(
    draws: int,
    learn: bool,
    first: int,
    second: int,
    packed: PackedPlayers,
    workspace: BoardWorkspace,
    table: LearningTable,
    figures: Array,
) -> Number:
    """Play one game, from which the players learn.

    Args:
        draws: The rule for draws, one of the values of :data:`DRAW_RULES`.
        learn: True if players learn at all.
        first: The first player, a row of the packed players and of the *table*.
        second: The other; the same if a player plays itself.
        packed: The players, with the weights that they play by.
        workspace: The players' workspace, with the stream of random numbers.
        table: The players' settings and weights, and memory that is reused in each game.
        figures: Counters of `evolve_arena.evolve.learning.tuple_learning`, shape ``(FIGURES,)``,
            which are increased.

    Returns:
        1 if the first player has won, 0 for a draw, -1 if the other has.
    """
    given = packed, workspace, table
    for slot in range(2):
        who = second if slot else first
        take_slot(packed, who, slot, workspace)
        table.counts[slot] = 0
        clear_traces(_take_lesson(table, who, slot))
    states = workspace.states
    state, ply, before, error = begin(states), 0, -1, 0.0
    outcome = adjudicate(states, state)
    while outcome == GOES_ON and ply < LONGEST:
        slot = find_mover(states, state)
        who = second if slot else first
        learns = learn and table.settings[who, RATE] > 0.0
        # In a chain of jumps a player sees the positions before the first and after the last one.
        if learns and table.settings[who, STATES] == BEFORE and slot != before:
            error += _see(who, slot, state, False, 0.0, *given)
        workspace.plies[0] = ply
        move = _choose_move(packed, who, slot, state, workspace)
        ply += 1
        state = advance(states, state, move, ply)
        outcome = adjudicate_at(states, state, ply)
        goes_on = outcome == GOES_ON and ply < LONGEST and find_mover(states, state) != slot
        if learns and table.settings[who, STATES] == AFTER and goes_on:
            error += _see(who, slot, state, False, 0.0, *given)
        before = slot
    if outcome == GOES_ON:
        outcome = 0
    # Draws may be decided by the number of pieces.
    if outcome == 0 and draws == PIECES:
        lead = count_bits(state[0]) - count_bits(state[1])
        outcome = int(lead > 0) - int(lead < 0)
    # Both players learn from the last position, with the result as reward.
    for slot in range(2):
        who = second if slot else first
        if learn and table.settings[who, RATE] > 0.0:
            error += _see(who, slot, state, True, float(outcome * (1 - 2 * slot)), *given)
    figures[PLIES] += ply
    figures[FIRST_WINS] += outcome > 0
    figures[DRAWS] += outcome == 0
    figures[ERROR] += error
    return outcome


@inlined
def _choose_move(
    packed: PackedPlayers, who: int, slot: int, state: Position, workspace: BoardWorkspace
) -> Number:
    """Return a move that the player in a *slot* values highest, or sometimes any move."""
    moves, rng, noise = workspace.moves, workspace.streams, packed.seats[who, NOISE]
    strays = noise > 0 and np.int64(next_word(rng) >> np.uint64(32)) < noise
    count = list_moves(workspace.states, state, moves, 0)
    if count > 1 and not strays and packed.seats[who, KIND] != RANDOM:
        best = value_moves(packed, slot, state, count, False, workspace)
        # Keep the moves of the highest value only.
        equals = np.int64(0)
        for place in range(count):
            if peek(workspace.ratings, place) == best:
                poke(moves, equals, peek(moves, place))
                equals += 1
        count = equals
    return peek(moves, below(rng, count) if count > 1 else np.int64(0))


@compiled
def _see(
    who: int,
    slot: int,
    state: Position,
    is_last: bool,
    reward: float,
    packed: PackedPlayers,
    workspace: BoardWorkspace,
    table: LearningTable,
) -> Number:
    """Add a position to the episode of player *who* in a *slot*, and learn if an update is due.

    If the game has ended in that *state*, the position is the last one and brings a *reward*. All
    else is as in :func:`play_and_learn`. Return the sum of the absolute errors of values.
    """
    lesson = _take_lesson(table, who, slot)
    features = int(lesson.settings[FEATURE_COUNT])
    start = slot * (table.states.shape[0] // 2)
    here = start + table.counts[slot] * features
    given = workspace.states, state, slot, workspace.values, features
    count_features(*given, workspace.notes, np.int64(0))
    counted = features_at(workspace.values)
    # The features of the position follow the earlier ones of the episode.
    for place in range(features):
        table.states[here + place] = min(int(workspace.values[counted + place]), LAST_VALUE)
    table.counts[slot] += 1
    count = table.counts[slot]
    if lesson.settings[UPDATE] == EVERY_MOVE:
        if count == 1:
            return 0.0
        error = learn_from_move(lesson, table.states, here - features, here, is_last, reward)
    elif is_last:
        error = learn_from_game(lesson, table.states, start, count, reward, table.values)
    else:
        return 0.0
    write_weights(lesson, packed.weights, packed.seats[who, WEIGHTS_AT])
    for place in range(TABLE_AT, workspace.memory.shape[0]):  # stored values are void
        workspace.memory[place] = 0
    return error


@compiled
def value_state(lesson: Lesson, states: Array, at: int) -> Number:
    """Return the value of a position by the linear function.

    Args:
        lesson: The player's weights and settings.
        states: Features of positions, one after another (``int64``, 0 to 31).
        at: Index in *states* of the position's first feature.
    """
    total = 0.0
    binary = lesson.settings[BINARY] != 0.0
    for feature in range(int(lesson.settings[FEATURE_COUNT])):
        value = states[at + feature]
        if binary:
            total += lesson.weights[VALUES * feature + value]
        else:
            total += lesson.weights[feature] * value
    return total


@compiled
def learn_from_game(
    lesson: Lesson, states: Array, at: int, count: int, reward: float, values: Array
) -> Number:
    """Change the weights after a game, by a whole episode.

    Args:
        lesson: The settings, and the weights to change.
        states: The features of the episode's positions.
        at: Index in *states* of the first position's first feature.
        count: The number of positions, the last of the game included.
        reward: The player's reward at the end.
        values: Scratch memory for *count* numbers (``float64``).

    Returns:
        The sum of the absolute differences between values and targets.
    """
    clear_traces(lesson)
    if lesson.settings[RULE] == BURGE:
        return _sweep_as_burge(lesson, states, at, count, reward)
    if lesson.settings[FAITHFUL] != 0.0:
        return _sweep(lesson, states, at, count, reward)
    return _add_up(lesson, states, at, count, reward, values)


@compiled
def learn_from_move(
    lesson: Lesson, states: Array, before: int, reached: int, is_last: bool, reward: float
) -> Number:
    """Change the weights after a move, by two consecutive positions of an episode.

    Args:
        lesson: The settings, and the weights to change.
        states: The features of the episode's positions.
        before: Index in *states* of the earlier position's first feature.
        reached: Index in *states* of the later position's first feature.
        is_last: True if the game has ended in the later position.
        reward: The player's reward there; 0 unless the game has ended.

    Returns:
        The absolute difference between the earlier position's value and its target.
    """
    faithful = lesson.settings[FAITHFUL] != 0.0
    value = value_state(lesson, states, before)
    following = 0.0
    if faithful or not is_last:
        following = value_state(lesson, states, reached)
    difference = reward + lesson.settings[DISCOUNT] * following - value
    _mark(lesson, states, reached if faithful else before)
    _follow_traces(lesson, difference)
    return abs(difference)


@compiled
def clear_traces(lesson: Lesson) -> None:
    """Reset the traces at the beginning of a game."""
    for gene in range(_count_genes(lesson)):
        lesson.traces[gene] = 0.0


@compiled
def write_weights(lesson: Lesson, numbers: Floats, at: int) -> None:
    """Write a player's weights to its network; those that are not finite become 0.

    Args:
        lesson: The player's weights and settings.
        numbers: The packed weights (``float32``); see `evolve_arena.genomes.dense`.
        at: Index in *numbers* at which the player's weights begin.
    """
    for gene in range(_count_genes(lesson)):
        weight = np.float32(lesson.weights[gene])
        numbers[at + LANES * (1 + gene)] = weight if np.isfinite(weight) else np.float32(0.0)


@compiled
def spoil_if_lost(lesson: Lesson) -> None:
    """Replace diverged weights by nan, which any later check for finite numbers detects."""
    for gene in range(_count_genes(lesson)):
        if not abs(lesson.weights[gene]) <= LOST:
            lesson.weights[gene] = np.nan


@inlined
def _add_up(
    lesson: Lesson, states: Array, at: int, count: int, reward: float, values: Array
) -> Number:
    """Learn by TD(λ) off-line: Sutton and Barto, "Reinforcement Learning" (1998), section 7.3."""
    features = int(lesson.settings[FEATURE_COUNT])
    for place in range(count - 1):
        values[place] = value_state(lesson, states, at + place * features)
    values[count - 1] = 0.0
    error = 0.0
    for place in range(count - 1):
        difference = lesson.settings[DISCOUNT] * values[place + 1] - values[place]
        if place == count - 2:
            difference += reward
        _mark(lesson, states, at + place * features)
        _follow_traces(lesson, difference)
        error += abs(difference)
    return error


@inlined
def _sweep(lesson: Lesson, states: Array, at: int, count: int, reward: float) -> Number:
    """Learn in one backward sweep, by the loops of sections 5.2 and 5.5 (equal without traces)."""
    features = int(lesson.settings[FEATURE_COUNT])
    error = 0.0
    for place in range(count - 2, -1, -1):
        here = at + place * features
        _mark(lesson, states, here)
        following = value_state(lesson, states, here + features)
        value = value_state(lesson, states, here)
        difference = reward + lesson.settings[DISCOUNT] * following - value
        reward = 0.0
        _follow_traces(lesson, difference)
        error += abs(difference)
    return error


@inlined
def _sweep_as_burge(lesson: Lesson, states: Array, at: int, count: int, reward: float) -> Number:
    """Learn by Burge's rule (section 5.6), whose printed loop has no discount: γ is 1 there."""
    features = int(lesson.settings[FEATURE_COUNT])
    target = reward
    error = 0.0
    for place in range(count - 1, -1, -1):
        here = at + place * features
        difference = target - value_state(lesson, states, here)
        _add_state(lesson, states, here, lesson.settings[RATE] * difference)
        target = lesson.settings[DISCOUNT] * value_state(lesson, states, here)
        error += abs(difference)
    return error


@inlined
def _add_state(lesson: Lesson, states: Array, at: int, factor: float) -> None:
    """Add the gradient of a position's value, times *factor*, to the weights."""
    binary = lesson.settings[BINARY] != 0.0
    for feature in range(int(lesson.settings[FEATURE_COUNT])):
        value = states[at + feature]
        if binary:
            lesson.weights[VALUES * feature + value] += factor
        else:
            lesson.weights[feature] += factor * value


@inlined
def _mark(lesson: Lesson, states: Array, at: int) -> None:
    """Decay the traces, then raise or replace those of the features of a position."""
    settings, traces = lesson.settings, lesson.traces
    kind = settings[TRACE]
    kept = settings[DISCOUNT] * settings[DECAY] if kind != NONE else 0.0
    for gene in range(_count_genes(lesson)):
        traces[gene] *= kept
    binary = settings[BINARY] != 0.0
    for feature in range(int(settings[FEATURE_COUNT])):
        value = states[at + feature]
        place = VALUES * feature + value if binary else feature
        amount = 1.0 if binary else float(value)
        if kind != REPLACING:
            traces[place] += amount
        elif amount != 0.0:
            traces[place] = amount


@inlined
def _follow_traces(lesson: Lesson, difference: float) -> None:
    change = lesson.settings[RATE] * difference
    for gene in range(_count_genes(lesson)):
        lesson.weights[gene] += change * lesson.traces[gene]


@inlined
def _count_genes(lesson: Lesson) -> int:
    features = int(lesson.settings[FEATURE_COUNT])
    return features * VALUES if lesson.settings[BINARY] != 0.0 else features
