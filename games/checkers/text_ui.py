"""How people at a terminal see checkers and talk about its moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError, PositionError
from evolve_arena.games.checkers.drawing import draw_checkers
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.opinions import Thinker, describe_thoughts
from evolve_arena.games.checkers.position import COLOURS, Move, Position
from evolve_arena.players.text_ui import TextUI, shorten


class CheckersText(TextUI):
    """The players are dark and light; moves are squares, ``11-15`` or ``18x11``."""

    DIVIDED = r"(?: ?(?:-{1,2}>?|[x×:,./–—→]|to) ?| )"
    ENTRY = re.compile(
        rf"(?:(?:move|play|from) ?)?[:#=(]*([0-9]{{1,2}}(?:{DIVIDED}[0-9]{{1,2}}){{0,9}})[ .,;!)]*",
        re.ASCII | re.IGNORECASE,
    )
    greeting = (
        "Squares make a move: 11-15, or 18x11 for a capture; one square is enough if no other\n"
        "move begins there. Captures must be made, and to their end."
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "values": "what a program that looks ahead thinks of each move",
    }
    thinker = "program that looks ahead"
    game: Checkers

    def __init__(self, game: Checkers) -> None:
        super().__init__(game)
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
        if self.game.outcome(position) is not None:
            raise BadValueError("this game is over")
        legal = self.game.legal_moves(position)
        found = [move for move in legal if _begins(squares, move.path)]
        if not found and len(squares) == 1:
            found = [move for move in legal if move.path[-1] == squares[0]]
        if len(found) > 1 and len(squares) == 1:
            raise IllegalMoveError(f"{squares[0]}: this could be {_list_moves(found)}")
        try:
            return self.game.resolve(position, Move(squares))
        except IllegalMoveError:
            if len(found) == 1:
                return found[0]
            raise

    def name(self, move: Move, position: Position) -> str:
        """Such as "11-15"."""
        return self.game.format_move(move, position)

    def question(self, position: Position) -> str:
        """An example, or the only move."""
        moves = self.game.legal_moves(position)
        if len(moves) == 1:
            return f"only {self.game.format_move(moves[0], position)} is possible"
        kind = "a capture " if moves[0].is_capture else ""
        return f"{kind}such as {self.game.format_move(moves[0], position)}"

    def list_moves(self, position: Position) -> str:
        """All legal moves."""
        moves = self.game.legal_moves(position)
        colour = COLOURS[position.side]
        if not moves:
            return f"{colour.capitalize()} can play nothing."
        return f"{colour.capitalize()} can play {_list_moves(moves)}."

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """All legal moves, unless the error tells of some."""
        named = set(re.findall(r"[0-9x-]+", str(error)))
        if named & {str(move) for move in self.game.legal_moves(position)}:
            return ""
        return self.list_moves(position)

    def draw(
        self,
        position: Position,
        last: Move | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """See :func:`draw_checkers`."""
        return draw_checkers(position, last, colour=colour)

    def write_game(self, moves: Sequence[Move], positions: Sequence[Position]) -> str:
        """Such as ``11-15 22-18 15x22``."""
        return " ".join(
            self.game.format_move(move, position)
            for move, position in zip(moves, positions, strict=False)
        )

    def read_game(self, text: str) -> tuple[Move, ...]:
        """Moves with blanks between; their numbers, ``1.`` and so on, may stand before them."""
        position, moves = self.game.initial(), []
        for number, word in enumerate(re.sub(r"\b\d+\.+(?=\s|$|\d+[-x])", " ", text).split(), 1):
            try:
                move = self.game.resolve(position, self.game.parse_move(word))
                position = self.game.play(position, move)
            except IllegalMoveError as error:
                raise PositionError(f"move {number} of {text[:40]!r}: {error}") from None
            moves.append(move)
        return tuple(moves)

    def replay(self) -> str:
        """With the moves."""
        turned = " --turned" if self.game.turned else ""
        return f'evolve play --game checkers{turned} --moves "MOVES"'

    def has_values(self, player: Any) -> bool:
        """Those who search have."""
        return isinstance(player, Thinker)

    def describe_values(
        self, player: Thinker, position: Position, earlier: Sequence[Position]
    ) -> str:
        """See :mod:`evolve_arena.games.checkers.opinions`."""
        return describe_thoughts(player, position)

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
