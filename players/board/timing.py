"""Random games for timing the compiled parts of a game's rules."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import peek
from evolve_arena.players.board.rules import (
    FEATURE_COUNT,
    GOES_ON,
    HAS_DESCRIBE_MOVE,
    HAS_FEATURES,
    HAS_GAIN,
    HAS_GUESS,
    HAS_KEY,
    HAS_LEGAL_BITS,
    HAS_ORDER,
    HAS_QUIET,
    HAS_SAFE,
    LONGEST,
    MOVES,
    adjudicate,
    adjudicate_at,
    advance,
    ask_all_scripts,
    begin,
    count_features,
    count_of_move,
    count_outcomes,
    draw_hidden,
    find_allowed,
    find_changes,
    find_gain,
    find_key,
    find_mover,
    find_order,
    follow,
    is_quiet,
    list_changes,
    list_deeper_moves,
    list_moves,
    list_safe,
    list_wins,
    settle,
    turn_page,
    weigh,
)
from evolve_arena.players.board.workspace import BoardWorkspace

NOTHING, PLAY, RESULT, SEE, LEGAL, ALL, WINS, CHANGES = range(8)
"""Additional work for each legal move: nothing; play; play and result; these and see or, where the
game goes on, legal; or all of these, evaluate, accelerators, features and scripted players. A part
called twice in the same position would look too fast, as processors predict its branches then.

Instead, ``wins`` may be called once, or ``changes`` for each move."""


@compiled
def add_part(part: Integer, seed: Number, workspace: BoardWorkspace) -> tuple[Integer, Integer]:
    """Play a random game with additional work; return its plies, and the additional lists of moves.

    Args:
        part: Additional work at each ply, such as :data:`ALL`.
        seed: Seed of the moves and of chance.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    states, moves = workspace.states, workspace.moves
    planes, changes = workspace.planes, workspace.changes
    workspace.streams[0] = workspace.chance[0] = seed
    state = settle(states, begin(states), workspace.chance)
    plies, listed, kept = 0, 0, np.int64(0)
    # Besides the game itself, do the additional work at each ply.
    while adjudicate_at(states, state, plies) == GOES_ON and plies < LONGEST:
        count = list_moves(states, state, moves, 0)
        seat = find_mover(states, state)
        if part == WINS:
            kept += list_wins(states, state, workspace.wins)
        elif part == CHANGES:
            for place in range(count):
                kept += list_changes(states, state, peek(moves, place), seat, changes)
        elif part > NOTHING:
            if part == ALL:
                kept += _ask_accelerators(states, state, seat, count, workspace)
            # Each move is played in turn, and its state examined.
            for place in range(count):
                trial = follow(states, 1, state, peek(moves, place))
                if part > PLAY:
                    verdict = adjudicate(states, trial)
                    kept += verdict
                    if part in (SEE, ALL):
                        kept += find_changes(
                            states, trial, planes, changes, seat, seat, False, False
                        )
                    if HAS_FEATURES and part == ALL:
                        given = states, trial, seat, workspace.values, FEATURE_COUNT
                        count_features(*given, workspace.notes, np.int64(0))
                    if part >= LEGAL and verdict == GOES_ON and not count_outcomes(states, trial):
                        kept += list_deeper_moves(states, trial, moves, MOVES)
                        listed += 1
                        if part == ALL:
                            kept += weigh(states, trial, seat)
        # A random move, after the observation of the state, as in a match
        find_changes(states, state, planes, changes, seat, seat, True, False)
        move = peek(moves, below(workspace.streams, count))
        plies += 1
        state = settle(states, advance(states, state, move, plies), workspace.chance)
    changes[0] = kept  # or the compiler would remove the work as useless
    return plies, listed


@inlined
def _ask_accelerators(
    states: Array, state: Position, seat: Integer, count: Integer, workspace: BoardWorkspace
) -> Integer:
    """Call all accelerators and scripted players of a file; return a number that depends on all."""
    # Once for the state
    kept, moves = np.int64(0), workspace.moves
    kept += list_wins(states, state, workspace.wins)
    if HAS_GUESS:
        drawn = draw_hidden(states, 1, state, seat, workspace.streams)
        kept += find_mover(states, drawn)
    if HAS_SAFE and kept == 0:
        kept += list_safe(states, state, moves, MOVES)
    if HAS_KEY:
        kept += np.int64(find_key(states, state))
    if HAS_LEGAL_BITS:
        kept += np.int64(find_allowed(states, state, moves))
    if HAS_QUIET:
        kept += np.int64(is_quiet(states, state))
    # Once for each move
    for place in range(count):
        move = peek(moves, place)
        kept += list_changes(states, state, move, seat, workspace.changes)
        if HAS_GAIN:
            kept += find_gain(states, state, move)
        if HAS_ORDER:
            kept += find_order(states, state, move)
        if HAS_DESCRIBE_MOVE:
            turn_page(workspace.notes)
            given = states, state, move, seat, workspace.values
            count_of_move(*given, workspace.notes, np.int64(0))
    kept += ask_all_scripts(states, state, seat, moves, count, workspace.streams, workspace.notes)
    return kept
