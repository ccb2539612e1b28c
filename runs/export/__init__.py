"""Export: turning a player into something that plays elsewhere. Each game says how."""

from __future__ import annotations

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, load
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export.assembly import read_neat_file, read_player_file

__all__ = ["TARGETS", "check_target", "export_player", "read_neat_file", "read_player_file"]

TARGETS = {"python": ".py", "neat-python": ".json"}
"""Ways to export a player, by name, and how the names of such files end."""


def check_target(name: str) -> str:
    """How files for the target called *name* end.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in TARGETS:
        raise UnknownNameError("export target", name, TARGETS)
    return TARGETS[name]


def export_player(player: BredPlayer, target: str) -> str:
    """*player* as the text of a file for *target*, one of :data:`TARGETS`.

    Raises:
        UnknownNameError: There is no such target.
        BadValueError: The target is not for players of that kind.
    """
    check_target(target)
    exporters = find_game(player.game.name).exporters
    if target not in exporters:
        for place in exporters.values():
            load(place)(player)  # or it tells why there is no way at all
        other = (
            f" to {target}: export it with --to {next(iter(exporters))}"
            if exporters
            else " yet: name its champion.safetensors as file:PATH wherever a player is asked for"
        )
        raise BadValueError(
            f"{player.name} plays {player.game.name}, which can't be exported{other}"
        )
    return str(load(exporters[target])(player))
