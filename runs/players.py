"""Players by specification, as the command line names them: also those that lie in runs."""

from __future__ import annotations

import os
from collections.abc import Sequence

import evolve_arena.studies.checkers_td.sixteen  # noqa: F401  (its players have names as well)
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import (
    PlayerKind,
    make_player,
    permit_all,
    player_kinds,
    register_player,
)
from evolve_arena.runs.run import Run

__all__ = ["find_game", "find_player", "is_made_for_a_game", "known_players"]

OWN_GAMES = ("run", "file")
"""Kinds of players that were made for one game."""


def find_game(specifications: Sequence[str], name: str | None = None) -> AnyGame:
    """What the players so named play: the game of the first who was made for one, or knows but one.

    Args:
        specifications: Such as ``random`` or ``run:evolved/connect-four``.
        name: The game's name; if nobody was made for it, it is played on its usual board. If
            None, it is Connect Four unless a player says otherwise.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: A player's file can't be read.
    """
    usual: AnyGame = make_game(name or ConnectFour.name)
    for specification in specifications:
        kind, _, argument = specification.strip().partition(":")
        if is_made_for_a_game(specification):
            player = known_players()[kind].make(argument.strip(), usual)
            if isinstance(player, CompiledPlayer) and name in (None, player.game.name):
                return player.game
        elif name is None and len(games := _games_of(kind)) == 1:
            only: AnyGame = make_game(games[0])
            return only
    return usual


def find_player(specification: str, game: AnyGame | None = None) -> Player:
    """The player that *specification* names; ``run:PATH`` and ``run:PATH@GENERATION`` too.

    Args:
        specification: Such as ``random`` or ``run:evolved/connect-four``, as the user gave it:
            if it names a program, that is run.
        game: What it is to play; ordinary Connect Four if None.

    Raises:
        ArenaError: It names none; see `evolve_arena.players.specification.make_player`.
    """
    return make_player(specification, game or ConnectFour(), permit_all)


def is_made_for_a_game(specification: str) -> bool:
    """Whether it names a player of a file, who knows the rules and options that he was bred by."""
    kind, _, argument = specification.strip().partition(":")
    return kind in OWN_GAMES and bool(argument.strip())


def _games_of(kind: str) -> tuple[str, ...]:
    """The games that a kind of player knows; none if there is no such kind."""
    known = known_players().get(kind)
    return known.games if known else ()


def known_players() -> dict[str, PlayerKind]:
    """All kinds of players that a specification can name."""
    return player_kinds()


def _make_from_run(argument: str, game: AnyGame) -> Player:
    path, at, generation = argument.rpartition("@")
    if at and not os.path.exists(argument):
        if not (generation.isascii() and generation.isdecimal() and len(generation) < 19):
            text = quote(f"run:{argument}")
            raise BadValueError(f"player {text}: after @ stands a generation's number")
        return Run.open(path).champion_at(int(generation))
    return Run.open(argument).champion


register_player(
    "run",
    PlayerKind(
        "run:PATH", "a run's champion (or run:PATH@GENERATION, that of a check)", _make_from_run
    ),
)
