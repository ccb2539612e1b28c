"""Players by specification, as the command line names them: also those that lie in runs."""

from __future__ import annotations

from pathlib import Path

from games.connect_four import ConnectFour
from games.errors import BadValueError
from players.player import Player
from players.specification import PlayerKind, make_player, player_kinds, register_player
from runs.run import Run

__all__ = ["find_player", "known_players"]


def find_player(specification: str, game: ConnectFour | None = None) -> Player:
    """The player that *specification* names; ``run:PATH`` and ``run:PATH@GENERATION`` too.

    Args:
        specification: Such as ``random`` or ``run:evolved/connect-four``.
        game: What it is to play; ordinary Connect Four if None.

    Raises:
        ArenaError: It names none; see `players.specification.make_player`.
    """
    return make_player(specification, game or ConnectFour())


def known_players() -> dict[str, PlayerKind]:
    """All kinds of players that a specification can name."""
    return player_kinds()


def _make_from_run(argument: str, game: ConnectFour) -> Player:
    path, at, generation = argument.rpartition("@")
    if at and not Path(argument).exists():
        if not generation.isdecimal():
            raise BadValueError(f"player run:{argument}: after @ stands a generation's number")
        return Run.open(path).champion_at(int(generation))
    return Run.open(argument).champion


register_player(
    "run",
    PlayerKind(
        "run:PATH", "a run's champion (or run:PATH@GENERATION, that of a check)", _make_from_run
    ),
)
