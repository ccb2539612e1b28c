"""What every player offers, and the base of those that compiled code plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, game_of
from evolve_arena.core.stream import Stream, below, new_stream
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.packed import PackedPlayers, simple_player
from evolve_arena.players.text_ui import find_text_ui


class Player(ABC):
    """Decides moves. One player may play many games, one after the other.

    A player of your own is a subclass with a method :meth:`choose`; everything else is optional.
    Where its class is named, it is made for a game: ``Cautious(game)``.

    Args:
        game: What it plays; None if it plays any.

    >>> class First(Player):
    ...     def choose(self, position, stream):
    ...         return self.game.legal_moves(position)[0]
    """

    name: str
    """How tables call it; its class's name unless it says something else."""
    game: Any = None
    """What it plays; None if it plays any game."""

    def __init__(self, game: AnyGame | None = None) -> None:
        self.game = game

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    def check_ready(self) -> None:  # noqa: B027  (most players can play if they exist)
        """Finds out, before any game, whether this player can play at all.

        Raises:
            BadValueError: It can't.
        """

    def begin(self, side: int) -> None:  # noqa: B027  (most players need not know)
        """Called before each game; *side* is 0 if this player moves first."""

    @abstractmethod
    def choose(self, position: Any, stream: Stream) -> Any:
        """The move to play in *position*, which is not over; chance comes from *stream*.

        Args:
            position: What this player may know of it; `Game.legal_moves` and the like take it.
            stream: The match's random numbers: whoever takes chance from there alone plays the same
                match again; see :meth:`pick`.
        """

    def pick(self, moves: Sequence[Any], stream: Stream) -> Any:
        """Any of *moves*, each with the same probability."""
        return moves[below(stream, len(moves))]

    def move(self, position: Any, seed: int = 0) -> Any:
        """The move to play in *position*, outside of any match; chance comes from *seed*."""
        return self.choose(position, new_stream(seed))

    def values(self, position: Any) -> dict[Any, float]:
        """What it thinks of each move in *position*: the higher the better.

        Infinity stands for a move that wins, and minus infinity for one that loses.

        Raises:
            BadValueError: It does not weigh its moves, or chance or what is hidden forbids to tell.
        """
        ui = find_text_ui(self.game) if self.game is not None else None
        if ui is None or not ui.has_values(self):
            raise BadValueError(f"{self.name} gives no values to its moves")
        return dict(ui.find_values(self, position))

    def end(self) -> None:  # noqa: B027
        """Called after each game."""

    def close(self) -> None:  # noqa: B027
        """Called when the player is no longer needed: frees what it holds."""


class CompiledPlayer(Player):
    """A player that exists as arrays, so that whole matches can run in compiled code.

    Args:
        game: What it plays.
        packed: The player, packed; the only one in there.
        name: How tables call it.
    """

    game: AnyGame

    def __init__(self, game: AnyGame, packed: PackedPlayers, name: str) -> None:
        self.game = game
        self.packed = packed
        self.name = name
        self._spec = find_game(game.name)
        self._workspace = self._spec.kernel.make_workspace(game.rules, packed)

    def choose(self, position: Any, stream: Stream) -> Any:
        """The very move that the match kernel would play.

        Raises:
            BadValueError: The position is of another board.
        """
        check_board(self, position.rules)
        workspace = self._workspace._replace(streams=stream)
        variant = find_variant(self._spec, self.game.rules, self.packed)
        number = self._spec.kernel.decide(
            variant, self.game.rules, self.packed, position, workspace
        )
        return self.game.move_of(number)


def check_board(player: Player, rules: tuple[int, ...]) -> None:
    """Makes sure that *player*, if it is made for one board, plays by *rules*.

    Raises:
        BadValueError: It is made for another board, or another game.
    """
    game: AnyGame | None = getattr(player, "game", None)
    if game is None or _play_alike(game, rules):
        return
    here = game_of(rules)
    if game.name != here.name:
        raise BadValueError(f"player {player.name!r} plays {game.name}, but this is {here.name}")
    raise BadValueError(
        f"player {player.name!r} plays on {game.describe()}, but this game has {here.describe()}"
    )


def _play_alike(game: AnyGame, here: Any) -> bool:
    """Whether the rules are the same, however many play."""
    if type(game.rules) is not type(here):
        return False
    option = find_game(game.name).seats_option
    own = game.rules._replace(**{option: getattr(here, option)}) if option else game.rules
    return bool(own == here)


def distinct_names(names: list[str]) -> tuple[str, ...]:
    """*names*, with a number behind those that occur more than once.

    >>> distinct_names(["random", "test-bot", "random"])
    ('random #1', 'test-bot', 'random #2')
    """
    taken = {name for name in names if names.count(name) == 1}
    result = []
    for name in names:
        number = 1
        free = name
        if names.count(name) > 1:
            while (free := f"{name} #{number}") in taken:
                number += 1
            taken.add(free)
        result.append(free)
    return tuple(result)


class Forfeit(StrEnum):
    """Why a game was forfeited."""

    ILLEGAL_MOVE = "illegal move"
    TIMEOUT = "time-out"
    CRASH = "crash"
    GARBAGE = "garbage"
    FLOOD = "flood"
    RESIGNED = "resigned"


class ForfeitError(ArenaError):
    """Raised by a player that cannot or may not go on: it loses this game.

    Args:
        kind: Why.
        sentence: What happened, as a whole sentence.

    Attributes:
        errors: The last lines that a program wrote to its standard error, harmless to print.
    """

    def __init__(self, kind: Forfeit, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.errors: tuple[str, ...] = ()


def make_random(game: AnyGame) -> CompiledPlayer:
    """A player that picks any legal move, each with the same probability."""
    return CompiledPlayer(game, simple_player(RECORD_FIELDS), "random")
