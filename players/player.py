"""What every player offers, and the base of those that compiled code plays."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from games.bitboard import Rules
from games.connect_four import ConnectFour, Position
from games.errors import BadValueError
from games.stream import Stream
from players.connect_four import decide
from players.lineup import Lineup, make_scratch

__all__ = ["CompiledPlayer", "Player", "check_board", "distinct_names"]


class Player(ABC):
    """Decides moves. One player may play many games, one after the other."""

    name: str
    """How tables call it."""

    def begin(self, side: int) -> None:  # noqa: B027  (most players need not know)
        """Called before each game; *side* is 0 if this player moves first."""

    @abstractmethod
    def choose(self, position: Position, stream: Stream) -> int:
        """The move to play in *position*, which is not over; chance comes from *stream*."""

    def end(self) -> None:  # noqa: B027
        """Called after each game."""

    def close(self) -> None:  # noqa: B027
        """Called when the player is no longer needed: frees what it holds."""


class CompiledPlayer(Player):
    """A player that exists as arrays, so that whole matches can run in compiled code.

    Args:
        game: What it plays.
        lineup: The player, packed; the only one in there.
        name: How tables call it.
    """

    def __init__(self, game: ConnectFour, lineup: Lineup, name: str) -> None:
        self.game = game
        self.lineup = lineup
        self.name = name
        self._scratch = make_scratch(lineup)

    def choose(self, position: Position, stream: Stream) -> int:
        """The very move that the match kernel would play.

        Raises:
            BadValueError: The position is of another board.
        """
        check_board(self, position.rules)
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        scratch = self._scratch._replace(streams=stream)
        boards = np.uint64(own), np.uint64(other)
        return int(decide(self.game.rules, self.lineup, side, *boards, scratch, False))


def check_board(player: Player, rules: Rules) -> None:
    """Makes sure that *player*, if it is made for one board, plays by *rules*.

    Raises:
        BadValueError: It is made for another board.
    """
    game = getattr(player, "game", None)
    if game is not None and game.rules != rules:
        raise BadValueError(
            f"player {player.name!r} plays on {_describe(game.rules)}, but this game has"
            f" {_describe(rules)}"
        )


def distinct_names(names: list[str]) -> tuple[str, ...]:
    """*names*, with a number behind those that occur more than once.

    >>> distinct_names(["random", "test-bot", "random"])
    ('random #1', 'test-bot', 'random #2')
    """
    taken = {name for name in names if names.count(name) == 1}
    result = []
    for name in names:
        number = 1
        free = name
        if names.count(name) > 1:
            while (free := f"{name} #{number}") in taken:
                number += 1
            taken.add(free)
        result.append(free)
    return tuple(result)


def _describe(rules: Rules) -> str:
    return f"a board of {rules.columns} by {rules.rows}, {rules.connect} in a row"
