"""A program at the table: it may remember the game, even if moves of it are taken back."""

from __future__ import annotations

from typing import Any

from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.bred import NeatPlayer
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.play.record import Record

__all__ = ["Seat"]


class Seat:
    """A player, and the positions of this game in which it was asked so far.

    If those are not what the record says (moves were taken back, sides were swapped, or the
    player is asked for the first time), the player begins anew, and one that remembers is led
    through the game: it is asked once more in each earlier position of its side.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._side: int | None = None
        self._asked: list[Any] = []

    def choose(self, record: Record, stream: Stream) -> Any:
        """The move that the player decides on; chance comes from *stream*.

        Raises:
            ForfeitError: It cannot go on, or its move is not legal.
        """
        side, earlier = record.side, record.earlier(record.side)
        try:
            if (side, earlier) != (self._side, self._asked):
                self._begin(side, earlier)
            move = self.player.choose(record.position, stream)
            if move not in record.game.legal_moves(record.position):
                sentence = f"{self.player.name} plays {move}, which is not legal here."
                raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
        except ForfeitError:
            self.leave()
            raise
        self._asked.append(record.position)
        return move

    def leave(self) -> None:
        """The game is over, or given up."""
        if self._side is not None:
            self._side, self._asked = None, []
            self.player.end()

    def _begin(self, side: int, earlier: list[Any]) -> None:
        self.leave()
        self._side = side
        self.player.begin(side)
        if _remembers(self.player):
            spare = new_stream(0)
            for position in earlier:
                self.player.choose(position, spare)
        self._asked = earlier


def _remembers(player: Player) -> bool:
    """Whether a player may choose otherwise if it saw other positions before.

    A program is shown the whole board each time, and asking it again would cost its time.
    """
    if isinstance(player, NeatPlayer):
        return not player.design.feed_forward
    return not isinstance(player, CompiledPlayer | ProcessPlayer)
