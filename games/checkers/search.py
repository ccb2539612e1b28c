"""Alpha-beta search in checkers, compiled.

Where it stops looking, positions are worth what
:func:`evolve_arena.games.checkers.values.value_board` says. Who cannot move has lost, also there.
Draws are only looked for right after the first move: what a position is worth farther on does not
depend on how it was reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.checkers.board import (
    BOARD,
    capturing_pieces,
    is_draw,
    is_reversible,
    list_moves,
    movable_kinds,
    move_piece,
    note_position,
    pack_position,
)
from evolve_arena.games.checkers.values import (
    DEPTH,
    ENDS,
    FOLLOWS,
    HISTORY_AT,
    MEMORY_TABLE_AT,
    NUMBER,
    get_ready,
    move_sums,
    start_position,
    value_board,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.search import (
    INFINITE,
    UNKNOWN,
    count_node,
    find_pair,
    losing,
    probe_pair,
    read_move,
    store_pair,
    winning,
)

ONE, FOUR, FIVE = np.uint64(1), np.uint64(4), np.uint64(5)
TABLE_DEPTH = 2
"""The fewest plies left for which a look into the table is cheaper than a search."""
HINT = np.uint64(1023)
"""The bits of a move that the table keeps: the start and what tells the directions apart."""
NUMBER_PLACE = np.uint64(41)
"""The place of the searcher's number in a key's second word, which is free from there to 62."""


@compiled
def find_moves(
    packed: Any,
    player: int,
    own: Any,
    other: Any,
    kings: Any,
    side: int,
    quiet: int,
    workspace: Any,
) -> Any:
    """All moves that a player's search values highest, and that value.

    Args:
        packed: The players.
        player: The row of one who searches.
        own: The pieces of the player to move, who can move.
        other: Those of the opponent.
        kings: Which of all of them are kings.
        side: 0 if dark is to move, 1 if light.
        quiet: How many plies the last move that can't be taken back is ago; that many past
            positions stand in ``workspace.past``, and then this one.
        workspace: Room; the moves come to stand in front of ``workspace.moves``.

    Returns:
        How many moves, and the value for the player to move.
    """
    memory, moves, columns, sums = workspace.memory, workspace.moves, packed.columns, workspace.sums
    weights, ping, pong = packed.weights, workspace.ping, workspace.pong
    numbers, values = packed.numbers, workspace.values
    get_ready(packed, player, side, memory)
    start_position(memory, columns, sums, own, other, kings, side)
    depth = packed.seats[player, DEPTH]
    count = list_moves(moves, 0, own, other, kings, side)
    best = -INFINITE
    found = 0
    for place in range(count):
        move = moves[place]
        mine, yours, crowned = move_piece(own, other, kings, move)
        if not _can_move(yours, mine, crowned, 1 - side):
            value = winning(depth)
        elif is_reversible(kings, move) and _draws(
            workspace.past, quiet, yours, mine, crowned, side
        ):
            value = 0
        else:  # a window that begins below the best so far tells equals from worse
            sums_at = move_sums(memory, columns, sums, 0, kings, side, move)
            value = -_value_position(
                *(memory, moves, columns, weights, numbers, sums, ping, pong, values),
                *(yours, mine, crowned, 1 - side, depth - 1, -INFINITE, 1 - best),
                *(count, sums_at),
            )
        if value > best:
            best = value
            found = 0
        if value == best:
            moves[found] = move
            found += 1
    return found, best


@inlined
def _draws(past: Any, quiet: int, own: Any, other: Any, kings: Any, side: int) -> Any:
    """Whether a move of *side* that can be taken back has led to a draw."""
    note_position(past, quiet + 1, own, other, kings, 1 - side)
    return is_draw(past, quiet + 1)


@compiled
def _value_position(
    memory: Any,
    moves: Any,
    columns: Any,
    weights: Any,
    numbers: Any,
    sums: Any,
    ping: Any,
    pong: Any,
    values: Any,
    own: Any,
    other: Any,
    kings: Any,
    side: int,
    depth: int,
    low: int,
    high: int,
    at: int,
    sums_at: int,
) -> Any:
    """What the position is worth to the player to move; a bound if not between *low* and *high*.

    *at* and *sums_at* are the first free place in *moves* and the place of this position's sums.
    """
    count_node(memory)
    if depth == 0 and not (peek(memory, FOLLOWS) and capturing_pieces(own, other, kings, side)):
        if not _can_move(own, other, kings, side):
            return losing(2)
        return value_board(
            *(memory, moves, columns, weights, numbers, sums, ping, pong, values),
            *(own, other, kings, side, at, sums_at),
        )
    slot = -1
    hint = -1
    first = second = np.uint64(0)
    if depth >= TABLE_DEPTH and memory.shape[0] > MEMORY_TABLE_AT:
        first, second = pack_position(own, other, kings, side)
        second |= np.uint64(peek(memory, NUMBER)) << NUMBER_PLACE
        slot = find_pair(memory, MEMORY_TABLE_AT, first, second)
        known, word = probe_pair(memory, slot, first, second, depth, low, high)
        if known != UNKNOWN:
            return known
        if word >= 0:
            hint = read_move(word)
    count = list_moves(moves, at, own, other, kings, side)
    if count == 0:
        return losing(depth + 2)
    end = at + count
    left = max(depth - 1, 0)
    best = -INFINITE
    best_hint: Any = 0
    floor = low
    for place in range(at, end):
        move = _bring_forward(memory, moves, place, end, side, hint)
        hint = -1
        mine, yours, crowned = move_piece(own, other, kings, move)
        to = move_sums(memory, columns, sums, sums_at, kings, side, move)
        value = -_value_position(
            *(memory, moves, columns, weights, numbers, sums, ping, pong, values),
            *(yours, mine, crowned, 1 - side, left, -high, -floor, end, to),
        )
        if value > best:
            best = value
            best_hint = np.int64(move & HINT)
            floor = max(floor, best)
            if best >= high:
                _remember_cut(memory, side, move, depth)
                break
    if slot >= 0:
        store_pair(memory, slot, first, second, depth, low, high, best, best_hint)
    return best


@inlined
def _bring_forward(memory: Any, moves: Any, place: int, end: int, side: int, hint: int) -> Any:
    """Swaps a move from *place* to *end* to *place*, and gives it: what to try next.

    It is the one that the table gives a *hint* at, which may fit several, else the one that cut
    off most searches before.
    """
    best = place
    most = np.int64(-1)
    for other in range(place, end):
        move = peek(moves, other)
        if np.int64(move & HINT) == hint:
            best = other
            break
        cuts = peek(memory, HISTORY_AT + ENDS * side + np.int64(move & np.uint64(ENDS - 1)))
        if cuts > most:
            most = cuts
            best = other
    move = peek(moves, best)
    poke(moves, best, peek(moves, place))
    poke(moves, place, move)
    return move


@inlined
def _remember_cut(memory: Any, side: int, move: Any, depth: int) -> None:
    """Notes that a *move* of *side* cut off a search, which is worth more the deeper that was."""
    place = HISTORY_AT + ENDS * side + np.int64(move & np.uint64(ENDS - 1))
    poke(memory, place, peek(memory, place) + depth * depth)


@inlined
def _can_move(own: Any, other: Any, kings: Any, side: int) -> Any:
    """Whether there is any move."""
    ups, downs = movable_kinds(own, kings, side)
    empty = BOARD & ~(own | other)
    steps = (ups & ((empty >> FOUR) | (empty >> FIVE))) | (
        downs & ((empty << FOUR) | (empty << FIVE))
    )
    return steps != np.uint64(0) or capturing_pieces(own, other, kings, side) != np.uint64(0)
