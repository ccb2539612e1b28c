"""What programs that play any compiled board game are told, and how they answer."""

from __future__ import annotations

import re

from evolve_arena.core.game import AnyGame
from evolve_arena.players.board.game import Board
from evolve_arena.players.dialects import Dialect, Limits


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
