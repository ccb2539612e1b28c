"""Export: turning a player into something that plays elsewhere. A registry of targets."""

from __future__ import annotations

from collections.abc import Callable

from games.errors import UnknownNameError
from players.bred import BredPlayer
from runs.export.python_bot import export_python

__all__ = ["TARGETS", "export_player", "export_python"]

TARGETS: dict[str, Callable[[BredPlayer], str]] = {"python": export_python}
"""Ways to export a player, by name: each gives the text of one file."""


def export_player(player: BredPlayer, target: str) -> str:
    """*player* as the text of a file for *target*, one of :data:`TARGETS`.

    Raises:
        UnknownNameError: There is no such target.
    """
    if target not in TARGETS:
        raise UnknownNameError("export target", target, TARGETS)
    return TARGETS[target](player)
