"""What is said about Connect Four while people play it."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.drawing import draw_board
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.opinions import describe_opinions
from evolve_arena.games.connect_four.speech import ConnectFourSpeech
from evolve_arena.players.player import Player
from evolve_arena.runs.play.phrasebook import Phrasebook

__all__ = ["ConnectFourPhrasebook"]


class ConnectFourPhrasebook(Phrasebook):
    """The players are x and o, moves are columns."""

    greeting = "The number of a column drops a disc there."
    thinker = "network"
    replay = "evolve play --moves MOVES"
    decider = "seats.decide"

    def __init__(self, game: ConnectFour) -> None:
        self._game = game
        self.speech = ConnectFourSpeech(game)

    def ask(self, position: Position) -> str:
        """Which columns there are."""
        return f"column 0-{self._game.format_move(self._game.rules.columns - 1)}"

    def draw(self, position: Position, last: int | None, *, colour: bool) -> str:
        """See :func:`evolve_arena.games.connect_four.drawing.draw_board`."""
        return draw_board(self._game, position, last, colour=colour)

    def write_game(self, moves: Sequence[int], positions: Sequence[Position]) -> str:
        """A character for each move: ``3321``."""
        return "".join(self._game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves such as ``3321``, with or without blanks between."""
        bare = "".join(text.split())
        try:
            moves = tuple(self._game.parse_move(character) for character in bare)
        except IllegalMoveError as error:
            raise PositionError(f"moves {text!r}: {error}") from None
        self._game.parse_position(bare)
        return moves

    def has_opinions(self, player: Player) -> bool:
        """Networks have."""
        return isinstance(player, ColumnPlayer)

    def describe_opinions(
        self,
        player: ColumnPlayer,
        position: Position,
        earlier: Sequence[Position],
    ) -> str:
        """See :mod:`evolve_arena.games.connect_four.opinions`."""
        return describe_opinions(player, position, earlier)
