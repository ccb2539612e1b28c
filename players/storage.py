"""Reading bred players of all kinds back from their files."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game, game_names
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError, read_tensors
from evolve_arena.players.bred import FORMAT, BredPlayer

LARGEST = 1 << 27
"""Bytes of a file with a player; tuple networks have some millions."""


def read_player(blob: bytes, name: str | None = None) -> BredPlayer:
    """The player that :meth:`BredPlayer.serialise` wrote.

    Raises:
        DamagedFileError: The blob is no player, or not whole.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("player", FORMAT, blob)
    description = content.description
    try:
        kind = _find_kind(description)
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


def _find_kind(description: Mapping[str, Any]) -> type[BredPlayer]:
    """The class of the player that is so described; old files do not say what it plays."""
    told = description.get("game")
    for game in sorted(game_names(), key=lambda name: name != told):
        for kind in find_game(game).networks.values():
            if kind.kind == description["kind"]:
                return cast(type[BredPlayer], kind)
    raise LookupError(f"no kind {description['kind']!r:.100}")


def _check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DamagedFileError(f"its {name} holds NaN or infinity")
