"""Functions of an exported bot of a board game that a page calls; see `board` for the rest.

A position is the numbers of the state, the number of moves made, and the states in its past. The
first section only makes this file a module that tools can check.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import randrange
from typing import TypeAlias

from evolve_arena.players.board_paths import find_path, list_ways, tell_apart
from evolve_arena.runs.export.templates.board import (
    ARRAY,
    CAN_SEARCH,
    DEPTH,
    HAS_POINTS,
    HEAD,
    NOTES,
    PIECES,
    PLANES,
    RULES,
    SEATS,
    choose,
    has_won,
    identify,
    is_exhausted,
    is_finished,
    list_moves,
    list_planes,
    look,
    look_at_move,
    remember,
    thaw,
)
from evolve_arena.runs.export.templates.board_mlp import evaluate_planes

Position: TypeAlias = tuple[Sequence[int], int, Sequence[Sequence[int]]]
# --- The page -----------------------------------------------------------------------------
START: list[int] = []
LONGEST = 0
DRAWS = True
HAS_CHANCE = False
DIVISOR = 1
NAMES: list[str] = []
DRAWN: list[int] = []
CELLS_OF_MOVES: list[list[int]] = []
STACKS = 0
# --- What a page asks ---------------------------------------------------------------------


def begin_page() -> Position:
    """Return the first position."""
    return settle(START, 0, [])


def settle(numbers: Sequence[int], plies: int, past: Sequence[Sequence[int]]) -> Position:
    """Return the position after all that chance decides."""
    while HAS_CHANCE:
        state = thaw(numbers)
        count = int(RULES["chance"](state))
        if count == 0:
            break
        numbers = list_numbers(state, RULES["resolve"](state, randrange(count)))
    return numbers, plies, past


def list_numbers(state: Sequence[int], changed: Sequence[int]) -> list[int]:
    """Return the numbers of a state that was changed, or of the new one."""
    return [int(number) for number in (state if ARRAY else changed)]


def ask_seat(position: Position) -> int:
    """Return the seat of the player to move."""
    return int(RULES["to_move"](thaw(position[0])))


def ask_moves(position: Position) -> list[int]:
    """Return the legal moves; none once the game is over."""
    state, plies = thaw(position[0]), position[1]
    line = [identify(thaw(each)) for each in position[2]]
    if plies >= LONGEST or is_finished(state) or is_exhausted(state, line):
        return []
    return list_moves(state)


def ask_names(position: Position) -> list[str]:
    """Return the names of the legal moves."""
    return [NAMES[move] for move in ask_moves(position)]


def play_on_page(position: Position, move: int) -> Position:
    """Return the position after a move."""
    numbers, plies, past = position
    state, past = thaw(numbers), remember(past, numbers, move)
    return settle(list_numbers(state, RULES["play"](state, move)), plies + 1, past)


def ask_places(position: Position) -> list[int]:
    """Return the place of each seat once the game is over."""
    state = thaw(position[0])
    if HAS_POINTS:
        points = [int(RULES["points"](state, seat)) for seat in range(SEATS)]
    else:
        points = [int(is_finished(state) and has_won(state, seat)) for seat in range(SEATS)]
    return [1 + sum(int(other > own) for other in points) for own in points]


def ask_bot(position: Position) -> int:
    """Return the move that the bot chooses."""
    return choose(position[0], DEPTH, None, position[2])


def ask_depth() -> int:
    """Return the bot's search depth in plies; -1 if it can't search."""
    return DEPTH if CAN_SEARCH else -1


def ask_ahead(position: Position, depth: int) -> int:
    """Return the move that the bot chooses at this depth, in ten seconds at most."""
    return choose(position[0], depth, 10.0 if depth else None, position[2])


def ask_values(position: Position) -> list[float]:
    """Return the network's value of each legal move, for the player to move."""
    numbers = position[0]
    seat, moves = ask_seat(position), ask_moves(position)
    if HEAD == "policy":
        outputs = evaluate_planes(look(thaw(numbers), seat))
        return [outputs[move] for move in moves]
    values = []
    if HEAD == "kinds":  # nothing is thought of single moves
        return [0.0 for _ in moves]
    if HEAD == "action":
        state, NOTES[0] = thaw(numbers), 0
        for move in moves:
            shown = look(state, seat) + look_at_move(state, move, seat)
            values.append(evaluate_planes(shown)[0])
        return values
    for move in moves:
        after = thaw(numbers)
        after = thaw(list_numbers(after, RULES["play"](after, move)))
        values.append(evaluate_planes(look(after, seat))[0] / DIVISOR)
    return values


# --- Cells on a page ----------------------------------------------------------------------


def ask_pieces(position: Position) -> list[list[int]]:
    """Return cell, owner and kind of each piece."""
    return list_pieces(position[0])


def list_pieces(numbers: Sequence[int]) -> list[list[int]]:
    """Return the same for the numbers of a state."""
    found, owned = [], SEATS * PIECES
    for plane, word in enumerate(list_planes(thaw(numbers), 0)[:PLANES]):
        owner, kind = plane // PIECES, plane % PIECES
        if owned > PLANES:
            owner, kind = -1, plane
        elif plane >= owned:
            owner, kind = -1, plane - owned
        for place, cell in enumerate(DRAWN):
            if word >> cell & 1:
                found.append([place, owner, kind])
    return found


def ask_paths(position: Position) -> list[list[list[int]]]:
    """Return the cells to click for each legal move, in all possible ways."""
    numbers = position[0]
    seat, before, paths = ask_seat(position), list_pieces(numbers), []
    for move in ask_moves(position):
        path = CELLS_OF_MOVES[move]
        if not path:
            state = thaw(numbers)
            after = list_pieces(list_numbers(state, RULES["play"](state, move)))
            path = find_path(before, after, seat)
        paths.append(path)
    return list_ways(tell_apart(paths), STACKS, len(DRAWN))


# --- Text on a page -----------------------------------------------------------------------


def ask_text(position: Position) -> str:
    """Return the drawing of the game's file, or the numbers of the state."""
    if DRAWS:
        return str(RULES["show"](thaw(position[0])))
    return " ".join(str(number) for number in position[0])
