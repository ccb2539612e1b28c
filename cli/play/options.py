"""The options of ``evolve play``, and the session that they ask for: players, game, first seat."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evolve_arena.cli.play.screen import Screen
from evolve_arena.cli.play.session import Plan, Session
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame, Game
from evolve_arena.core.registry import default_game, find_game, game_names, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Move, State
from evolve_arena.players.player import Player
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.players import fill_seats, find_player, game_for, with_seats
from evolve_arena.runs.store.kept_games import check_ending

PERSON = "human"
PAUSE = 0.5
"""Seconds between the moves of programs on a terminal."""


@dataclass(frozen=True)
class PlayOptions:
    """Options of games to play or to watch; all have defaults."""

    names: Sequence[str] = ()
    """Names of the players. A single one is the opponent of a person; if there is none, the
    opponent is the champion of the newest run, or a scripted player. Fewer names than seats are
    used in turn."""
    game: str | None = None
    """Name of the game; if None, the game of the first player that was made for one, else the game
    that has the *options*, else the default game."""
    options: Mapping[str, int] = field(default_factory=dict)
    """The game's options. If there are none, those of a player's own board are used."""
    seats: int | None = None
    """Number of players, in games for more than two."""
    first: bool | None = None
    """True if the person moves first in the first game; if no person or several people play, the
    first player named. If None, the first seat is drawn at random; after *moves* a person is to
    move."""
    games: int | None = None
    """Number of games; if None, people are asked after each one."""
    opening_plies: int = 0
    """Number of random plies that open each game."""
    moves: str = ""
    """Opening moves of each game, in its notation."""
    advisor: str | None = None
    """Name of the player that gives hints; if None, the first opponent."""
    values: bool = False
    """True to show before each move how a program rates the moves."""
    delay: float | None = None
    """Seconds between moves of programs; if None, half a second on a terminal."""
    seed: int | None = None
    """Seed of openings and players; a new one if None."""
    keep_games: Path | None = None
    """File to whose end finished games are written; its name ends in ``.jsonl``."""

    def play(self, screen: Screen) -> Session:
        """Play the games, and return the finished session.

        Raises:
            ArenaError: An option is not possible.
        """
        if self.keep_games:
            check_ending(self.keep_games)
        game = self._choose_game()
        names = self._find_names(game)
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
            keep_games=self.keep_games,
        )
        with ExitStack() as stack:
            players = [_enter(stack, name, game) for name in names]
            hints = partial(find_player, advisor, game) if advisor else None
            session = Session(game, players, plan, screen, hints)
            session.run()
        replay = find_text_ui(game).replay()
        if session.matches and replay:
            screen.say(f"To look at a game again: {replay}")
        if self.seed is None:
            screen.say(f"The seed was {seed}.")
        return session

    def _choose_game(self) -> AnyGame:
        """Return the game that the options or the players' names determine."""
        named = [*self.names, *([self.advisor] if self.advisor else [])]
        name = self.game
        if name is None and self.seats is not None:
            several = [game for game in game_names() if find_game(game).seats_option]
            name = max(several, key=lambda game: make_game(game).seats)
        if self.options:
            name = name or _owner_of(next(iter(self.options)))
            known = find_game(name).game.rules_type._fields
            for option in self.options:
                if option not in known:
                    owner = _owner_of(option)
                    raise BadValueError(f"{option} is an option of {owner}, but this is {name}")
            game: AnyGame = make_game(name, **self.options)
        else:
            programs = [name for name in named if not _is_person(name)]
            newest = [] if programs or name else [newest_opponent()]
            game = game_for([*programs, *newest], name)
        seats = self.seats
        if seats is None and len(self.names) > 1 and find_game(game.name).seats_option:
            seats = len(self.names)
        return with_seats(game, seats)

    def _find_names(self, game: AnyGame) -> list[str]:
        """Return the players' names by seat; champions of other boards are not defaults."""
        names = [name.strip() for name in self.names]
        people = sum(map(_is_person, names))
        if len(names) > game.seats:
            raise BadValueError(f"{len(names)} players are named, and {game.seats} can play")
        if people > 1 and not find_text_ui(game).is_open:
            raise BadValueError("one person can play at a terminal: others would see hidden cards")
        if len(names) == game.seats or (people == 0 and len(names) > 1):
            return fill_seats(names, game.seats)
        others = [name for name in names if not _is_person(name)]
        others = others or [newest_opponent(game=game, exactly=bool(self.options))]
        return [PERSON, *fill_seats(others, game.seats - 1)]

    def _read_moves(self, game: Game[State, Move]) -> tuple[Move, ...]:
        if self.moves.split() and self.opening_plies:
            raise BadValueError("moves and openings: a game begins with one or the other")
        ui = find_text_ui(game)
        if self.opening_plies and find_game(game.name).has_chance:
            raise BadValueError(f"--openings is not for {game.name}")
        if self.values and not ui.is_open:
            raise BadValueError(f"--values is not for {game.name}")
        return ui.read_game(self.moves)

    def _find_first(self, names: Sequence[str], seed: int, moves: Sequence[object]) -> int:
        """Return the seat of the first of *names* in the first game."""
        people = [number for number, name in enumerate(names) if _is_person(name)]
        subject = people[0] if len(people) == 1 else 0
        seats = len(names)
        if self.first is not None:
            begins = 0 if self.first else 1
        elif moves and people:
            begins = len(moves) % seats
        else:
            begins = int(derive_seeds(seed, 0, "who begins", 1)[0] % seats)
        return (begins - subject) % seats


def newest_opponent(
    folder: Path | str = "evolved", game: AnyGame | None = None, *, exactly: bool = False
) -> str:
    """Return the run in *folder* with the newest champion; a scripted player if there is none.

    Args:
        folder: Directory of runs.
        game: Game that the champion must play; any game if None.
        exactly: True if its options must be the same too.
    """
    champions = [
        file
        for file in Path(folder).glob("*/champion.safetensors")
        if (file.parent / "recipe.toml").is_file()
    ]
    champions.sort(key=lambda file: file.stat().st_mtime_ns, reverse=True)
    names = [f"run:{file.parent}" for file in champions]
    if game is None:
        return names[0] if names else find_game(default_game()).opponents[0]
    newest = next((name for name in names if _find_rules(name, game.name)), None)
    if newest is None or (exactly and _find_rules(newest, game.name) != game.rules):
        return find_game(game.name).opponents[0]
    return newest


def _owner_of(option: str) -> str:
    """Return the only game that has an *option* of this name.

    Raises:
        BadValueError: No game has it, or several have.
    """
    names = [name for name in game_names() if option in find_game(name).game.rules_type._fields]
    if not names:
        raise BadValueError(f"{option} is an option of no game")
    if len(names) > 1:
        raise BadValueError(f"{option} is an option of {', '.join(names)}: say which with --game")
    return names[0]


def _find_rules(name: str, game: str) -> tuple[int, ...] | None:
    """Return the rules by which a champion plays a *game*; None if it plays another one."""
    try:
        found = game_for([name])
    except ArenaError:  # a damaged run is no default opponent
        return None
    return found.rules if found.name == game else None


def _is_person(name: str) -> bool:
    return name.strip() == PERSON


def _enter(stack: ExitStack, name: str, game: AnyGame) -> Player | None:
    """Return the player called *name*, which *stack* closes; None for a person."""
    if _is_person(name):
        return None
    player = find_player(name, game)
    stack.callback(player.close)
    return player
