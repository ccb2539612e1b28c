"""The compiled arena of a board game: whole matches between packed players."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import GOLDEN, below, chance, mix
from evolve_arena.players.board.alpha_beta import HAS_SEARCHES
from evolve_arena.players.board.choose import HAS_OWN_VALUES, choose_move
from evolve_arena.players.board.mcts import HAS_MCTS
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_PAST,
    HAS_WINS,
    LONGEST,
    MOVES,
    SEATS,
    advance,
    begin,
    count_points,
    find_mover,
    follow_at,
    judge,
    judge_at,
    judge_move,
    list_deeper_moves,
    list_moves,
    list_wins,
    note_move,
    settle,
)
from evolve_arena.players.board.values import take_slot

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
ASKS_WINS = HAS_WINS and (HAS_OWN_VALUES or HAS_SEARCHES or HAS_MCTS)
"""True if players ask for moves that win at once: if not, the result is found faster."""


@inlined
def split_seed(seed: Any) -> Any:
    """The seed of the players' stream where *seed* is that of the game's own."""
    return mix(seed ^ GOLDEN)


@compiled
def play_matches(
    players: Any,
    seatings: Any,
    seeds: Any,
    openings: Any,
    workspace: Any,
    places: Any,
    plies: Any,
    offenders: Any,
    games: Any,
    points: Any,
) -> None:
    """Plays every match and fills in the rest, of shape ``(n,)`` or ``(n, seats)``.

    Args:
        players: Packed players.
        seatings: Rows of the players, who moves first first, shape ``(n, seats)``.
        seeds: The seed of each match, shape ``(n,)``.
        openings: Moves that are played before the players decide, shape ``(n, plies)``; -1 ends an
            opening early.
        workspace: See `evolve_arena.players.board.workspace`.
        places: 1 is the best, equals share the better place (``int8``).
        plies: The length of each match, the opening included (``int16``).
        offenders: -1 (``int8``): nobody can make a forbidden move.
        games: A hash of the moves (``uint64``): equal games have equal hashes.
        points: What each seat has in the end, in columns; none if nobody asks.
    """
    for match in range(seatings.shape[0]):
        for slot in range(SEATS):
            take_slot(players, seatings[match, slot], slot, workspace)
        workspace.chance[0] = seeds[match]
        workspace.streams[0] = start_stream(seeds[match])
        states, game, ply, largest = workspace.states, FNV_START, 0, np.uint64(0)
        state = settle(states, begin(states), workspace.chance)
        verdict = judge(states, state)
        while verdict == GOES_ON and ply < LONGEST:
            winning = np.int64(0)
            if ASKS_WINS:
                winning = list_wins(states, state, workspace.wins)
            move = np.int64(-1)
            if ply < openings.shape[1]:
                move = np.int64(openings[match, ply])
            if move < 0:
                if HAS_MCTS or HAS_SEARCHES or HAS_PAST:
                    workspace.plies[0] = ply
                mover = find_mover(states, state)
                move = choose_move(players, mover, state, winning, workspace)
            largest = max(largest, np.uint64(move))  # of a negative one, too
            game = (game ^ np.uint64(move + 1)) * FNV_PRIME
            ply += 1
            state = settle(states, advance(states, state, move, ply), workspace.chance)
            if ASKS_WINS:
                verdict = judge_move(states, state, move, ply, verdict, workspace.wins, winning)
            else:
                verdict = judge_at(states, state, ply)
        note_move(states, largest)
        for seat in range(SEATS):
            own, place = count_points(states, state, verdict, seat), 1
            for other in range(SEATS):
                place += count_points(states, state, verdict, other) > own
            places[match, seat] = place
            if seat < points.shape[1]:
                points[match, seat] = own
        offenders[match] = -1
        plies[match] = ply
        games[match] = game


@compiled
def record_matches(
    players: Any,
    rows: Any,
    seeds: Any,
    exploration: Any,
    workspace: Any,
    played: Any,
    chosen: Any,
) -> None:
    """Play matches that one player plays against itself, and note its choices.

    Args:
        players: Packed players.
        rows: The player of each match, shape ``(n,)``.
        seeds: The seed of each match, shape ``(n,)``.
        exploration: The share of plies at which any legal move is played in place of the choice.
        workspace: See `evolve_arena.players.board.workspace`.
        played: The moves, shape ``(n, plies)``. A row of -1 is filled with those of a match; the
            moves of any other row are played, whatever is chosen, as far as they are legal.
        chosen: The choice at each ply, of the same shape; -1 where there was none.
    """
    for match in range(rows.shape[0]):
        for slot in range(SEATS):
            take_slot(players, rows[match], slot, workspace)
        workspace.chance[0] = seeds[match]
        workspace.streams[0] = start_stream(seeds[match])
        states, ply, largest = workspace.states, 0, np.uint64(0)
        state = settle(states, begin(states), workspace.chance)
        verdict, free = judge(states, state), played[match, 0] < 0
        while verdict == GOES_ON and ply < played.shape[1] and (free or played[match, ply] >= 0):
            winning = list_wins(states, state, workspace.wins) if ASKS_WINS else np.int64(0)
            if HAS_MCTS or HAS_SEARCHES or HAS_PAST:
                workspace.plies[0] = ply
            choice = choose_move(players, find_mover(states, state), state, winning, workspace)
            count = list_moves(states, state, workspace.moves, 0)
            chosen[match, ply] = choice if count > 1 else -1
            largest = max(largest, np.uint64(choice))
            if free:
                strays = exploration > 0 and chance(workspace.streams) < exploration
                drawn = below(workspace.streams, count) if strays else np.int64(0)
                played[match, ply] = workspace.moves[drawn] if strays else choice
            elif not is_listed(workspace.moves, count, played[match, ply]):
                break
            state = advance(states, state, np.int64(played[match, ply]), ply + 1)
            state, ply = settle(states, state, workspace.chance), ply + 1
            verdict = judge_at(states, state, ply)
        note_move(states, largest)


@inlined
def is_listed(moves: Any, count: Any, move: Any) -> Any:
    """Test if a *move* is among the first *count* of *moves*."""
    found = False
    for place in range(count):
        found |= moves[place] == move
    return found


@inlined
def start_stream(seed: Any) -> Any:
    """The seed of the players' stream in the match with this *seed*."""
    if HAS_CHANCE:
        return split_seed(seed)
    return seed


@compiled
def draw_openings(seeds: Any, openings: Any, moves: Any, states: Any) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up. *moves* and *states* are room
    for those of one state.
    """
    for row in range(openings.shape[0]):
        while not _draw_opening(seeds[row : row + 1], openings, row, moves, states):
            pass


@inlined
def _draw_opening(stream: Any, openings: Any, row: int, moves: Any, states: Any) -> Any:
    state = begin(states)
    for ply in range(openings.shape[1]):
        count = list_moves(states, state, moves, 0)
        openings[row, ply] = moves[below(stream, count)]
        state = advance(states, state, np.int64(openings[row, ply]), ply + 1)
        if judge_at(states, state, ply + 1) != GOES_ON:
            return False
    return True


@compiled
def count_sequences(state: Any, depth: int, moves: Any, states: Any, level: int, ply: int) -> Any:
    """The number of sequences of *depth* plies from a state after *ply* plies of a game.

    *moves* and *states* are room for them.
    """
    if judge_at(states, state, ply) != GOES_ON:
        return np.int64(depth == 0)
    at = level * MOVES
    count = list_deeper_moves(states, state, moves, at)
    if depth <= 1:
        return np.int64(count if depth else 1)
    total = np.int64(0)
    for place in range(at, at + count):
        after = follow_at(states, level + 1, state, moves[place], ply + 1)
        total += count_sequences(after, depth - 1, moves, states, level + 1, ply + 1)
    return total
