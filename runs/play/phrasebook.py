"""What differs at the table from game to game: one phrasebook for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.players.player import Player
from evolve_arena.players.speech import Speech

__all__ = ["Phrasebook", "phrasebook_of"]


class Phrasebook(ABC):
    """How a game is shown and talked about at the table."""

    speech: Speech
    """How moves are read and named."""
    greeting: str
    """How the help begins: how a move is made."""
    meanings: ClassVar[Mapping[str, str]] = {}
    """What commands do, where it is not what :data:`evolve_arena.runs.play.entries.COMMANDS`
    says."""
    thinker: str
    """Who can be asked for values: "network"."""
    replay: str
    """The command that shows a game again."""
    decider: ClassVar[str]
    """How the cache of compiled code calls what decides a move."""

    @abstractmethod
    def ask(self, position: Any) -> str:
        """What a person is asked for, in a few words: "column 0-6"."""

    @abstractmethod
    def draw(self, position: Any, last: Any, *, colour: bool) -> str:
        """The board, with the *last* move marked if there is one."""

    @abstractmethod
    def write_game(self, moves: Sequence[Any], positions: Sequence[Any]) -> str:
        """The *moves* as :meth:`read_game` reads them, each played in one of the *positions*."""

    @abstractmethod
    def read_game(self, text: str) -> tuple[Any, ...]:
        """The moves that *text* gives.

        Raises:
            PositionError: There is one among them that cannot be played.
        """

    def list_moves(self, position: Any) -> str:
        """What can be played, if players want to be told beside the moves so far."""
        return ""

    @abstractmethod
    def has_opinions(self, player: Player) -> bool:
        """Whether *player* can say what it thinks of each move."""

    @abstractmethod
    def describe_opinions(self, player: Any, position: Any, earlier: Sequence[Any]) -> str:
        """What a *player* who has opinions thinks; it was asked in the *earlier* positions."""


def phrasebook_of(game: AnyGame) -> Phrasebook:
    """The phrasebook of a *game*.

    Raises:
        BadValueError: There is none.
    """
    make: Callable[[AnyGame], Phrasebook] | None = find_game(game.name).make_phrasebook
    if make is None:
        raise BadValueError(f"{game.name} cannot be played at a terminal")
    return make(game)
