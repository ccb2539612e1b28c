"""Players by specification, including the champions of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.game import AnyGame, PlayerKind
from evolve_arena.core.registry import default_game, find_game, game_names, make_game
from evolve_arena.core.user_code import find_registered
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import (
    games_of,
    make_player,
    permit_all,
    player_kinds,
    register_player,
    split_search,
)
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import find_run, is_run

OWN_GAMES = ("run", "file")
"""Kinds of players that are made for one game."""
VALUES = re.compile(r"[:,] *values *= *([^,]*)")
"""Pattern of the part of a specification that names a search's evaluation function."""


def game_for(specifications: Sequence[str], name: str | None = None) -> AnyGame:
    """Return the game of the first player that is made for one game or plays only one.

    Args:
        specifications: Specifications of players, such as ``random`` or ``run:evolved/first``.
        name: Name of the game, which has its default options unless a player is made for others.
            If None, the players decide; without such a player it is the default game.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: A player's file can't be read.
    """
    usual: AnyGame = make_game(name or default_game())
    for specification in map(name_player, specifications):
        kind = specification.strip().partition(":")[0]
        if made := find_made(specification):
            maker, _, argument = made.partition(":")
            player = player_kinds(usual.name)[maker].make(argument.strip(), usual)
            if isinstance(player, CompiledPlayer) and name in (None, player.game.name):
                return player.game
        elif name is None and len(games := games_of(kind)) == 1:
            only: AnyGame = make_game(games[0])
            return only
    return usual


def list_players() -> dict[str, tuple[str, list[str]]]:
    """Return the forms of specifications, each with a sentence about it and the games it plays."""
    found: dict[str, tuple[str, list[str]]] = {}
    for game in game_names():
        for kind in player_kinds(game).values():
            found.setdefault(kind.form, (kind.summary, []))[1].append(game)
    return found


def find_player(specification: str, game: AnyGame | None = None) -> Player:
    """Return the player of a *specification*, ``run:PATH`` and ``run:PATH@GENERATION`` included.

    Args:
        specification: Player as the user named it, such as ``random``, ``run:evolved/first`` or
            ``first``; a program that it names is run.
        game: Game to be played; the default game if None.

    Raises:
        ArenaError: There is no such player; see `evolve_arena.players.specification.make_player`.
    """
    return make_player(name_player(specification), game or make_game(default_game()), permit_all)


def name_player(specification: str) -> str:
    """Return the *specification* with ``run:`` before the bare name of a run.

    >>> name_player("random"), name_player("nowhere")
    ('random', 'nowhere')
    """
    text, values = specification.strip(), VALUES.search(specification)
    if values:
        start, end = values.span(1)
        return f"{specification[:start]}{name_player(values[1])}{specification[end:]}"
    kind, (text, search) = text.partition(":")[0], split_search(text)
    if not any(is_run(find_run(name)) for name in (text, text.rpartition("@")[0]) if name):
        return specification
    is_player = kind == "run" or any(kind in player_kinds(game) for game in game_names())
    named = specification if is_player or find_registered(text) else f"run:{text}"
    return f"{named},{search}" if search and named != specification else named


def find_made(specification: str) -> str:
    """Return the part that names a run's champion or a player in a file; ``""`` if none does.

    >>> find_made("minimax:depth=4,values=run:evolved/first,noise=0.1"), find_made("random")
    ('run:evolved/first', '')
    """
    named = name_player(specification)
    values = VALUES.search(named)
    for text in (named.strip(), values[1].strip() if values else ""):
        kind, _, argument = text.partition(":")
        path, _ = split_search(argument.strip())
        if kind in OWN_GAMES and path:
            return f"{kind}:{path}"
    return ""


def with_seats(game: AnyGame, seats: int | None) -> AnyGame:
    """Return the same game for *seats* players; None changes nothing.

    Raises:
        BadValueError: The game is for two, or not for so many.
    """
    option = find_game(game.name).seats_option
    if seats is None:
        return game
    if option is None:
        option = spell("--players", "seats")
        raise BadValueError(f"{option} is for games of more than two: two play {game.name}")
    changed: AnyGame = make_game(game.name, **{**game.options, option: seats})
    return changed


def fill_seats(names: Sequence[str], seats: int) -> list[str]:
    """Return a name for each seat, repeating *names* cyclically.

    >>> fill_seats(["run:a", "rule"], 5)
    ['run:a', 'rule', 'run:a', 'rule', 'run:a']
    """
    return [names[seat % len(names)] for seat in range(seats)]


def _make_from_run(argument: str, game: AnyGame) -> Player:
    path, at, generation = argument.rpartition("@")
    if at and not os.path.exists(find_run(argument)):
        if not (generation.isascii() and generation.isdecimal() and len(generation) < 19):
            text = quote(f"run:{argument}")
            raise BadValueError(f"player {text}: a generation number must follow the @")
        return Run.open(path).champion_at(int(generation))
    return Run.open(argument).champion


register_player(
    "run",
    PlayerKind(
        "run:PATH", "a run's champion (or run:PATH@GENERATION, that of a check)", _make_from_run
    ),
)
