"""From what the command line says to a sitting: who plays what, and who begins."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evolve_arena.core.compiled import cache_folder
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, game_names, make_game, usual_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.runs.play.phrasebook import phrasebook_of
from evolve_arena.runs.play.screen import Screen
from evolve_arena.runs.play.sitting import Plan, Sitting
from evolve_arena.runs.players import find_player, find_table, game_for

__all__ = ["Invitation", "choose_table", "newest_opponent"]

PERSON = "human"
PAUSE = 0.5
"""Seconds between the moves of two programs, if somebody is likely to look on."""


@dataclass(frozen=True)
class Invitation:
    """What somebody asks for who wants to play, or to watch; all of it may be left out."""

    names: Sequence[str] = ()
    """Up to two players; a single one is the opponent of a person. Without any, that is the
    champion of the newest run, or a scripted player."""
    game: str | None = None
    """What is played; if None, what the first player who was made for one game plays, else
    Connect Four, or checkers if it is to be turned."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The game's options: ``columns``, ``rows`` and ``connect`` of Connect Four, ``turned`` of
    checkers. If there are none, a player's own board counts."""
    first: bool | None = None
    """Whether the person begins the first game, or the first named if there are two or none.
    If None, lots are drawn; after *moves* a person is the one to move."""
    games: int | None = None
    opening_plies: int = 0
    moves: str = ""
    advisor: str | None = None
    """Who gives hints; if None, the only person's opponent."""
    values: bool = False
    delay: float | None = None
    """Half a second on a terminal, if None."""
    seed: int | None = None
    """A new one each time, if None."""

    def accept(self, screen: Screen) -> Sitting:
        """Plays; gives the sitting that is over.

        Raises:
            ArenaError: Something that was asked for is not possible.
        """
        names = self._find_names()
        named = [*names, *([self.advisor] if self.advisor else [])]
        game = choose_game(named, self.game, self.sizes)
        moves = self._read_moves(game)
        advisor = self.advisor or next((name for name in names if not _is_person(name)), None)
        if advisor and _is_person(advisor):
            raise BadValueError("hint is 'human': it must be a program's name")
        seed = int.from_bytes(os.urandom(4)) if self.seed is None else self.seed
        delay = PAUSE if screen.is_terminal else 0.0
        plan = Plan(
            seed=seed,
            first=self._find_first(names, seed, moves),
            moves=moves,
            opening_plies=self.opening_plies,
            games=self.games,
            delay=delay if self.delay is None else self.delay,
            values=self.values,
        )
        with ExitStack() as stack:
            players = [_enter(stack, name, game) for name in names]
            _announce_compiling(players, game, screen)
            hints = partial(find_player, advisor, game) if advisor else None
            sitting = Sitting(game, players, plan, screen, hints)
            sitting.run()
        if sitting.matches:
            screen.say(f"Look at a game again: {phrasebook_of(game).replay}")
        if self.seed is None:
            screen.say(f"The seed was {seed}.")
        return sitting

    def _find_names(self) -> list[str]:
        """The two participants; a champion of another board is not invited unasked."""
        if self.names:
            return [PERSON, self.names[0]] if len(self.names) == 1 else list(self.names)
        if not self.game and not self.sizes:
            return [PERSON, newest_opponent()]
        game = choose_game([], self.game, self.sizes)
        return [PERSON, newest_opponent(game=game, exactly=bool(self.sizes))]

    def _read_moves(self, game: AnyGame) -> tuple[Any, ...]:
        if self.moves.split() and self.opening_plies:
            raise BadValueError("moves and openings: a game begins with one or the other")
        return phrasebook_of(game).read_game(self.moves)

    def _find_first(self, names: Sequence[str], seed: int, moves: Sequence[Any]) -> int:
        """Which of the two begins the first game."""
        people = [number for number, name in enumerate(names) if _is_person(name)]
        subject = people[0] if len(people) == 1 else 0
        begins = self.first
        if begins is None and moves and people:
            begins = len(moves) % 2 == 0
        elif begins is None:
            begins = int(derive_seeds(seed, 0, "who begins", 1)[0]) % 2 == 0
        return subject if begins else 1 - subject


def newest_opponent(
    folder: Path | str = "evolved", game: AnyGame | None = None, *, exactly: bool = False
) -> str:
    """The run in *folder* whose champion was written last; a scripted player if there is none.

    Args:
        folder: Where to look.
        game: What the champion must play; anything if None.
        exactly: Whether it must do so on the very board.
    """
    champions = [
        file
        for file in Path(folder).glob("*/champion.safetensors")
        if (file.parent / "recipe.toml").is_file()
    ]
    champions.sort(key=lambda file: file.stat().st_mtime_ns, reverse=True)
    names = [f"run:{file.parent}" for file in champions]
    if game is None:
        return names[0] if names else find_game(usual_game()).opponents[0]
    newest = next((name for name in names if _find_rules(name, game.name)), None)
    if newest is None or (exactly and _find_rules(newest, game.name) != game.rules):
        return find_game(game.name).stand_in
    return newest


def choose_game(names: Sequence[str], name: str | None, options: Mapping[str, int]) -> AnyGame:
    """What is played, by the players' *names* and what was asked for.

    Args:
        names: The players. If no options were asked for, the first who was made for the game
            brings its board.
        name: The game's name, if one was asked for.
        options: The game's options, if any were.

    Raises:
        UnknownNameError: There is no such game.
        BadValueError: There is no such board, or the game does not have the options.
        ArenaError: A player's file can't be read.
    """
    if not options:
        return game_for(names, name)
    chosen = name or _owner_of(next(iter(options)))
    known = find_game(chosen).game.rules_type._fields
    for option in options:
        if option not in known:
            raise BadValueError(
                f"{option} is an option of {_owner_of(option)}, but this is {chosen}"
            )
    game: AnyGame = make_game(chosen, **options)
    return game


def choose_table(
    names: Sequence[str], game: str | None, options: Mapping[str, int], players: int | None = None
) -> AnyGame | None:
    """The game for more than two that is wanted; None if one for two is.

    Args:
        names: The players that were named, a person among them perhaps.
        game: The game's name, if one was asked for.
        options: Options of games, if any were asked for.
        players: How many are to sit there, if that was asked for.

    Raises:
        BadValueError: Options of different games were asked for, or not so many can sit there.
        ArenaError: A player's file can't be read.
    """
    if game is None and players is not None:
        game = next(name for name in game_names() if find_game(name).seats_option)
    if game is None and not options:
        others = [name for name in names if not _is_person(name)]
        game = game_for(others or [newest_opponent()]).name
    if game is None or not find_game(game).seats_option:
        if players is not None:
            raise BadValueError(f"players is for games of more than two, but this is {game}")
        return None
    for option in options:
        raise BadValueError(f"{option} is an option of {_owner_of(option)}, but this is {game}")
    return find_table(names, game, players)


def _owner_of(option: str) -> str:
    """The first game that has an *option* of this name."""
    return next(n for n in game_names() if option in find_game(n).game.rules_type._fields)


def _find_rules(name: str, game: str) -> tuple[int, ...] | None:
    """The rules by which a champion plays the *game* so called; None if it does not."""
    try:
        found = game_for([name])
    except ArenaError:  # a damaged run is not invited unasked
        return None
    return found.rules if found.name == game else None


def _is_person(name: str) -> bool:
    return name.strip() == PERSON


def _enter(stack: ExitStack, name: str, game: AnyGame) -> Player:
    player = find_player(name, game)
    stack.callback(player.close)
    return player


def _announce_compiling(players: Sequence[Player], game: AnyGame, screen: Screen) -> None:
    compiled = any(isinstance(player, CompiledPlayer) for player in players)
    if compiled and not any(cache_folder().rglob(f"{phrasebook_of(game).decider}*.nbi")):
        screen.say("Compiling the players for this machine, once (some seconds) ...")
