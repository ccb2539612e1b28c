"""How people at a terminal see any board game and talk about its moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.dialects import Dialect, Limits
from evolve_arena.players.text_ui import TextUI, shorten


class BoardText(TextUI):
    """The players are x and o; cells are named by column and row, such as ``d3``."""

    sides = ("x", "o")
    pieces: ClassVar[str] = "xo."
    """What is drawn for each plane of the player who moves first, then an empty cell."""
    greeting = "The name of a move, such as d3, plays it."
    game: BoardGame

    def read(self, text: str, position: Board) -> int:
        """The move that *text* names."""
        return self.game.parse_move(text.strip().lower())

    def name(self, move: int, position: Board) -> str:
        """Such as "d3"."""
        return self.game.format_move(move)

    def question(self, position: Board) -> str:
        """A legal move for example."""
        moves = self.game.legal_moves(position)
        return f"a move such as {self.game.format_move(moves[0])}" if moves else "a move"

    def list_moves(self, position: Board) -> str:
        """Which moves are legal."""
        names = [self.game.format_move(move) for move in self.game.legal_moves(position)]
        if len(names) == 1:
            return f"Only {names[0]} can be played."
        return f"These moves can be played: {', '.join(names)}."

    def draw(
        self,
        position: Board,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """The cells with their names around, and what can be played marked."""
        code = self.game.code
        planes = self.game.observe(position, 0)
        legal = set(self.game.legal_moves(position))
        width, height = code.WIDTH, code.CELLS // code.WIDTH
        head = "   " + " ".join("abcdefghijklmnopqrstuvwxyz"[:width])
        lines = [head]
        for row in range(height):
            cells = range(row * width, (row + 1) * width)
            marks = (self._mark(planes, cell, cell in legal, last, colour) for cell in cells)
            lines.append(f"{row + 1:2} {' '.join(marks)} {row + 1}")
        return "\n".join([*lines, head])

    def _mark(self, planes: Any, cell: int, is_legal: bool, last: int | None, colour: bool) -> str:
        owners = [plane for plane in range(len(planes)) if planes[plane, cell]]
        mark = self.pieces[owners[0]] if owners else "·" if is_legal else self.pieces[-1]
        if cell == last:
            mark = mark.upper()
        code = {"x": 33, "o": 36}.get(mark.lower())
        return f"\x1b[1;{code}m{mark}\x1b[0m" if colour and code else mark

    def write_game(self, moves: Sequence[int], positions: Sequence[Board]) -> str:
        """The moves, with blanks between."""
        return " ".join(self.game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves such as ``d3 c5``."""
        try:
            moves = tuple(self.game.parse_move(word) for word in text.split())
        except IllegalMoveError as error:
            raise PositionError(f"moves {shorten(text)!r}: {error}") from None
        self.game.parse_position(text)
        return moves

    def replay(self) -> str:
        """With the moves."""
        return f"evolve play --game {self.game.name} --moves MOVES"


class BoardDialect(Dialect):
    """Lines of words: a state is given as its numbers, a move by its number or its name."""

    answer = "'move' and the number or name of a move"
    farewell = "quit\n"
    limits = Limits(time_bank=10_000, per_move=1_000)

    def greet(self, game: AnyGame, side: int, limits: Limits) -> str:
        """What is played, and where the bot sits."""
        options = "".join(f" {name}={value}" for name, value in game.options.items())
        return f"game {game.name}{options}\nseat {side}\n"

    def show(self, position: Board) -> str:
        """The numbers of the state; see the rules of the game."""
        return f"state {' '.join(map(str, position.state))}\n"

    def ask(self, bank: int, limits: Limits) -> str:
        """The milliseconds in its time bank."""
        return f"go {bank}\n"

    def read(self, game: AnyGame, position: Board, line: bytes) -> int | None:
        """The move of ``move 19`` or ``move d3``."""
        found = re.fullmatch(rb"move[ \t]+([\w+-]{1,20})[ \t]*", line)
        if found is None:
            return None
        text = found[1].decode("ascii", "replace")
        move = int(text) if text.isdigit() else game.parse_move(text)
        game.play(position, move)
        return int(move)
