"""Test of the symmetries of the board that a game's file declares (SYMMETRY)."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.players.board.game import GOES_ON, Board, BoardGame, GameFileError, name_column
from evolve_arena.players.board.networks import find_cell_views

SECONDS = 1.0
MAX_OUTCOMES = 64
"""Maximum outcomes of a chance event up to which a game is followed."""
SELDOM = 8
"""In one of so many positions all moves are mapped, elsewhere only the move to be played."""
MAX_WRITTEN = 12
"""Maximum moves of a game that a message lists."""


class SymmetryCheck(NamedTuple):
    """Extent of a test."""

    positions: int
    """Positions in which the moves and their results were mapped."""
    views: int
    """Symmetries, besides the identity, that map the start to itself."""
    declared: int
    """Symmetries that the file declares."""
    exchanging: int
    """Symmetries that put other pieces, such as the opponent's, on the start's cells."""
    fixed: str
    """Cell on which ``see`` shows something at the start that does not turn with the board."""


def check_symmetry(game: BoardGame, games: int, seconds: float = SECONDS) -> SymmetryCheck | None:
    """Play random *games* twice, the second time transformed by each symmetry.

    A move and its image must lead to a board and its image, with the same player to move and the
    same result. Symmetries that do not map the start to itself are not tested.

    Args:
        game: Game.
        games: Number of games for each symmetry.
        seconds: Time of this process after which no further move is made.

    Returns:
        Extent of the test; None if the file declares no symmetry.

    Raises:
        GameFileError: A move leads elsewhere.
    """
    code = game.code
    if game.symmetry in ("", "none") or code.CELLS % code.WIDTH:
        return None
    # Symmetries that map the start to itself; others put other pieces on its cells, or move them.
    views = find_cell_views(game)[1:]
    start = game.initial(1)
    seen = [game.observe(start, seat)[: game.board_planes] for seat in range(game.seats)]
    shown = np.array([each.any(axis=0) for each in seen])
    fitting, exchanging, fixed = list[NDArray[np.int64]](), 0, ""
    for view in views:
        moved = np.flatnonzero((shown & ~shown[:, view]).any(axis=0))
        if _look(game, start, view) == _look(game, start, None):
            fitting.append(view)
        elif not len(moved):
            exchanging += 1
        elif not fixed and "see" in game.plain and _keeps_cells(game, start, view):
            row, column = divmod(int(moved[0]), int(code.WIDTH))
            fixed = f"{name_column(column)}{row + 1}"
    # Random games for each, with an equal share of the time
    positions = 0
    for view in fitting:
        ends = time.process_time() + seconds / len(fitting)
        positions += sum(_follow_twice(game, view, seed, ends) for seed in range(games))
    return SymmetryCheck(positions, len(fitting), len(views), exchanging, fixed)


def _keeps_cells(game: BoardGame, state: Board, view: NDArray[np.int64]) -> bool:
    """Test whether a *view* maps empty cells to empty cells, if the state is an array of cells."""
    cells = np.array(state.state[: game.code.CELLS]) != 0
    return not game.code.IS_ARRAY or len(cells) < len(view) or bool((cells == cells[view]).all())


def _follow_twice(game: BoardGame, view: NDArray[np.int64], seed: int, ends: float) -> int:
    """Play a random game and its image in a *view*, until *ends*; count the positions."""
    own = twin = game.initial(seed)
    if _look(game, own, view) != _look(game, twin, None):
        return 0  # chance decided something before the first move
    choices, positions, made = random.Random(seed), 0, list[str]()
    while time.process_time() < ends:
        name, numbers = _list_changes(game, own)
        if not numbers:
            break
        # Usually one move is mapped by its cell; now and then, or if that fails, all moves.
        number = choices.choice(numbers)
        pair = _map_cell(game, view, name, number, own, twin) if positions % SELDOM else None
        if pair is None:
            pairs = _map_all(game, view, (own, twin), (name, numbers), made)
            if not pairs:
                break
            number, pair = choices.choice(list(pairs.items()))
        positions += 1
        made += [game.format_move(number)] if name == "play" else []
        plies = own.plies + (name == "play")
        own, twin = (each._replace(plies=plies) for each in pair)
    return positions


def _map_cell(
    game: BoardGame,
    view: NDArray[np.int64],
    name: str,
    number: int,
    own: Board,
    twin: Board,
) -> tuple[Board, Board] | None:
    """Return the states after a move and after that on the image of its cell, if they match."""
    name_there, numbers_there = _list_changes(game, twin)
    places = np.flatnonzero(view == number)
    if name != name_there or not len(places) or places[0] not in numbers_there:
        return None
    pair = game.follow(own, name, number), game.follow(twin, name, int(places[0]))
    return pair if _look(game, pair[0], view) == _look(game, pair[1], None) else None


def _map_all(
    game: BoardGame,
    view: NDArray[np.int64],
    states: tuple[Board, Board],
    change: tuple[str, list[int]],
    made: list[str],
) -> dict[int, tuple[Board, Board]]:
    """Match the states after all moves with those of the image; omit states that look alike.

    Raises:
        GameFileError: Some moves have no match.
    """
    name, numbers = change
    name_there, numbers_there = _list_changes(game, states[1])
    after = [game.follow(states[0], name, number) for number in numbers]
    there = [game.follow(states[1], name_there, number) for number in numbers_there]
    # Both must give the same multiset of observations.
    looks = [_look(game, each, view) for each in after]
    looks_there = [_look(game, each, None) for each in there]
    if Counter(looks) != Counter(looks_there):
        raise _explain(game, made, len(numbers), len(numbers_there))
    return {
        number: (state, there[looks_there.index(look)])
        for number, state, look in zip(numbers, after, looks, strict=True)
        if looks.count(look) == 1
    }


def _list_changes(game: BoardGame, state: Board) -> tuple[str, list[int]]:
    """Return the function that changes a *state* next, play or resolve, and its legal numbers."""
    if game.code.HAS_CHANCE and (count := int(game.ask("chance", game.to_native(state)))):
        return "resolve", list(range(count if count <= MAX_OUTCOMES else 0))
    return "play", game.legal_moves(state)


def _look(game: BoardGame, state: Board, view: NDArray[np.int64] | None) -> tuple[Any, ...]:
    """Return the observations of a *state* in a *view*, and the player to move or the result."""
    seats = 1 if game.code.SEES_CELLS else game.seats  # all see the same then
    seen = [game.observe(state, seat) for seat in range(seats)]
    if view is not None:  # cells turn with the board, numbers beside it do not
        for each in seen:
            each[: game.board_planes] = each[: game.board_planes, view]
    return (*_adjudicate(game, state), *(each.tobytes() for each in seen))


def _adjudicate(game: BoardGame, state: Board) -> tuple[int, ...]:
    thawed = game.to_native(state)
    if game.code.HAS_POINTS:
        over = bool(game.ask("is_over", thawed))
        counted = [int(game.ask("points", thawed, seat)) for seat in range(game.seats)]
        return (over, -1 if over else game.to_move(state), *counted)
    result = int(game.ask("result", thawed))
    return (result, game.to_move(state) if result == GOES_ON else -1)


def _explain(game: BoardGame, made: list[str], count: int, count_there: int) -> GameFileError:
    after = f"after {' '.join(made[:MAX_WRITTEN])}" if made else "at the start"
    after += " ..." if len(made) > MAX_WRITTEN else ""
    if count == count_there:
        differ = "moves lead elsewhere than those of the turned or mirrored board"
    else:
        differ = f"there are {count} moves, on the turned or mirrored board {count_there}"
    if "see" in game.plain:
        differ += (
            "; or see shows something that does not turn with the board, such as a number that"
            " PLANE_NUMBERS does not list"
        )
    where = f"{game.file}{game.find_line('SYMMETRY')}"
    return GameFileError(f"{where}: SYMMETRY is {game.symmetry!r}, but {after} {differ}")
