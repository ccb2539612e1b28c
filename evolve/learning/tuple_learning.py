"""Learning of n-tuple networks from games; compiled.

The value of a position, for the first player, is tanh of the sum of all entries, and its negative
where entries are read as the other player sees the board. After a game each position's value is
moved towards its λ-return; see `evolve_arena.evolve.learning.returns`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import TANH, activate
from evolve_arena.genomes.simd import LANES, peek, poke

FIGURES = 4
"""Number of statistics of games: plies, wins of the first player, draws, and the sum of absolute
differences between values and returns."""
PLIES, FIRST_WINS, DRAWS, ERROR = range(FIGURES)


class TDSettings(NamedTuple):
    """Settings of a learner, as compiled code takes them."""

    games: int
    step: float
    """α: the learning rate of each entry, as a share of the difference between return and value."""
    decay: float
    """λ."""
    discount: float
    """γ: the discount factor per move of a sequence; see `returns`."""
    exploration: float
    """ε: the share of moves that are played at random."""
    damped: float
    """1 for the gradient of the squared error, with tanh's slope as a factor, 0 without."""
    explore_wins: bool = True
    """True if random moves may replace a move that wins at once."""
    random_starts: float = 0.0
    """Share of games that begin with random moves."""
    start_plies: int = 0
    """The most random moves that a game begins with."""


class TupleWorkspace(NamedTuple):
    """Work space for one game."""

    entries: NDArray[np.int32]
    """Indices of the entries of each seat's view, then of a move that is tried, flat, with room
    for the number of pieces; see :mod:`evolve_arena.genomes.tuple_entries`."""
    past: NDArray[np.int32]
    """Indices in the tables of the entries after each ply, flat."""
    now: NDArray[np.float32]
    values: NDArray[np.float32]
    """Value of the position after each ply."""
    explored: NDArray[np.uint8]
    """1 for each ply that was played at random."""
    movers: NDArray[np.int64]
    """The seat that played each ply."""
    ends: NDArray[np.float32]
    """Numbers of the sequences of positions; see `returns.FIELDS`."""
    signs: NDArray[np.float32]
    """Signs of the entries noted after each ply: 1, or -1 if the other player's view is read,
    of two."""
    lanes: NDArray[np.float32]
    moves: NDArray[np.int64]
    """Legal moves."""
    wins: NDArray[np.int64]
    """Moves that win at once, if the game's file lists them."""
    planes: NDArray[np.uint64]
    """The planes that each player saw last, and those of the present view."""
    changes: NDArray[np.int64]
    """Changes between views: bits that were set, and complements of bits that were cleared."""
    states: Array
    """The game's state and those that moves lead to, where a state is a row of an array."""


def make_tuple_workspace(
    plies: int,
    readings: int,
    *,
    moves: int,
    planes: int,
    changes: int,
    states: Array,
    seats: int,
) -> TupleWorkspace:
    """Return work space for games of a tuple network.

    Args:
        plies: Plies of the longest game.
        readings: Entries that the network reads of a position.
        moves: Legal moves of a position, at most.
        planes: Words of a player's view of the board.
        changes: Bits of these that may change with a move.
        states: See `TupleWorkspace`.
        seats: Number of players.
    """
    return TupleWorkspace(
        np.zeros((seats + 1) * (readings + 1), dtype=np.int32),
        np.zeros((plies + 1) * readings, dtype=np.int32),
        np.zeros(readings, dtype=np.float32),
        np.zeros(plies + 1, dtype=np.float32),
        np.zeros(plies + 1, dtype=np.uint8),
        np.zeros(plies + 1, dtype=np.int64),
        np.zeros(3 * seats, dtype=np.float32),
        np.ones(plies + 1, dtype=np.float32),
        np.zeros(LANES, dtype=np.float32),
        np.zeros(moves, dtype=np.int64),
        np.zeros(moves, dtype=np.int64),
        np.zeros((seats + 1) * planes + 8, dtype=np.uint64),
        np.zeros(changes, dtype=np.int64),
        states,
    )


@inlined
def note_position(
    workspace: TupleWorkspace,
    ply: int,
    at: int,
    readings: int,
    table: int,
    total: Number,
    explored: Number,
) -> None:
    """Record the position after a *ply*.

    Args:
        workspace: Work space that is written.
        ply: Index of the ply, from 0.
        at: Index in ``workspace.entries`` of the first entry of the position.
        readings: Number of entries that the network reads of a position.
        table: Index of the first table entry for this seat or turn, which is added to each entry.
        total: Sum of the entries, for the first player.
        explored: 1 if the ply was played at random.
    """
    for reading in range(readings):
        poke(
            workspace.past, ply * readings + reading, table + peek(workspace.entries, at + reading)
        )
    simd.store(workspace.lanes, 0, activate(simd.spread(total), TANH))
    poke(workspace.values, ply, peek(workspace.lanes, 0))
    poke(workspace.explored, ply, np.uint8(explored))


@inlined
def step_towards(
    learning: TDSettings,
    readings: int,
    tables: Floats,
    ply: int,
    result: Number,
    workspace: TupleWorkspace,
) -> Number:
    """Move the value of the position after a *ply* towards a *result*; return their difference.

    Args:
        learning: Settings, of which ``step`` and ``damped`` count.
        readings: Number of entries that the network reads of a position.
        tables: All entries, flat (``float32``), changed in place.
        ply: Index of the ply that led to the position, from 0.
        result: The λ-return, from -1 to 1; see `evolve_arena.evolve.learning.returns`.
        workspace: Notes of the game, by :func:`note_position`.

    Returns:
        The absolute difference before the step.
    """
    value = peek(workspace.values, ply)
    difference = np.float64(result) - np.float64(value)
    slope = 1.0 - learning.damped * np.float64(value) * np.float64(value)
    change = np.float32(learning.step * difference * slope) * peek(workspace.signs, ply)
    past = ply * readings
    for reading in range(readings):
        place = peek(workspace.past, past + reading)
        poke(tables, place, peek(tables, place) + change)
    return abs(difference)


@compiled
def merge_shards(tables: Floats, shards: Floats, weights: Floats) -> None:
    """Merge the changes of all *shards* into the *tables* that they began with.

    An entry changes by the weighted mean of the changes of those shards that changed it, so that an
    entry that only one of them changed changes in full.

    Args:
        tables: Shape ``(numbers,)``, changed in place.
        shards: Shape ``(shards, numbers)``.
        weights: Weight of each shard, above 0, shape ``(shards,)`` (``float32``).
    """
    for place in range(tables.shape[0]):
        before = tables[place]
        total = np.float32(0.0)
        changed = np.float32(0.0)
        for shard in range(shards.shape[0]):
            change = shards[shard, place] - before
            total += weights[shard] * change
            changed += weights[shard] * np.float32(change != 0)
        if changed:
            tables[place] = before + total / changed


@inlined
def start_randomly(learning: TDSettings, rng: Stream) -> Number:
    """Return the number of random moves with which a game begins."""
    if learning.random_starts > 0.0 and chance(rng) < learning.random_starts:
        return 1 + below(rng, learning.start_plies)
    return 0


@compiled
def average_tables(average: Floats, tables: Floats, share: float) -> None:
    """Move *average* towards *tables* by a *share* of the difference; both flat.

    Args:
        average: Moving average of the tables, shape ``(numbers,)`` (``float32``), changed in place.
        tables: Tables of a learner, of the same shape.
        share: Weight of the tables in the new average, from 0 to 1.
    """
    weight = np.float32(share)
    for place in range(tables.shape[0]):
        average[place] += (tables[place] - average[place]) * weight


@compiled
def sum_rows(entries: Array, tables: Floats, sums: Floats) -> None:
    """Write the sum of the weights of each row of *entries* to *sums*.

    Args:
        entries: Indices of weights, shape ``(rows, readings)``.
        tables: All weights, flat (``float32``).
        sums: Shape ``(rows,)`` (``float32``).
    """
    for row in range(len(entries)):
        total = np.float32(0.0)
        for entry in entries[row]:
            total += tables[entry]
        sums[row] = total


@compiled
def fit_decisions(
    entries: Array,
    ends: Array,
    starts: Array,
    order: Array,
    targets: Floats,
    urgency: Floats,
    tables: Floats,
    rounded: Floats,
    totals: Floats,
    unit: float,
    step: float,
    push: float,
) -> None:
    """Move the values of afterstates towards *targets*, by the weights that they read.

    Where another move than by the targets is the best, these two move apart besides, as in a
    structured perceptron, and the decision counts twice as much from then on, up to eight times.

    Args:
        entries: Indices of the weights that each afterstate, a row, reads; one row after the other.
        ends: 0, then where each row ends, shape ``(rows + 1,)``.
        starts: First row of each decision, then the number of rows, shape ``(decisions + 1,)``.
        order: Decisions, in the order in which they are taken up.
        targets: The wanted sum of each row's weights, shape ``(rows,)``.
        urgency: How much each decision counts, from 1 to 8, changed in place.
        tables: All weights, flat, changed in place.
        rounded: Their nearest multiples of *unit*, which values are the sums of; changed in place.
        totals: Work space with room for the rows of any decision.
        unit: Number whose multiples weights shall be.
        step: Learning rate of a weight.
        push: By how much more two moves move apart, in units of the squared error's gradient.
    """
    one, small, rate = np.float32(1.0), np.float32(unit), np.float32(step)
    for decision in order:
        first, last = starts[decision], starts[decision + 1]
        best, wanted = first, first
        for row in range(first, last):
            total = np.float32(0.0)
            for place in range(ends[row], ends[row + 1]):
                total += rounded[entries[place]]
            totals[row - first] = total
            best = row if total > totals[best - first] else best
            wanted = row if targets[row] > targets[wanted] else wanted
        for row in range(first, last):
            value, aim = np.tanh(totals[row - first]), np.tanh(targets[row])
            # A tenth is added to tanh's slope, so that decided values can still move.
            change = urgency[decision] * (aim - value) * (np.float32(1.1) - value * value)
            if best != wanted:
                change += np.float32(push) * (np.float32(row == wanted) - np.float32(row == best))
            for place in range(ends[row], ends[row + 1]):
                entry = entries[place]
                tables[entry] += rate * change
                rounded[entry] = np.rint(tables[entry] / small) * small
        if best != wanted:
            urgency[decision] = min(urgency[decision] * 2, np.float32(8.0))
        else:
            urgency[decision] = max(urgency[decision] / 2, one)
