"""From what the command line says to a sitting: who plays, on which board, who begins."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from games.compiled import cache_folder
from games.connect_four import ConnectFour
from games.errors import BadValueError, IllegalMoveError, PositionError
from games.registry import make_game
from games.seeding import derive_seeds
from players.player import CompiledPlayer, Player
from runs.play.screen import Screen
from runs.play.sitting import Plan, Sitting
from runs.players import find_player, known_players

__all__ = ["Invitation", "newest_opponent"]

PERSON = "human"
STAND_IN = "test-bot"
"""Who plays if nothing was bred yet."""
STANDARD = {"columns": 7, "rows": 6, "connect": 4}
OWN_BOARDS = ("run", "file")
"""Kinds of players that are made for one board."""
PAUSE = 0.5
"""Seconds between the moves of two programs, if somebody is likely to look on."""


@dataclass(frozen=True)
class Invitation:
    """What somebody asks for who wants to play, or to watch; all of it may be left out."""

    names: Sequence[str] = ()
    """Up to two players; a single one is the opponent of a person. Without any, that is the
    champion of the newest run, or the test bot."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """``columns``, ``rows`` and ``connect``. If there are none, a player's own board counts."""
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
        game = find_board([*names, *([self.advisor] if self.advisor else [])], self.sizes)
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
            _announce_compiling(players, screen)
            hints = partial(find_player, advisor, game) if advisor else None
            sitting = Sitting(game, players, plan, screen, hints)
            sitting.run()
        if sitting.matches:
            screen.say("Look at a game again: evolve play --moves MOVES")
        if self.seed is None:
            screen.say(f"The seed was {seed}.")
        return sitting

    def _find_names(self) -> list[str]:
        """The two participants; a champion of another board is not invited unasked."""
        if self.names:
            return [PERSON, self.names[0]] if len(self.names) == 1 else list(self.names)
        opponent = newest_opponent()
        if self.sizes and find_board([opponent], {}).rules != find_board([], self.sizes).rules:
            opponent = STAND_IN
        return [PERSON, opponent]

    def _read_moves(self, game: ConnectFour) -> tuple[int, ...]:
        text = "".join(self.moves.split())
        if text and self.opening_plies:
            raise BadValueError("moves and openings: a game begins with one or the other")
        try:
            moves = tuple(game.parse_move(character) for character in text)
        except IllegalMoveError as error:
            raise PositionError(f"moves {self.moves!r}: {error}") from None
        game.parse_position(text)
        return moves

    def _find_first(self, names: Sequence[str], seed: int, moves: Sequence[int]) -> int:
        """Which of the two begins the first game."""
        people = [number for number, name in enumerate(names) if _is_person(name)]
        subject = people[0] if len(people) == 1 else 0
        begins = self.first
        if begins is None and moves and people:
            begins = len(moves) % 2 == 0
        elif begins is None:
            begins = int(derive_seeds(seed, 0, "who begins", 1)[0]) % 2 == 0
        return subject if begins else 1 - subject


def newest_opponent(folder: Path | str = "evolved") -> str:
    """The run in *folder* whose champion was written last; the test bot if there is none."""
    champions = [
        file
        for file in Path(folder).glob("*/champion.safetensors")
        if (file.parent / "recipe.toml").is_file()
    ]
    newest = max(champions, key=lambda file: file.stat().st_mtime_ns, default=None)
    return f"run:{newest.parent}" if newest else STAND_IN


def find_board(names: Sequence[str], sizes: Mapping[str, int]) -> ConnectFour:
    """The board of *sizes*; if there are none, that of the first player who has one of its own.

    Raises:
        BadValueError: There is no such board.
        ArenaError: A player's file can't be read.
    """
    for name in names if not sizes else ():
        kind, _, argument = name.strip().partition(":")
        if kind in OWN_BOARDS and argument.strip():
            player = known_players()[kind].make(argument.strip(), ConnectFour())
            if isinstance(player, CompiledPlayer) and isinstance(player.game, ConnectFour):
                return player.game
    return make_game("connect-four", **{**STANDARD, **sizes})


def _is_person(name: str) -> bool:
    return name.strip() == PERSON


def _enter(stack: ExitStack, name: str, game: ConnectFour) -> Player:
    player = find_player(name, game)
    stack.callback(player.close)
    return player


def _announce_compiling(players: Sequence[Player], screen: Screen) -> None:
    compiled = any(isinstance(player, CompiledPlayer) for player in players)
    if compiled and not any(cache_folder().rglob("connect_four.decide*.nbi")):
        screen.say("Compiling the players for this machine, once (some seconds) ...")
