"""What a board game tells the framework in compiled code; the rules that stand here are an example.

The game: some tokens lie on the table, who is to move takes one or two, who takes the last one
wins. It only makes this file, and those that import it, modules that tools can check. For each game
they are copied, and the copies import the game's own file in place of this one.

A state is a tuple of numbers of the types :data:`STATE`. Moves are numbered from 0 on. An option of
the game, such as ``tokens``, stands here as a constant, ``TOKENS``: each value of it has a copy of
its own, to which it is known beforehand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined

TOKENS = 7
STATE = (np.int64, np.int64)
"""The types of a state's numbers."""
MOVES = 2
"""Moves are numbered below this."""
PLANES = 1
"""How many words of 64 bits :func:`see` fills."""
CELLS = TOKENS + 1
"""How many bits of each word are used, from the lowest on. Where a bit is a cell of the board, it
is set in one word at most, and each word is one kind of what may lie there."""
WIDTH = CELLS
"""How many cells stand in a row of the board; rows follow one another."""
LONGEST = 64
"""No game has more plies."""
GOES_ON = 2
"""What :func:`result` gives before the end."""


@inlined
def start() -> Any:
    """The state before the first move."""
    return np.int64(TOKENS), np.int64(0)


@inlined
def to_move(state: Any) -> Any:
    """The seat whose turn it is: 0 or 1."""
    return state[1]


@inlined
def legal(state: Any, moves: Any, at: int) -> Any:
    """Writes the legal moves into *moves*, ascending, from place *at* on; gives how many.

    The game is not over; there is at least one. Where nothing can be done, to pass is a move.
    """
    moves[at] = 0
    moves[at + 1] = 1
    return min(np.int64(2), state[0])


@inlined
def play(state: Any, move: Any) -> Any:
    """The state after a legal *move*."""
    return np.int64(state[0] - move - 1), np.int64(1 - state[1])


@inlined
def result(state: Any) -> Any:
    """1 if seat 0 has won, -1 if seat 1 has, 0 for a draw, else :data:`GOES_ON`."""
    if state[0] > 0:
        return np.int64(GOES_ON)
    return np.int64(2 * state[1] - 1)


@inlined
def see(state: Any, seat: int, planes: Any, at: int) -> None:
    """Fills the words of *planes* from place *at* on with what networks see at *seat*, as bits."""
    planes[at] = np.uint64(1) << np.uint64(state[0])


@inlined
def evaluate(state: Any, seat: int) -> Any:
    """What a search thinks of a state that is not over, for *seat*: a whole number below 2**30."""
    return np.int64(0)
