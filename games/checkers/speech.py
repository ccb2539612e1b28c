"""How people at a terminal see checkers and talk about its moves."""

from __future__ import annotations

import re

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.games.checkers.drawing import draw_checkers
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.position import COLOURS
from evolve_arena.players.speech import Speech, shorten

__all__ = ["CheckersSpeech"]


class CheckersSpeech(Speech):
    """Moves are squares, ``11-15`` or ``18x11``, as many as are needed to tell them apart."""

    DIVIDED = r"(?: ?(?:-{1,2}>?|[x×:,./–—→]|to) ?| )"
    ENTRY = re.compile(
        rf"(?:(?:move|play|from) ?)?[:#=(]*([0-9]{{1,2}}(?:{DIVIDED}[0-9]{{1,2}}){{0,9}})[ .,;!)]*",
        re.ASCII | re.IGNORECASE,
    )

    def __init__(self, game: Checkers) -> None:
        self._game = game
        first = int(game.turned)
        self.sides = (COLOURS[first], COLOURS[1 - first])

    def read(self, text: str, position: Position) -> Move:
        """The legal move that *text* names.

        Its squares may be divided by anything usual. Those between the first and the last may be
        missing, and the last ones too, down to a single square from which, or else to which,
        there is one move.

        Raises:
            IllegalMoveError: There is no such move, or several.
            BadValueError: The game is over.
        """
        squares = self._read_squares(text)
        if self._game.outcome(position) is not None:
            raise BadValueError("this game is over")
        legal = self._game.legal_moves(position)
        found = [move for move in legal if _begins(squares, move.path)]
        if not found and len(squares) == 1:
            found = [move for move in legal if move.path[-1] == squares[0]]
        if len(found) > 1 and len(squares) == 1:
            raise IllegalMoveError(f"{squares[0]}: this could be {_list_moves(found)}")
        try:
            return self._game.resolve(position, Move(squares))
        except IllegalMoveError:
            if len(found) == 1:
                return found[0]
            raise

    def name(self, move: Move, position: Position) -> str:
        """Such as "11-15"."""
        return self._game.format_move(move, position)

    def question(self, position: Position) -> str:
        """Such as "move (such as 11-15)"."""
        moves = self._game.legal_moves(position)
        if len(moves) == 1:
            return f"move (only {moves[0]} is possible)"
        return f"{'capture' if moves[0].is_capture else 'move'} (such as {moves[0]})"

    def list_moves(self, position: Position) -> str:
        """All legal moves."""
        moves = self._game.legal_moves(position)
        colour = COLOURS[position.side]
        if not moves:
            return f"{colour.capitalize()} can play nothing."
        return f"{colour.capitalize()} can play {_list_moves(moves)}."

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """All legal moves, unless the error tells of some."""
        named = set(re.findall(r"[0-9x-]+", str(error)))
        if named & {str(move) for move in self._game.legal_moves(position)}:
            return ""
        return self.list_moves(position)

    def draw(
        self,
        position: Position,
        last: Move | None = None,
        *,
        colour: bool = False,
    ) -> str:
        """See :func:`draw_checkers`."""
        return draw_checkers(position, last, colour=colour)

    def _read_squares(self, text: str) -> tuple[int, ...]:
        match = self.ENTRY.fullmatch(" ".join(text.split()))
        if match is None:
            raise IllegalMoveError(
                f"{shorten(text)!r} is no move: write 11-15, or 18x11 for a capture"
            )
        squares = tuple(int(number) for number in re.findall("[0-9]+", match[1]))
        for square in squares:
            if not 1 <= square <= 32:
                raise IllegalMoveError(f"there is no square {square}: they are numbered 1 to 32")
        return squares


def _begins(squares: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether *squares* stand in *path* in this order, the first of them in front."""
    rest = iter(path)
    return squares[0] == path[0] and all(square in rest for square in squares)


def _list_moves(moves: list[Move]) -> str:
    texts = [str(move) for move in moves]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]
