"""Export: turning a player into something that plays elsewhere. A registry of targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export.neat_python import (
    ImportedPlayer,
    export_neat_python,
    import_neat_python,
)
from evolve_arena.runs.export.python_bot import export_python
from evolve_arena.runs.export.sources import read_neat_file, read_player_file

__all__ = [
    "EXPORTED",
    "TARGETS",
    "ImportedPlayer",
    "Target",
    "export_neat_python",
    "export_player",
    "export_python",
    "find_target",
    "import_neat_python",
    "read_neat_file",
    "read_player_file",
]


EXPORTED = ("connect-four", "checkers")
"""Games of which players can be exported."""


@dataclass(frozen=True)
class Target:
    """A way to export a player."""

    write: Callable[[BredPlayer], str]
    """Gives the text of one file."""
    suffix: str
    """How the names of such files end."""


def _refuse_tables(write: Callable[[BredPlayer], str]) -> Callable[[BredPlayer], str]:
    """Lets *write* do its work for the games that it knows."""

    def check(player: BredPlayer) -> str:
        if player.game.name not in EXPORTED:
            raise BadValueError(
                f"{player.name} plays {player.game.name}, which can't be exported yet: name its"
                " champion.safetensors as file:PATH wherever a player is asked for"
            )
        return write(player)

    return check


TARGETS: dict[str, Target] = {
    "python": Target(_refuse_tables(export_python), ".py"),
    "neat-python": Target(_refuse_tables(export_neat_python), ".json"),
}
"""Ways to export a player, by name."""


def find_target(name: str) -> Target:
    """The target called *name*.

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
    return find_target(target).write(player)
