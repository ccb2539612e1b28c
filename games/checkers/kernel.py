"""The compiled arena of checkers: whole matches between packed players.

How each kind of compiled player chooses a move of checkers.

The match kernel, learners and the Python classes call the same functions, so a player moves alike
in all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.games.checkers.board import (
    DRAW_PLIES,
    MOST_MOVES,
    CheckersRules,
    count_moves,
    is_draw,
    is_reversible,
    list_moves,
    move_piece,
    note_position,
)
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.values import init_player
from evolve_arena.genomes.simd import peek
from evolve_arena.players.packed import KIND, NOISE, RANDOM

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)

DARK_START, LIGHT_START = np.uint64(0x1EFF), np.uint64(0x7FBC00000)
"""Squares 1 to 12 and 21 to 32."""
NONE = np.uint64(0)
ONE = np.uint64(1)
ZERO: Any = np.int64(0)
"""For counters: what takes a plain 0 would be compiled once more for just that number."""
GOES_ON = 2


@compiled
def play_matches(
    rules: CheckersRules,
    packed: Any,
    pairings: Any,
    seeds: Any,
    openings: Any,
    workspace: Any,
    places: Any,
    plies: Any,
    offenders: Any,
    games: Any,
) -> None:
    """Plays every pairing and fills in the rest, of shape ``(n,)``, but for *places*.

    Args:
        rules: Who begins.
        packed: The players.
        pairings: Rows of the packed players, who begins first, shape ``(n, 2)``.
        seeds: The seed of each match's stream, shape ``(n,)``.
        openings: Words of moves that are played before the players decide (``int64``), shape
            ``(n, plies)``; -1 ends an opening early. A match may be over before its opening is.
        workspace: Room for a match; see :class:`.CheckersWorkspace`.
        places: 1 and 2, or 1 and 1 after a draw, shape ``(n, 2)`` (``int8``).
        plies: The length of each match, the opening included (``int16``).
        offenders: -1 (``int8``): nobody can make a forbidden move.
        games: A hash of the moves (``uint64``): equal games have equal hashes.
    """
    for match in range(pairings.shape[0]):
        init_player(packed, pairings[match, 0], workspace, 0)
        init_player(packed, pairings[match, 1], workspace, 1)
        workspace.streams[0] = seeds[match]
        own, other, kings, side = _set_up(rules, workspace.past)
        game = FNV_START
        quiet = ply = ZERO
        outcome = GOES_ON
        while outcome == GOES_ON:
            move = _next_move(
                *(packed, openings, match, ply, own, other, kings, side, quiet, workspace)
            )
            game = (game ^ (move + ONE)) * FNV_PRIME
            own, other, kings, quiet, outcome = _play_ply(
                own, other, kings, side, quiet, ply, move, workspace.past, workspace.moves
            )
            side = 1 - side
            ply += 1
        places[match, 0] = 1 + (outcome < 0)
        places[match, 1] = 1 + (outcome > 0)
        offenders[match] = -1
        plies[match] = ply
        games[match] = game


@inlined
def _next_move(
    packed: Any,
    openings: Any,
    match: int,
    ply: int,
    own: Any,
    other: Any,
    kings: Any,
    side: int,
    quiet: int,
    workspace: Any,
) -> Any:
    """The opening's move or, after it, the player's."""
    number: Any = -1
    if ply < openings.shape[1]:
        number = openings[match, ply]
    if number >= 0:
        return np.uint64(number)
    return choose_move(packed, ply & 1, own, other, kings, side, quiet, workspace)


@inlined
def _set_up(rules: CheckersRules, past: Any) -> Any:
    """The board for who begins, and that player's colour."""
    own, other, side = DARK_START, LIGHT_START, 0
    if rules.turned:
        own, other, side = LIGHT_START, DARK_START, 1
    note_position(past, 0, own, other, NONE, side)
    return own, other, NONE, side


@inlined
def _play_ply(
    own: Any,
    other: Any,
    kings: Any,
    side: int,
    quiet: int,
    ply: int,
    move: Any,
    past: Any,
    moves: Any,
) -> Any:
    """Plays a *move*: the board for whose turn it is then, and the outcome or GOES_ON."""
    quiet = quiet + 1 if is_reversible(kings, move) else 0
    mine, yours, kings = move_piece(own, other, kings, move)
    note_position(past, quiet, yours, mine, kings, 1 - side)
    outcome: Any = GOES_ON
    if count_moves(yours, mine, kings, 1 - side, moves, 0) == 0:
        outcome = 1 - 2 * (ply & 1)
    elif is_draw(past, quiet):
        outcome = 0
    return yours, mine, kings, quiet, outcome


def draw_openings(
    rules: CheckersRules, seeds: NDArray[np.uint64], openings: NDArray[np.int64]
) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up.
    """
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)
    past = np.zeros(DRAW_PLIES + 1, dtype=np.uint64)
    _draw_openings(rules, seeds, openings, moves, past)


@compiled
def _draw_openings(rules: CheckersRules, seeds: Any, openings: Any, moves: Any, past: Any) -> None:
    for row in range(openings.shape[0]):
        stream = seeds[row : row + 1]
        while not _draw_opening(rules, stream, openings, row, moves, past):
            pass


@inlined
def _draw_opening(
    rules: CheckersRules, stream: Any, openings: Any, row: int, moves: Any, past: Any
) -> Any:
    """Draws one; False if the game ended."""
    own, other, kings, side = _set_up(rules, past)
    quiet = ZERO
    for ply in range(openings.shape[1]):
        move = moves[below(stream, list_moves(moves, 0, own, other, kings, side))]
        own, other, kings, quiet, outcome = _play_ply(
            own, other, kings, side, quiet, ply, move, past, moves
        )
        if outcome != GOES_ON:
            return False
        openings[row, ply] = np.int64(move)
        side = 1 - side
    return True


@inlined
def choose_move(
    packed: Any, slot: int, own: Any, other: Any, kings: Any, side: int, quiet: int, workspace: Any
) -> Any:
    """The word of the move that the player on *slot* makes.

    Args:
        packed: The players.
        slot: Whose turn it is: 0 who began, 1 the other. The player has taken that seat.
        own: The pieces of that player, who can move.
        other: The opponent's.
        kings: Which of all of them are kings.
        side: The player's colour: 0 dark, 1 light.
        quiet: How many plies the last move that can't be taken back is ago; that many past
            positions stand in ``workspace.past``
            (:func:`evolve_arena.games.checkers.board.note_position`), and then this one.
        workspace: Room for a match; its stream is where chance comes from.
    """
    player = peek(workspace.slots, slot)
    stream, moves = workspace.streams, workspace.moves
    noise = packed.seats[player, NOISE]
    strays = noise > 0 and np.int64(next_word(stream) >> np.uint64(32)) < noise
    count = list_moves(moves, 0, own, other, kings, side)
    if count > 1 and not strays and packed.seats[player, KIND] != RANDOM:
        count, _ = find_moves(packed, player, own, other, kings, side, quiet, workspace)
    return peek(moves, below(stream, count) if count > 1 else 0)


@compiled
def decide(
    packed: Any, slot: int, own: Any, other: Any, kings: Any, side: int, quiet: int, workspace: Any
) -> Any:
    """The word of the move that the first player of *packed* chooses.

    The arguments are those of :func:`choose_move`, but nobody has to have taken a seat. Chance
    comes from ``workspace.streams``.
    """
    init_player(packed, 0, workspace, slot)
    return choose_move(packed, slot, own, other, kings, side, quiet, workspace)
