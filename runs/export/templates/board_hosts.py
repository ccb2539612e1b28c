"""Exported bots of board games for hosts that number or show moves in ways of their own.

See `board`, whose sections precede these; the first section only makes this file a module that
tools can check. It must need nothing but Python 3.8 and its standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.runs.export.templates.board import (
    ARRAY,
    CELLS,
    RULES,
    choose,
    is_finished,
    list_moves,
    remember,
    thaw,
)

# --- The game at the host -----------------------------------------------------------------
START: list[int] = []
PAIRS = False
WIDTH = 1
# --- Moves of the host --------------------------------------------------------------------

LAST: list[Any] = [[], START, []]


def choose_after(told: Sequence[object]) -> Any:
    """Return the move after all these, in the host's notation, as these are."""
    numbers, past = find_state(list(told))
    return write_move(numbers, choose(numbers, past=past))


def choose_shown(own: Sequence[int], other: Sequence[int]) -> int:
    """Return the move for a board: the cells of the player to move, and those of the other.

    A board alone says nothing of repetition.
    """
    turn = int(sum(own) < sum(other))
    cells = (other, own) if turn else (own, other)
    return choose([int(number) for number in RULES["pettingzoo_state"](*cells, turn)])


def find_state(told: list[object]) -> tuple[Sequence[int], Sequence[Sequence[int]]]:
    """Return the numbers of the state after these moves, and its past.

    Moves that an earlier call gave are not played again.
    """
    begin, numbers, past = LAST
    if told[: len(begin)] != begin:
        begin, numbers, past = [], START, []
    for word in told[len(begin) :]:
        numbers, past = play_move(numbers, past, word)
    LAST[:] = told, numbers, past
    return list(numbers), past


def play_move(
    numbers: Sequence[int], past: Sequence[Sequence[int]], word: object
) -> tuple[list[int], list[Sequence[int]]]:
    """Return the numbers of the state after the move with that notation, and its past."""
    state = thaw(numbers)
    for move in [] if is_finished(state) else list_moves(state):
        if write_move(numbers, move) == word:
            changed = RULES["play"](state, move)
            after = [int(number) for number in (state if ARRAY else changed)]
            return after, remember(past, numbers, move)
    raise ValueError(f"there is no move {word!r} here")


def write_move(numbers: Sequence[int], move: int) -> Any:
    """Write a move in the host's notation: row and column of its cell, -1 to pass; or a number."""
    if PAIRS:
        row, column = divmod(move, WIDTH) if move < CELLS else (-1, -1)
        return {"x": row, "y": column}
    if "openspiel_move" in RULES:
        return int(RULES["openspiel_move"](thaw(numbers), move))
    return move
