"""Reading bred players of all kinds back from their files."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.linear import LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.games.ticket_to_ride.graph import TicketGraphPlayer
from evolve_arena.games.ticket_to_ride.move_network import MovePlayer
from evolve_arena.games.ticket_to_ride.network import DecisionPlayer
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError, read_tensors
from evolve_arena.players.bred import FORMAT, BredPlayer

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
        _check_numbers(content.arrays)
        player = kind.read(description["design"], content.arrays, name or description["name"])
        player.remarks = description["remarks"]
    except (DamagedFileError, NewerFormatError):
        raise
    except (
        ArenaError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        text = " ".join(str(error).split())[:200]
        raise DamagedFileError(f"its description is wrong or incomplete ({text})") from None
    for field in fields(player.design):
        value = getattr(player.design, field.name)
        if field.default is not MISSING and not isinstance(value, type(field.default)):
            raise DamagedFileError(f"its {field.name} is {reprlib.repr(value)}")
    if description.get("game", player.game.name) != player.game.name:
        raise DamagedFileError(f"it is not of the game {reprlib.repr(description['game'])}")
    if not isinstance(player.name, str) or not isinstance(player.remarks, dict):
        raise DamagedFileError("its name is no text, or its remarks are no section")
    return player


def _check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DamagedFileError(f"its {name} holds NaN or infinity")
