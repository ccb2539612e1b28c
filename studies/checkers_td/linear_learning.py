"""How the weights of a linear function learn from a player's positions; compiled.

After Piotrowski, "Warcaby i uczenie się ze wzmocnieniem" (Wrocław, 2004), sections 5.2 to 5.6.
An episode is what one player saw in a game: the features of position after position, of which
the last is that in which the game ended. A reward comes there and nowhere else. Where his
printed formulas are not those of TD(λ) a lesson says which of the two is meant:

==============  ================================  =============================================
what            TD(λ)                             as printed
==============  ================================  =============================================
the last        is worth nothing but the reward   is worth the reward and what its features say
position
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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.genomes.simd import LANES

VALUES = 32
"""Values of a feature that are told apart, from 0 on; larger ones count as the last."""
MOST_FEATURES = 20
MOST_GENES = MOST_FEATURES * VALUES

EVERY_MOVE, END_OF_GAME = 0, 1
TD, BURGE = 0, 1
NONE, ACCUMULATING, REPLACING = 0, 1, 2
AFTER, BEFORE = 0, 1

(
    RATE,
    DISCOUNT,
    DECAY,
    TRACE,
    UPDATE,
    RULE,
    FAITHFUL,
    STATES,
    FEATURE_COUNT,
    BINARY,
    EXPLORATION,
) = range(11)
"""Fields of a lesson's row, in the order of :class:`LearningSettings`."""
SETTINGS_FIELDS = 11

LOST = 1e6
"""Weights beyond this have no bounds any more."""


class LearningSettings(NamedTuple):
    """How a player learns; compiled code reads it as a row of numbers, field by field."""

    rate: float
    """α; at 0 nothing is learned."""
    discount: float
    """γ."""
    decay: float
    """λ."""
    trace: int
    """NONE, ACCUMULATING or REPLACING."""
    update: int
    """EVERY_MOVE or END_OF_GAME."""
    rule: int
    """TD, or BURGE: from the last position to the first each is drawn towards the value that
    the next one has by then, and the last towards the reward (section 5.6)."""
    faithful: int
    """1 for the formulas as printed, 0 for TD(λ)."""
    states: int
    """AFTER or BEFORE: whether an episode has the positions after a player's own moves, or
    those before them."""
    features: int
    """How many features a position has."""
    binary: int
    """1 if each value of a feature has a weight of its own, 0 if a feature has one."""
    exploration: float
    """How often a move is played at random, from 0 to 1."""

    def row(self) -> NDArray[np.float64]:
        """The same as an array of shape ``(SETTINGS_FIELDS,)``."""
        return np.array(self, dtype=np.float64)


@compiled
def value_state(learning_rows: Any, weights: Any, who: int, states: Any, at: int) -> Any:
    """What the linear function says of a position.

    Args:
        learning_rows: A row for each player, shape ``(players, SETTINGS_FIELDS)``.
        weights: Likewise, shape ``(players, MOST_GENES)``. A feature's weight stands at its
            number j, or for its value v at ``VALUES * j + v``.
        who: Whose weights.
        states: Features one after the other (``int64``, 0 to 31).
        at: Where those of the position begin.
    """
    total = 0.0
    binary = learning_rows[who, BINARY] != 0.0
    for feature in range(int(learning_rows[who, FEATURE_COUNT])):
        value = states[at + feature]
        if binary:
            total += weights[who, VALUES * feature + value]
        else:
            total += weights[who, feature] * value
    return total


@compiled
def learn_from_game(
    learning_rows: Any,
    weights: Any,
    who: int,
    states: Any,
    at: int,
    count: int,
    reward: float,
    traces: Any,
    slot: int,
    values: Any,
) -> Any:
    """Changes the weights after a game, by a whole episode.

    Args:
        learning_rows: See :func:`value_state`, as for those not named here.
        weights: Changed in place.
        who: See there.
        states: The features of the episode's positions.
        at: Where those of the first position begin.
        count: How many positions there are, the last of the game included.
        reward: What the player got at the end.
        traces: Scratch, shape ``(slots, MOST_GENES)``.
        slot: The row of it to use.
        values: Scratch for *count* numbers.

    Returns:
        By how much values were off their targets: the sum of the absolute differences.
    """
    clear_traces(learning_rows, who, traces, slot)
    if learning_rows[who, RULE] == BURGE:
        return _sweep_as_burge(learning_rows, weights, who, states, at, count, reward)
    if learning_rows[who, FAITHFUL] != 0.0:
        return _sweep(learning_rows, weights, who, states, at, count, reward, traces, slot)
    return _add_up(learning_rows, weights, who, states, at, count, reward, traces, slot, values)


@compiled
def learn_from_move(
    learning_rows: Any,
    weights: Any,
    who: int,
    states: Any,
    before: int,
    reached: int,
    is_last: bool,
    reward: float,
    traces: Any,
    slot: int,
) -> Any:
    """Changes the weights after a move, by two positions that follow one another in an episode.

    Args:
        learning_rows: As in :func:`learn_from_game`, like all that is not named here.
        weights: See there.
        who: See there.
        states: See there.
        before: Where the features of the earlier position begin.
        reached: Where those of the later one begin.
        is_last: Whether the game has ended there.
        reward: 0 as long as it has not.
        traces: What the same player's moves before left there; see :func:`clear_traces`.
        slot: See there.

    Returns:
        The absolute difference between the earlier position's value and its target.
    """
    faithful = learning_rows[who, FAITHFUL] != 0.0
    value = value_state(learning_rows, weights, who, states, before)
    following = 0.0
    if faithful or not is_last:
        following = value_state(learning_rows, weights, who, states, reached)
    difference = reward + learning_rows[who, DISCOUNT] * following - value
    _mark(learning_rows, who, states, reached if faithful else before, traces, slot)
    _follow_traces(learning_rows, weights, who, traces, slot, difference)
    return abs(difference)


@compiled
def clear_traces(learning_rows: Any, who: int, traces: Any, slot: int) -> None:
    """Forgets what happened in the game before."""
    for gene in range(_count_genes(learning_rows, who)):
        traces[slot, gene] = 0.0


@compiled
def write_weights(learning_rows: Any, weights: Any, who: int, numbers: Any, at: int) -> None:
    """Write what a player knows to where the network that plays reads it.

    Args:
        learning_rows: See :func:`value_state`.
        weights: See there.
        who: See there.
        numbers: The packed weights (``float32``); see `evolve_arena.genomes.dense`.
        at: Where those of the player begin.
    """
    for gene in range(_count_genes(learning_rows, who)):
        weight = np.float32(weights[who, gene])
        numbers[at + LANES * (1 + gene)] = weight if np.isfinite(weight) else np.float32(0.0)


@compiled
def spoil_if_lost(learning_rows: Any, weights: Any, who: int) -> None:
    """Makes weights that grew beyond all bounds no numbers, so that everybody sees it."""
    for gene in range(_count_genes(learning_rows, who)):
        if not abs(weights[who, gene]) <= LOST:
            weights[who, gene] = np.nan


@inlined
def _add_up(
    learning_rows: Any,
    weights: Any,
    who: int,
    states: Any,
    at: int,
    count: int,
    reward: float,
    traces: Any,
    slot: int,
    values: Any,
) -> Any:
    """TD(λ) off-line. Source: Sutton and Barto, "Reinforcement Learning" (1998), section 7.3."""
    features = int(learning_rows[who, FEATURE_COUNT])
    for place in range(count - 1):
        values[place] = value_state(learning_rows, weights, who, states, at + place * features)
    values[count - 1] = 0.0
    error = 0.0
    for place in range(count - 1):
        difference = learning_rows[who, DISCOUNT] * values[place + 1] - values[place]
        if place == count - 2:
            difference += reward
        _mark(learning_rows, who, states, at + place * features, traces, slot)
        _follow_traces(learning_rows, weights, who, traces, slot, difference)
        error += abs(difference)
    return error


@inlined
def _sweep(
    learning_rows: Any,
    weights: Any,
    who: int,
    states: Any,
    at: int,
    count: int,
    reward: float,
    traces: Any,
    slot: int,
) -> Any:
    """The loops of sections 5.2 and 5.5, which are one where nothing is traced."""
    features = int(learning_rows[who, FEATURE_COUNT])
    error = 0.0
    for place in range(count - 2, -1, -1):
        here = at + place * features
        _mark(learning_rows, who, states, here, traces, slot)
        following = value_state(learning_rows, weights, who, states, here + features)
        value = value_state(learning_rows, weights, who, states, here)
        difference = reward + learning_rows[who, DISCOUNT] * following - value
        reward = 0.0
        _follow_traces(learning_rows, weights, who, traces, slot, difference)
        error += abs(difference)
    return error


@inlined
def _sweep_as_burge(
    learning_rows: Any, weights: Any, who: int, states: Any, at: int, count: int, reward: float
) -> Any:
    """The loop of section 5.6; the discount, which it lacks, is 1 where he used it."""
    features = int(learning_rows[who, FEATURE_COUNT])
    target = reward
    error = 0.0
    for place in range(count - 1, -1, -1):
        here = at + place * features
        difference = target - value_state(learning_rows, weights, who, states, here)
        _add_state(learning_rows, weights, who, states, here, learning_rows[who, RATE] * difference)
        target = learning_rows[who, DISCOUNT] * value_state(
            learning_rows, weights, who, states, here
        )
        error += abs(difference)
    return error


@inlined
def _add_state(
    learning_rows: Any, weights: Any, who: int, states: Any, at: int, factor: float
) -> None:
    """Adds the gradient of a position's value, times *factor*, to the weights."""
    binary = learning_rows[who, BINARY] != 0.0
    for feature in range(int(learning_rows[who, FEATURE_COUNT])):
        value = states[at + feature]
        if binary:
            weights[who, VALUES * feature + value] += factor
        else:
            weights[who, feature] += factor * value


@inlined
def _mark(learning_rows: Any, who: int, states: Any, at: int, traces: Any, slot: int) -> None:
    """Lets traces decay and marks the features of a position."""
    kind = learning_rows[who, TRACE]
    kept = learning_rows[who, DISCOUNT] * learning_rows[who, DECAY] if kind != NONE else 0.0
    for gene in range(_count_genes(learning_rows, who)):
        traces[slot, gene] *= kept
    binary = learning_rows[who, BINARY] != 0.0
    for feature in range(int(learning_rows[who, FEATURE_COUNT])):
        value = states[at + feature]
        place = VALUES * feature + value if binary else feature
        amount = 1.0 if binary else float(value)
        if kind != REPLACING:
            traces[slot, place] += amount
        elif amount != 0.0:
            traces[slot, place] = amount


@inlined
def _follow_traces(
    learning_rows: Any, weights: Any, who: int, traces: Any, slot: int, difference: float
) -> None:
    change = learning_rows[who, RATE] * difference
    for gene in range(_count_genes(learning_rows, who)):
        weights[who, gene] += change * traces[slot, gene]


@inlined
def _count_genes(learning_rows: Any, who: int) -> Any:
    features = int(learning_rows[who, FEATURE_COUNT])
    return features * VALUES if learning_rows[who, BINARY] != 0.0 else features
