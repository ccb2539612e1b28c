"""Reading bred players of all kinds back from their files."""

from __future__ import annotations

from games.errors import ArenaError
from genomes.tensors import DamagedFileError, NewerFormatError, read_tensors
from players.bred import FORMAT, BredPlayer
from players.checkers.graph import CheckersGraphPlayer
from players.checkers.linear import LinearPlayer
from players.checkers.network import CheckersNetworkPlayer
from players.connect_four.graph import GraphPlayer
from players.connect_four.network import NetworkPlayer
from players.connect_four.tuple_network import TuplePlayer
from players.ticket_to_ride.graph import TicketGraphPlayer
from players.ticket_to_ride.move_network import MovePlayer
from players.ticket_to_ride.network import DecisionPlayer

__all__ = ["KINDS", "LARGEST", "read_player"]

LARGEST = 1 << 27
"""Bytes of a file with a player; tuple networks have some millions."""

KINDS: dict[str, type[BredPlayer]] = {
    kind.kind: kind
    for kind in (
        NetworkPlayer,
        GraphPlayer,
        TuplePlayer,
        LinearPlayer,
        CheckersNetworkPlayer,
        CheckersGraphPlayer,
        DecisionPlayer,
        MovePlayer,
        TicketGraphPlayer,
    )
}
"""The kinds of players that files hold."""


def read_player(blob: bytes, name: str | None = None) -> BredPlayer:
    """The player that :meth:`BredPlayer.serialise` wrote.

    Raises:
        DamagedFileError: The blob is no player, or not whole.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("player", FORMAT, blob)
    description = content.description
    try:
        kind = KINDS[description["kind"]]
        player = kind.read(description["design"], content.arrays, name or description["name"])
        player.remarks = description["remarks"]
    except (DamagedFileError, NewerFormatError):
        raise
    except (ArenaError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"its description is wrong or incomplete ({error})") from None
    return player
