"""What programs that play checkers are told and how they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import MOVE_TEXT, Move, Position, bit_of
from evolve_arena.players.dialects import Dialect, Limits


@dataclass(frozen=True)
class CheckersDialect(Dialect):
    """Checkers as exported bots speak it.

    ``position PDN-FEN moves 11-15 ...``, then ``go movetime MILLISECONDS``, answered by
    ``move 11-15``. Moves are told only as far back as a position could be repeated.
    """

    limits: Limits = field(default=Limits(time_bank=10_000, per_move=500))

    answer = "'move' and a move such as 11-15"
    farewell = "quit\n"

    def greet(self, game: Checkers, side: int, limits: Limits) -> str:
        """Nothing: who moves first is seen from the positions."""
        return ""

    def show(self, position: Position) -> str:
        """The last position that can't come again, and the moves since then."""
        first, moves = _go_back(position)
        return f"position {first.fen()}{' moves ' if moves else ''}{' '.join(moves)}\n"

    def ask(self, bank: int, limits: Limits) -> str:
        """The time for this move.

        That is what a move adds to the bank, or a fortieth of the bank if that is more. A tenth
        of the bank at least is left, in case that the answer is on its way for long.
        """
        milliseconds = max(1, min(max(limits.per_move, bank // 40), bank * 9 // 10))
        return f"go movetime {milliseconds}\n"

    def read(self, game: Checkers, position: Position, line: bytes) -> Move | None:
        """The move of ``move 11-15``, with its whole path."""
        words = line.decode("ascii", "replace").split()
        if len(words) < 2 or words[0] != "move" or not MOVE_TEXT.fullmatch(words[1].lower()):
            return None
        return game.resolve(position, game.parse_move(words[1]))


def _go_back(position: Position) -> tuple[Position, list[str]]:
    """The position after the last move that can't be taken back, and the moves since then.

    In all of these a king moved and nothing else changed.
    """
    dark, light, kings = position.dark, position.light, position.kings
    placed = [*position.past, _squares(dark & kings) | _squares(light & kings) << 32]
    crowned = [_bits(placed[0] & 0xFFFFFFFF), _bits(placed[0] >> 32)]
    first = Position(
        dark & ~kings | crowned[0],
        light & ~kings | crowned[1],
        crowned[0] | crowned[1],
        position.side ^ len(position.past) % 2,
        position.turned,
    )
    moves = []
    for before, after in pairwise(placed):
        squares = ((gone.bit_length() - 1) % 32 + 1 for gone in (before & ~after, after & ~before))
        moves.append("-".join(str(square) for square in squares))
    return first, moves


def _squares(pieces: int) -> int:
    """The same pieces, with square s as bit s - 1."""
    return sum(1 << (square - 1) for square in range(1, 33) if pieces & bit_of(square))


def _bits(squares: int) -> int:
    """What :func:`_squares` undoes."""
    return sum(bit_of(square) for square in range(1, 33) if squares >> (square - 1) & 1)
