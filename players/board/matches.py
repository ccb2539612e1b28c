"""The compiled arena of a board game: whole matches between packed players."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below
from evolve_arena.players.board.choose import choose_move, take_slot
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    MOVES,
    legal,
    play,
    result,
    start,
    to_move,
)

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)


@compiled
def play_matches(
    rules: Any,
    players: Any,
    seatings: Any,
    seeds: Any,
    openings: Any,
    workspace: Any,
    places: Any,
    plies: Any,
    offenders: Any,
    games: Any,
) -> None:
    """Plays every match and fills in the rest, of shape ``(n,)``, but for *places*.

    Args:
        rules: The options of the game, which these files know already.
        players: Packed players.
        seatings: Rows of the players, who moves first first, shape ``(n, 2)``.
        seeds: The seed of each match's stream, shape ``(n,)``.
        openings: Moves that are played before the players decide, shape ``(n, plies)``; -1 ends an
            opening early.
        workspace: See `evolve_arena.players.board.workspace`.
        places: 1 and 2, or 1 and 1 after a draw, shape ``(n, 2)`` (``int8``).
        plies: The length of each match, the opening included (``int16``).
        offenders: -1 (``int8``): nobody can make a forbidden move.
        games: A hash of the moves (``uint64``): equal games have equal hashes.
    """
    for match in range(seatings.shape[0]):
        for slot in range(2):
            take_slot(players, seatings[match, slot], slot, workspace)
        workspace.streams[0] = seeds[match]
        state, game, ply = start(), FNV_START, 0
        outcome = result(state)
        while outcome == GOES_ON and ply < LONGEST:
            move = np.int64(-1)
            if ply < openings.shape[1]:
                move = np.int64(openings[match, ply])
            if move < 0:
                move = choose_move(players, to_move(state), state, workspace)
            game = (game ^ np.uint64(move + 1)) * FNV_PRIME
            state = play(state, move)
            outcome = result(state)
            ply += 1
        places[match, 0] = 1 + (outcome == -1)
        places[match, 1] = 1 + (outcome == 1)
        offenders[match] = -1
        plies[match] = ply
        games[match] = game


@compiled
def draw_openings(seeds: Any, openings: Any, moves: Any) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up. *moves* is room for those of
    one state.
    """
    for row in range(openings.shape[0]):
        while not _draw_opening(seeds[row : row + 1], openings, row, moves):
            pass


@inlined
def _draw_opening(stream: Any, openings: Any, row: int, moves: Any) -> Any:
    state = start()
    for ply in range(openings.shape[1]):
        count = legal(state, moves, 0)
        openings[row, ply] = moves[below(stream, count)]
        state = play(state, openings[row, ply])
        if result(state) != GOES_ON:
            return False
    return True


@compiled
def count_sequences(state: Any, depth: int, moves: Any, at: int) -> Any:
    """How many sequences of *depth* plies there are; *moves* is room from place *at* on."""
    if result(state) != GOES_ON:
        return np.int64(depth == 0)
    count = legal(state, moves, at)
    if depth <= 1:
        return np.int64(count if depth else 1)
    total = np.int64(0)
    for place in range(at, at + count):
        total += count_sequences(play(state, moves[place]), depth - 1, moves, at + MOVES)
    return total
