"""A game as it goes, of which moves can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.core.game import AnyGame, Outcome
from evolve_arena.core.stream import new_stream
from evolve_arena.runs.play.phrasebook import phrasebook_of

__all__ = ["Record"]


class Record:
    """The moves and positions of one game, and its stream of random numbers.

    The stream goes back with the moves: who plays the same again gets the same answers. As
    in :func:`evolve_arena.arena.match.play_match` both players draw from it in turn.

    Args:
        game: The rules.
        beginning: Moves that nobody decides.
        seed: Seeds the stream.
    """

    def __init__(self, game: AnyGame, beginning: Sequence[Any], seed: int) -> None:
        self.game = game
        self.moves: list[Any] = []
        self.positions = [game.initial()]
        """Before each move, and the one on the board."""
        self.stream = new_stream(seed)
        self._states = [int(self.stream[0])]
        for move in beginning:
            self.play(move)
        self.start = len(self.moves)
        """How many moves nobody decided; fewer once some of them were taken back."""

    @property
    def position(self) -> Any:
        """What lies on the board."""
        return self.positions[-1]

    @property
    def side(self) -> int:
        """0 if it is the turn of who began, else 1."""
        return len(self.moves) % 2

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by its rules, or None while it goes on."""
        return self.game.outcome(self.position)

    @property
    def last(self) -> Any:
        """The last move, or None."""
        return self.moves[-1] if self.moves else None

    def earlier(self, side: int) -> list[Any]:
        """The positions before this one in which *side* had to decide."""
        return [
            self.positions[ply]
            for ply in range(self.start, len(self.moves))
            if self.game.to_move(self.positions[ply]) == side
        ]

    def play(self, move: Any) -> None:
        """Adds a *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
        """
        self.positions.append(self.game.play(self.position, move))
        self.moves.append(move)
        self._states.append(int(self.stream[0]))

    def take_back(self, ply: int) -> None:
        """Goes back to when *ply* moves had been made."""
        del self.moves[ply:], self.positions[ply + 1 :], self._states[ply + 1 :]
        self.stream[0] = self._states[-1]
        self.start = min(self.start, ply)

    def __str__(self) -> str:
        return phrasebook_of(self.game).write_game(self.moves, self.positions)
