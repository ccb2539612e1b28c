"""How long the parts of a game's rules take, compiled: random games in which a part is repeated."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import below
from evolve_arena.genomes.simd import peek
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    advance,
    begin,
    find_changes,
    find_mover,
    follow,
    judge,
    list_moves,
    settle,
)

NOTHING, LEGAL, PLAY, RESULT, SEE = range(5)
"""What is repeated: nothing, legal; for each move play; play and result; play and see."""


@compiled
def repeat_part(part: Any, times: int, seed: Any, workspace: Any) -> Any:
    """Plays a random game; gives its plies and how many moves there were to choose from in all.

    Args:
        part: What is repeated, at each ply.
        times: How often.
        seed: Seeds the game.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    states, moves = workspace.states, workspace.moves
    workspace.streams[0] = workspace.chance[0] = seed
    state = settle(states, begin(states), workspace.chance)
    plies, choices, kept = 0, 0, np.int64(0)
    while judge(states, state) == GOES_ON and plies < LONGEST:
        count = list_moves(states, state, moves, 0)
        seat = find_mover(states, state)
        for _ in range(times):
            if part == LEGAL:
                kept += list_moves(states, state, moves, 0)
            elif part > LEGAL:
                for place in range(count):
                    trial = follow(states, 1, state, peek(moves, place))
                    if part == RESULT:
                        kept += judge(states, trial)
                    elif part == SEE:
                        kept += find_changes(
                            states, trial, workspace.planes, workspace.changes, seat, False
                        )
        find_changes(states, state, workspace.planes, workspace.changes, seat, True)
        move = peek(moves, below(workspace.streams, count))
        state = settle(states, advance(states, state, move), workspace.chance)
        plies += 1
        choices += count
    workspace.changes[0] = kept  # so that nothing is left out as useless
    return plies, choices
