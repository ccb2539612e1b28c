"""Games that a tuple network plays against itself, and what it learns from each; compiled.

The value of a position, for the player who began, is tanh of the sum of all entries. After a
game each position's value is drawn towards its λ-return, the mean of what the positions after
it were thought to be worth, weighted by λ, and of the result. The returns end where a move was
played at random: what follows was not chosen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, internal
from evolve_arena.core.stream import below, chance
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    all_cells,
    cell_of,
    drop,
    landing_cells,
    mark_if_full,
    winning_cells,
)
from evolve_arena.games.connect_four.tuple_entries import (
    ENTRIES,
    READINGS,
    read_disc,
    start_readings,
    sum_entries,
    weigh_disc,
)
from evolve_arena.genomes import simd
from evolve_arena.genomes.network import TANH, activate
from evolve_arena.genomes.simd import LANES, peek, poke

__all__ = ["FIGURES", "Lesson", "TupleRoom", "average_tables", "make_room", "merge_shards", "teach"]

ONE = np.uint64(1)
FIGURES = 4
"""What :func:`teach` counts: plies, games that who began has won, draws, and the sum of the
differences between values and their returns."""
PLIES, FIRST_WINS, DRAWS, ERROR = range(FIGURES)


class Lesson(NamedTuple):
    """How a learner plays and learns."""

    games: int
    step: float
    """How much of the difference between a return and a value each entry takes up."""
    decay: float
    """λ."""
    discount: float
    """γ: what a result is worth a ply earlier."""
    exploration: float
    """How often a move is played at random."""
    damped: float
    """1 for the gradient of the squared error, with tanh's slope as a factor, 0 without."""


class TupleRoom(NamedTuple):
    """Room for one game."""

    entries: NDArray[np.int32]
    """What is read now, as in :mod:`evolve_arena.games.connect_four.tuple_entries`, flat."""
    past: NDArray[np.int32]
    """The entries after each ply, flat."""
    now: NDArray[np.float32]
    values: NDArray[np.float32]
    """After each ply."""
    explored: NDArray[np.uint8]
    """Whether each ply was played at random."""
    lanes: NDArray[np.float32]


def make_room(rules: Rules, readings: int) -> TupleRoom:
    """Room for games on the board of *rules*."""
    plies = rules.columns * rules.rows + 1
    return TupleRoom(
        np.zeros(readings, dtype=np.int32),
        np.zeros(plies * readings, dtype=np.int32),
        np.zeros(readings, dtype=np.float32),
        np.zeros(plies, dtype=np.float32),
        np.zeros(plies, dtype=np.uint8),
        np.zeros(LANES, dtype=np.float32),
    )


@compiled
def teach(
    rules: Rules,
    lesson: Lesson,
    structure: Any,
    tables: Any,
    stream: Any,
    room: TupleRoom,
    figures: Any,
) -> None:
    """Plays games and changes *tables*, flat, after each of them.

    Args:
        rules: The board.
        lesson: How to play and learn.
        structure: See :mod:`evolve_arena.games.connect_four.tuple_table`.
        tables: The numbers after moves of who began, then those after moves of the other.
        stream: Chance.
        room: Scratch.
        figures: Shape ``(FIGURES,)``; what is counted is added.
    """
    for _ in range(lesson.games):
        plies, outcome = _play(rules, lesson, structure, tables, stream, room)
        figures[PLIES] += plies
        figures[FIRST_WINS] += outcome > 0
        figures[DRAWS] += outcome == 0
        figures[ERROR] += _learn(rules, lesson, structure, tables, plies, outcome, room)


@internal
def _play(
    rules: Rules, lesson: Lesson, structure: Any, tables: Any, stream: Any, room: TupleRoom
) -> Any:
    """Plays one game: how many plies, and 1, 0 or -1 for who began.

    A move that wins is taken at once. It counts as a ply of its own: nothing is to be learned
    about the position after it.
    """
    readings = peek(structure, READINGS)
    own = other = full = np.uint64(0)
    start_readings(structure, 0, room.entries, 0)
    ply = 0
    while ply < all_cells(rules):
        side = ply & 1
        if winning_cells(own, rules) & landing_cells(own | other, rules):
            return ply + 1, 1 - 2 * side
        table = side * peek(structure, ENTRIES)
        explores = chance(stream) < lesson.exploration
        zero = np.float32(0.0)
        total = zero
        if explores:
            column = _choose_at_random(rules, full, stream)
        else:
            total = sum_entries(structure, 0, room.entries, 0, tables, table, room.now, zero)
            column, total = _choose(rules, structure, tables, table, side, own | other, total, room)
        bit = drop(own | other, column, rules)
        read_disc(structure, 0, room.entries, 0, side, cell_of(bit))
        if explores:
            total = sum_entries(structure, 0, room.entries, 0, tables, table, room.now, zero)
        for reading in range(readings):
            poke(room.past, ply * readings + reading, peek(room.entries, reading))
        simd.store(room.lanes, 0, activate(simd.spread(total), TANH))
        poke(room.values, ply, peek(room.lanes, 0))
        poke(room.explored, ply, np.uint8(explores))
        own, other = other, own | bit
        full = mark_if_full(full, bit, column, rules)
        ply += 1
    return ply, 0


@internal
def _choose(
    rules: Rules,
    structure: Any,
    tables: Any,
    table: int,
    side: int,
    discs: Any,
    total: Any,
    room: TupleRoom,
) -> Any:
    """The best column for who is to move, the first of equal ones, and the sum after it."""
    best: Any = -1
    best_total = total
    sign = np.float32(1 - 2 * side)
    free = landing_cells(discs, rules)
    while free:
        bit = free & (~free + ONE)
        free ^= bit
        cell = cell_of(bit)
        after = weigh_disc(
            structure, 0, room.entries, 0, side, cell, tables, table, room.now, total
        )
        if best < 0 or sign * after > sign * best_total:
            best = cell // (rules.rows + 1)
            best_total = after
    return best, best_total


@internal
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, rules.columns)
        if not (full >> np.uint64(column)) & ONE:
            return column


@internal
def _learn(
    rules: Rules,
    lesson: Lesson,
    structure: Any,
    tables: Any,
    plies: int,
    outcome: int,
    room: TupleRoom,
) -> Any:
    """Draws the values of a game's positions towards their returns, the last one first.

    The last ply is not learned from: a win is seen without, and on a full board there is
    nothing to value.
    """
    readings = peek(structure, READINGS)
    entries = peek(structure, ENTRIES)
    full = outcome == 0
    following = result = np.float32(outcome)
    chosen = not (full and peek(room.explored, plies - 1))
    error = 0.0
    for ply in range(plies - 2, -1, -1):
        value = peek(room.values, ply)
        if chosen:
            mixed = (1.0 - lesson.decay) * following + lesson.decay * result
            result = np.float32(lesson.discount * mixed)
            difference = np.float64(result) - np.float64(value)
            error += abs(difference)
            slope = 1.0 - lesson.damped * np.float64(value) * np.float64(value)
            change = np.float32(lesson.step * difference * slope)
            table = (ply & 1) * entries
            past = ply * readings
            for reading in range(readings):
                place = table + peek(room.past, past + reading)
                poke(tables, place, peek(tables, place) + change)
        else:
            result = value
        following = value
        chosen = not peek(room.explored, ply)
    return error


@compiled
def merge_shards(tables: Any, shards: Any) -> None:
    """Brings what all *shards* learned into the *tables* that they began with.

    An entry changes by the mean of the changes of those shards that changed it, so that what
    only one of them came across counts in full.

    Args:
        tables: Shape ``(numbers,)``, changed in place.
        shards: Shape ``(shards, numbers)``.
    """
    for place in range(tables.shape[0]):
        before = tables[place]
        total = np.float32(0.0)
        changed = 0
        for shard in range(shards.shape[0]):
            change = shards[shard, place] - before
            total += change
            changed += change != 0
        if changed:
            tables[place] = before + total / np.float32(changed)


@compiled
def average_tables(average: Any, tables: Any, share: float) -> None:
    """Moves *average* towards *tables* by a *share* of the difference; both flat."""
    weight = np.float32(share)
    for place in range(tables.shape[0]):
        average[place] += (tables[place] - average[place]) * weight
