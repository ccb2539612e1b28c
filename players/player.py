"""Base classes of players: any player, and one that compiled code can play."""

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
from evolve_arena.core.types import Move, Position
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.packed import PackedPlayers, simple_player
from evolve_arena.players.text_ui import find_text_ui


class Player(ABC):
    """A player, which chooses moves. It may play many games, one after the other.

    To write a player, derive a class with a method :meth:`choose`; everything else is optional.
    A player named by its class is constructed with the game: ``Cautious(game)``.

    Args:
        game: Game to play; None if the player can play any.

    >>> class First(Player):
    ...     def choose(self, position, stream):
    ...         return self.game.legal_moves(position)[0]
    """

    name: str
    """Name in tables; by default that of the class."""
    game: Any = None
    """Game that it plays; None if it can play any."""

    def __init__(self, game: AnyGame | None = None) -> None:
        self.game = game

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    def check_ready(self) -> None:  # noqa: B027  (most players can play if they exist)
        """Check before the first game that this player can play at all.

        Raises:
            BadValueError: It cannot.
        """

    def begin(self, side: int) -> None:  # noqa: B027  (most players need not know)
        """Prepare for a game in seat *side*; seat 0 moves first."""

    @abstractmethod
    def choose(self, position: Position, rng: Stream) -> Any:
        """Return the move to play in *position*, where the game is not over.

        Args:
            position: State as far as the player may know it; methods of the game such as
                `Game.legal_moves` accept it.
            rng: Random numbers of the match. A player that uses no others plays the same match
                again from the same seed; see :meth:`pick`.
        """

    def pick(self, moves: Sequence[Move], rng: Stream) -> Move:
        """Return one of *moves*, each with the same probability."""
        return moves[int(below(rng, len(moves)))]

    def move(self, position: Position, seed: int = 0) -> Any:
        """Return the move to play in *position* outside a match; *seed* makes it repeatable."""
        return self.choose(position, new_stream(seed))

    def values(self, position: Position) -> dict[Any, float]:
        """Return a value for each legal move in *position*: the higher, the better.

        Infinity marks a move that wins, minus infinity one that loses.

        Raises:
            BadValueError: The player does not value its moves, or chance or hidden information
                leaves the values open.
        """
        ui = find_text_ui(self.game) if self.game is not None else None
        if ui is None or not ui.has_values(self):
            raise BadValueError(f"{self.name} gives no values to its moves")
        return dict(ui.find_values(self, position))

    def end(self) -> None:  # noqa: B027
        """Finish a game."""

    def close(self) -> None:  # noqa: B027
        """Free the player's resources; it is not used any more."""


class CompiledPlayer(Player):
    """A player stored as arrays, so that whole matches can run in compiled code.

    Args:
        game: Game to play.
        packed: Arrays of this one player.
        name: Name in tables.
    """

    game: AnyGame

    def __init__(self, game: AnyGame, packed: PackedPlayers, name: str) -> None:
        self.game = game
        self.packed = packed
        self.name = name
        self._spec = find_game(game.name)
        self._workspace = self._spec.kernel.make_workspace(game.rules, packed)

    def choose(self, position: Position, rng: Stream) -> Any:
        """Return the move that the match kernel would play.

        Raises:
            BadValueError: The position belongs to another game or board.
        """
        check_board(self, position.rules)
        workspace = self._workspace._replace(streams=rng)
        variant = find_variant(self._spec, self.game.rules, self.packed)
        number = self._spec.kernel.decide(
            variant, self.game.rules, self.packed, position, workspace
        )
        return self.game.move_of(number)


def check_board(player: Player, rules: tuple[int, ...]) -> None:
    """Check that *player* can play by *rules*.

    Raises:
        BadValueError: It was made for another board or another game.
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
    """Test whether *here* equals the rules of *game*, except for the number of seats."""
    if type(game.rules) is not type(here):
        return False
    option = find_game(game.name).seats_option
    own = game.rules._replace(**{option: getattr(here, option)}) if option else game.rules
    return bool(own == here)


def distinct_names(names: list[str]) -> tuple[str, ...]:
    """Return *names*, with numbers appended to those that occur more than once.

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
    """Reason for which a game was forfeited."""

    ILLEGAL_MOVE = "illegal move"
    TIMEOUT = "time-out"
    CRASH = "crash"
    GARBAGE = "garbage"
    FLOOD = "flood"
    RESIGNED = "resigned"


class ForfeitError(ArenaError):
    """Raised by a player that cannot continue, and so loses the game.

    Args:
        kind: Reason of the forfeit.
        sentence: Explanation, as a whole sentence.

    Attributes:
        errors: Last lines of the program's standard error, safe to print.
    """

    def __init__(self, kind: Forfeit, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.errors: tuple[str, ...] = ()


def make_random(game: AnyGame) -> CompiledPlayer:
    """Return a player that plays legal moves uniformly at random."""
    return CompiledPlayer(game, simple_player(RECORD_FIELDS), "random")
