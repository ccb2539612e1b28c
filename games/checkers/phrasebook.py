"""What is said about checkers while people play it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.opinions import Thinker, describe_thoughts
from evolve_arena.games.checkers.speech import CheckersSpeech
from evolve_arena.players.player import Player
from evolve_arena.runs.play.phrasebook import Phrasebook

__all__ = ["CheckersPhrasebook"]


class CheckersPhrasebook(Phrasebook):
    """The players are dark and light, moves are squares."""

    greeting = (
        "Squares make a move: 11-15, or 18x11 for a capture; one square is enough if no other\n"
        "move begins there. Captures must be made, and to their end."
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "values": "what a program that looks ahead thinks of each move",
        "moves": "the moves that can be played, and those so far",
    }
    thinker = "program that looks ahead"
    decider = "decision.decide"

    def __init__(self, game: Checkers) -> None:
        self._game = game
        self.speech = CheckersSpeech(game)
        turned = " --turned" if game.turned else ""
        self.replay = f'evolve play --game checkers{turned} --moves "MOVES"'

    def ask(self, position: Position) -> str:
        """An example, or the only move."""
        moves = self._game.legal_moves(position)
        if len(moves) == 1:
            return f"only {self._game.format_move(moves[0], position)} is possible"
        kind = "a capture " if moves[0].is_capture else ""
        return f"{kind}such as {self._game.format_move(moves[0], position)}"

    def draw(self, position: Position, last: Move | None, *, colour: bool) -> str:
        """See :func:`evolve_arena.games.checkers.drawing.draw_checkers`."""
        return self.speech.draw(position, last, colour=colour)

    def write_game(self, moves: Sequence[Move], positions: Sequence[Position]) -> str:
        """Such as ``11-15 22-18 15x22``."""
        return " ".join(
            self._game.format_move(move, position)
            for move, position in zip(moves, positions, strict=False)
        )

    def read_game(self, text: str) -> tuple[Move, ...]:
        """Moves with blanks between; their numbers, ``1.`` and so on, may stand before them."""
        position, moves = self._game.initial(), []
        for number, word in enumerate(re.sub(r"\b\d+\.+(?=\s|$|\d+[-x])", " ", text).split(), 1):
            try:
                move = self._game.resolve(position, self._game.parse_move(word))
                position = self._game.play(position, move)
            except IllegalMoveError as error:
                raise PositionError(f"move {number} of {text[:40]!r}: {error}") from None
            moves.append(move)
        return tuple(moves)

    def list_moves(self, position: Position) -> str:
        """All legal moves, in a sentence."""
        return self.speech.list_moves(position)

    def has_opinions(self, player: Player) -> bool:
        """Those who search have."""
        return isinstance(player, Thinker)

    def describe_opinions(
        self, player: Thinker, position: Position, earlier: Sequence[Position]
    ) -> str:
        """See :mod:`evolve_arena.games.checkers.opinions`."""
        return describe_thoughts(player, position)
