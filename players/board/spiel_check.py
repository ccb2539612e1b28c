"""Comparison of a game's file with the game of OpenSpiel that it names (OPENSPIEL)."""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

from evolve_arena.core.errors import one_line
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.openspiel.trial import FAILURES

POSITIONS = 1000
SECONDS = 3.0


class SpielCheck(NamedTuple):
    """Extent of a comparison."""

    game: str
    """Name of the game in OpenSpiel."""
    positions: int
    """Positions in which the moves, the player to move and the result were compared."""
    obstacle: str = ""
    """Reason why nothing was compared."""


def compare_with_openspiel(
    game: BoardGame, positions: int = POSITIONS, seconds: float = SECONDS
) -> SpielCheck | None:
    """Play random games by the file and by OpenSpiel, move by move.

    Args:
        game: Game.
        positions: Minimum number of positions to compare, if there is time.
        seconds: Time of this process after which no further game begins.

    Returns:
        Extent of the comparison; None if the file names no game of OpenSpiel.

    Raises:
        GameFileError: OpenSpiel has no such game, or its game differs.
    """
    name = str(game.plain.get("OPENSPIEL", ""))
    if not name:
        return None
    if game.code.HAS_CHANCE:
        return SpielCheck(name, 0, "chance decides something")
    try:
        import pyspiel
    except ImportError:
        return SpielCheck(name, 0, "OpenSpiel is not installed (pip install open_spiel)")
    try:
        theirs = pyspiel.load_game(name)
    except FAILURES as error:
        raise _fail(
            game, "OPENSPIEL", f"OPENSPIEL is {name!r:.60}: {one_line(str(error), 100)}"
        ) from None
    begun, seen, seed = time.process_time(), 0, 0
    while seen < positions and (not seed or time.process_time() - begun < seconds):
        seen, seed = seen + _play(game, theirs.new_initial_state(), name, seed), seed + 1
    return SpielCheck(name, seen)


def _play(game: BoardGame, state: Any, name: str, seed: int) -> int:
    """Play a random game by the file and by OpenSpiel; return the number of positions compared."""
    board, choices, made = game.initial(seed), random.Random(seed), list[str]()
    while True:
        after = f"after {' '.join(made)}" if made else "at the start"
        outcome = game.outcome(board)
        if state.is_terminal() or outcome:
            if not (state.is_terminal() and outcome):
                cut_off = board.plies >= game.code.LONGEST
                past = bool(game.code.HAS_PAST) and (
                    max(state.returns()) == 0 if outcome is None else outcome.winner is None
                )
                if cut_off or past:  # draws by earlier positions may differ
                    return len(made) + 1
                ended, other = ("there", "here") if outcome is None else ("here", "there")
                raise _fail(
                    game, "OPENSPIEL", f"{after} the game is over {ended}, not {other}", name
                )
            returns = state.returns()
            places = tuple(1 + sum(other > own for other in returns) for own in returns)
            if places != outcome.places:
                raise _fail(
                    game,
                    "points" if game.code.HAS_POINTS else "result",
                    f"{after} the places of the seats are {outcome.places}, there {places}",
                    name,
                )
            return len(made) + 1
        if state.current_player() != game.to_move(board):
            raise _fail(
                game,
                "to_move",
                f"{after} seat {game.to_move(board)} is to move, there {state.current_player()}",
                name,
            )
        moves = {find_action(game, board, move): move for move in game.legal_moves(board)}
        if sorted(moves) != sorted(state.legal_actions()):
            extra = sorted(set(moves) - set(state.legal_actions()))
            lacking = sorted(set(state.legal_actions()) - set(moves))
            told = [
                *(
                    f"{game.format_move(moves[action])} (action {action}) is legal, not there"
                    for action in extra[:1]
                ),
                *(
                    f"action {action} ({state.action_to_string(action)}) is legal there, not here"
                    for action in lacking[:1]
                ),
            ]
            raise _fail(game, "legal", f"{after} {' and '.join(told)}", name)
        action = choices.choice(sorted(moves))
        made.append(game.format_move(moves[action]))
        board = game.play(board, moves[action])
        state.apply_action(action)


def find_action(game: BoardGame, board: Board, move: int) -> int:
    """Return the action of OpenSpiel for a move.

    Args:
        game: Game whose file names one of OpenSpiel.
        board: Position before the move.
        move: Number of a legal move.
    """
    if "openspiel_move" in game.plain:
        return int(game.ask("openspiel_move", game.to_native(board), move))
    return move


def _fail(game: BoardGame, place: str, sentence: str, name: str = "") -> GameFileError:
    compared = f" (compared with OpenSpiel's {name})" if name else ""
    return GameFileError(f"{game.file}{game.find_line(place)}: {one_line(sentence, 180)}{compared}")
