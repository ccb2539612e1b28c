"""Alpha-beta search in Connect Four, compiled; the evaluation counts lines through discs.

Each disc is worth as many points as winning lines run through its cell; a position is worth the
points of the player to move minus the opponent's. Source: Löfroth and Dalenius (2011), section
3.4.2, who took it from Stenmark. A win counts more than any points, a full board nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    board_cells,
    bottom_cells,
    cell_of,
    free_cells,
    is_tight,
    winning_cells,
)
from evolve_arena.genomes.simd import peek
from evolve_arena.players.search import (
    INFINITE,
    TABLE_AT,
    UNKNOWN,
    count_node,
    find_pair,
    find_slot,
    losing,
    probe,
    probe_pair,
    read_move,
    remembered_move,
    store,
    store_pair,
    winning,
)

ONE = np.uint64(1)
TABLE_DEPTH = 3
"""The fewest plies left for which a look into the table is cheaper than a search."""


@compiled
def find_moves(
    rules: Rules, lines: Any, lines_at: int, memory: Any, own: Any, other: Any, depth: int
) -> Any:
    """The cells of all moves that a search *depth* plies deep values highest, and that value.

    Args:
        rules: The board.
        lines: From *lines_at* on, how many lines run through each cell (``int32``).
        lines_at: See there.
        memory: What a search needs; see :mod:`evolve_arena.players.search`.
        own: The discs of the player to move. The game is not over.
        other: Those of the opponent.
        depth: How many plies, from 1 on.

    Returns:
        The cells as bits, and the value (an integer) for the player to move.
    """
    return find_best(rules, lines, lines_at, memory, own, other, depth)


@inlined
def find_best(
    rules: Rules, lines: Any, lines_at: int, memory: Any, own: Any, other: Any, depth: int
) -> Any:
    """What :func:`find_moves` gives, for compiled code."""
    discs = own | other
    bottom = bottom_cells(rules)
    free = free_cells(rules, bottom, discs)
    wins = _threats(rules, own) & free
    if wins:
        return wins, winning(depth)
    moves = _safe_moves(rules, bottom, other, free) if depth > 1 else free
    if not moves:
        return free, losing(depth)
    score = _points(rules, lines, lines_at, own) - _points(rules, lines, lines_at, other)
    best = -INFINITE
    found = np.uint64(0)
    while moves:
        bit = _heaviest(moves, lines, lines_at)
        moves ^= bit
        gained = score + peek(lines, lines_at + cell_of(bit))
        if not free_cells(rules, bottom, discs | bit):
            value = 0
        elif depth == 1:
            value = gained
        elif is_tight(rules) and rules.steal and not discs:
            value = _value_first_disc(rules, lines, lines_at, memory, bottom, bit, depth)
        else:  # a window that begins below the best so far tells equals from worse
            value = -_value_position(
                *(rules, lines, lines_at, memory, bottom, other, own | bit, -gained),
                *(depth - 1, -INFINITE, 1 - best),
            )
        if value > best:
            best = value
            found = bit
        elif value == best:
            found |= bit
    return found, best


@inlined
def value_steal(rules: Rules, lines: Any, lines_at: int, memory: Any, disc: Any, depth: int) -> Any:
    """What it is worth to STEAL the only *disc*, with *depth* plies left."""
    gained = peek(lines, lines_at + cell_of(disc))
    if depth == 1:
        return gained
    return -_value_position(
        *(rules, lines, lines_at, memory, bottom_cells(rules), np.uint64(0), disc, -gained),
        *(depth - 1, -INFINITE, INFINITE),
    )


@inlined
def _value_first_disc(
    rules: Rules, lines: Any, lines_at: int, memory: Any, bottom: Any, bit: Any, depth: int
) -> Any:
    """What the first disc, on *bit*, is worth if the other may STEAL it; *depth* is 2 or more."""
    gained = peek(lines, lines_at + cell_of(bit))
    kept = -_value_position(
        *(rules, lines, lines_at, memory, bottom, np.uint64(0), bit, -gained),
        *(depth - 1, -INFINITE, INFINITE),
    )
    return min(kept, -value_steal(rules, lines, lines_at, memory, bit, depth - 1))


@compiled
def _value_position(
    rules: Rules,
    lines: Any,
    lines_at: int,
    memory: Any,
    bottom: Any,
    own: Any,
    other: Any,
    score: int,
    depth: int,
    low: int,
    high: int,
) -> Any:
    """What the position is worth to the player to move; a bound if not between *low* and *high*.

    That player can't win at once, the game is not over, and *depth* is at least 1. *score* is
    the evaluation.
    """
    count_node(memory)
    discs = own | other
    free = free_cells(rules, bottom, discs)
    if depth == 1:
        return _value_last_ply(rules, lines, lines_at, bottom, discs, free, score)
    moves = _safe_moves(rules, bottom, other, free)
    if not moves:
        return losing(depth)
    key, slot, known, hint_cell = _recall(rules, memory, bottom, own, discs, depth, low, high)
    if known != UNKNOWN:
        return known
    hint = _bit_of(hint_cell) & moves
    best = -INFINITE
    best_cell = 0
    floor = low
    while moves:
        bit = hint or _heaviest(moves, lines, lines_at)
        hint = np.uint64(0)
        moves ^= bit
        cell = cell_of(bit)
        value = 0
        if free_cells(rules, bottom, discs | bit):
            gained = score + peek(lines, lines_at + cell)
            value = -_value_position(
                *(rules, lines, lines_at, memory, bottom, other, own | bit, -gained),
                *(depth - 1, -high, -floor),
            )
        if value > best:
            best = value
            best_cell = cell
            floor = max(floor, best)
            if best >= high:
                break
    if is_tight(rules):
        if slot >= 0:
            store_pair(memory, slot, discs, own, depth, low, high, best, best_cell)
    else:
        store(memory, slot, key, depth, low, high, best, best_cell)
    return best


@inlined
def _recall(
    rules: Rules, memory: Any, bottom: Any, own: Any, discs: Any, depth: int, low: int, high: int
) -> Any:
    """What the table knows of a position: its key, its place, its value, the best move's cell.

    Tight boards have no bit left that tells whose the discs are: there a pair of words is the key.
    """
    if is_tight(rules):
        if depth < TABLE_DEPTH or memory.shape[0] == TABLE_AT:
            return discs, -1, UNKNOWN, -1
        slot = find_pair(memory, TABLE_AT, discs, own)
        known, word = probe_pair(memory, slot, discs, own, depth, low, high)
        return discs, slot, known, read_move(word) if word >= 0 else -1
    key = (discs + bottom) | own
    slot = find_slot(memory, key) if depth >= TABLE_DEPTH else -1
    known = probe(memory, slot, key, depth, low, high)
    return key, slot, known, remembered_move(memory, slot, key)


@inlined
def _value_last_ply(
    rules: Rules, lines: Any, lines_at: int, bottom: Any, discs: Any, free: Any, score: int
) -> Any:
    """The value with one ply left, in which nobody wins: the cell with most lines is taken."""
    bit = _heaviest(free, lines, lines_at)
    if not free_cells(rules, bottom, discs | bit):
        return 0
    return score + peek(lines, lines_at + cell_of(bit))


@inlined
def _safe_moves(rules: Rules, bottom: Any, other: Any, free: Any) -> Any:
    """The cells, of those *free* to drop into, after which the opponent can't win at once."""
    threats = _threats(rules, other) & board_cells(rules, bottom)
    forced = free & threats
    if forced & (forced - ONE):
        return np.uint64(0)
    if is_tight(rules):
        threats &= ~bottom  # below them lie the highest cells of other columns
    return (forced or free) & ~(threats >> ONE)


@compiled
def _threats(rules: Rules, discs: Any) -> Any:
    """The cells, free or not, on or off the board, where one more disc completes a line.

    Not put in place of its calls: three copies would take a second more to compile.
    """
    return winning_cells(discs, rules)


@inlined
def _heaviest(cells: Any, lines: Any, lines_at: int) -> Any:
    """The one of *cells*, of which there is at least one, with most lines through it.

    That orders moves as well: tables of which moves cut off searches before made them larger.
    """
    most = -1
    best = np.uint64(0)
    while cells:
        rest = cells & (cells - ONE)
        weight = peek(lines, lines_at + cell_of(cells))
        if weight > most:
            most = weight
            best = cells ^ rest
        cells = rest
    return best


@inlined
def _points(rules: Rules, lines: Any, lines_at: int, discs: Any) -> Any:
    """The lines through all *discs* together."""
    points = 0
    while discs:
        points += peek(lines, lines_at + cell_of(discs))
        discs &= discs - ONE
    return points


@inlined
def _bit_of(cell: Any) -> Any:
    """The bit of a *cell*, none if that is -1."""
    return ONE << np.uint64(cell) if cell >= 0 else np.uint64(0)
