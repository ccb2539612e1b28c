"""Players by specification: the texts that name them on the command line and in recipes.

``random``, ``test-bot``, ``minimax:depth=4,noise=0.2``, ``rule:text,early=always``,
``file:champion.safetensors``, ``process:"python my_bot.py"``, ``human``: a kind, then what it needs
after a colon. Floors above add kinds of their own with :func:`register_player`.

Some kinds run code that is not ours. A specification may come from a file of somebody else, so
:func:`make_player` makes these only if its caller says that the user asked for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote
from evolve_arena.core.files import read_file
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import GAMES
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.minimax import parse_minimax
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.player import Player, check_board
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.players.scripted import make_random, make_test_bot
from evolve_arena.players.storage import LARGEST, read_player

__all__ = [
    "NotPermittedError",
    "Permit",
    "PlayerKind",
    "make_player",
    "permit_all",
    "player_kinds",
    "register_player",
    "runs_code",
]

Maker = Callable[[str, Any], Player]

Permit = Callable[[str], None]
"""Is told of a specification that runs code, before it does; it raises an error to prevent it."""


class NotPermittedError(ArenaError):
    """A player that would run code for which nobody has the user's word."""


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player that a specification can name."""

    form: str
    """How it is written, such as ``file:PATH``."""
    summary: str
    """What it does, in one sentence."""
    make: Maker
    """Makes one from what stands after the colon, for a game."""
    optional: bool = False
    """Whether the name alone will do, for what is written after the colon."""
    games: tuple[str, ...] = tuple(GAMES)
    """The games that it can play."""
    runs_code: bool = False
    """Whether what stands after the colon is run: a program, or a file of Python code."""


def refuse_all(specification: str) -> None:
    """Lets no player run code.

    Raises:
        NotPermittedError: Always.
    """
    raise NotPermittedError(f"player {specification!r} would run a program, which is not for here")


def permit_all(specification: str) -> None:
    """Lets every player run code: for what the user himself typed."""


def make_player(specification: str, game: AnyGame, permit: Permit = refuse_all) -> Player:
    """The player that *specification* names.

    Args:
        specification: Such as ``random`` or ``minimax:depth=4``.
        game: What it plays.
        permit: Decides on players that run code.

    Raises:
        NotPermittedError: It would run code, and *permit* does not let it.
        UnknownNameError: No kind bears the name.
        BadValueError: What stands after the colon is missing, too much, or of no use.
        ArenaError: A file can't be read, or holds a player of another game.
    """
    kind, colon, argument = specification.strip().partition(":")
    if kind not in _KINDS:
        raise UnknownNameError("player", specification.strip(), [k.form for k in _KINDS.values()])
    form = _KINDS[kind].form
    if game.name not in _KINDS[kind].games:
        others = ", ".join(k.form for k in _KINDS.values() if game.name in k.games)
        raise BadValueError(f"player {kind} does not play {game.name} (there are: {others})")
    missing = not argument.strip() and (bool(colon) or not _KINDS[kind].optional)
    if missing if ":" in form else colon:
        raise BadValueError(f"player {quote(specification)}: write {form}")
    if _KINDS[kind].runs_code:
        permit(specification)
    player = _KINDS[kind].make(argument.strip(), game)
    check_board(player, game.rules)
    return player


def runs_code(specification: str) -> bool:
    """Whether *specification* names a player that runs code of its own."""
    kind = _KINDS.get(specification.strip().partition(":")[0])
    return kind is not None and kind.runs_code


def player_kinds() -> dict[str, PlayerKind]:
    """All kinds by name."""
    return dict(_KINDS)


def register_player(name: str, kind: PlayerKind) -> None:
    """Adds a *kind*, or replaces the one of that *name*."""
    _KINDS[name] = kind


def _make_from_file(argument: str, game: AnyGame) -> Player:
    path = Path(argument)
    try:
        return read_player(read_file(path, LARGEST), path.stem)
    except OSError as error:
        raise ArenaError(f"player file:{argument}: {error.strerror}") from None
    except (DamagedFileError, NewerFormatError) as error:
        raise type(error)(f"player file:{argument}: {error}") from None


def _make_process(argument: str, game: AnyGame) -> Player:
    dialect: str | None = None
    if argument.startswith("dialect="):
        dialect, _, argument = argument.removeprefix("dialect=").partition(",")
    command = argument.strip()
    quote = command[:1]
    if quote in ("'", '"') and len(command) > 1 and command.find(quote, 1) == len(command) - 1:
        command = command[1:-1]
    return ProcessPlayer(game, command, dialect=dialect)


_KINDS: dict[str, PlayerKind] = {
    "random": PlayerKind(
        "random", "plays any legal move", lambda argument, game: make_random(game)
    ),
    "test-bot": PlayerKind(
        "test-bot",
        "completes or blocks a stack that is one short of a line, else plays at random",
        lambda argument, game: make_test_bot(game),
        games=(ConnectFour.name,),
    ),
    "minimax": PlayerKind(
        "minimax:depth=4,noise=0.2",
        "searches 1 to 12 plies deep, of 5 moves plays one at random",
        parse_minimax,
        optional=True,
        games=(Checkers.name, ConnectFour.name),
    ),
    "rule": PlayerKind(
        "rule:text,early=always",
        "the rule player of Łabno (2018), in a reading of his description",
        make_rule_player,
        optional=True,
        games=(TicketToRide.name,),
    ),
    "file": PlayerKind("file:PATH", "a network from a champion.safetensors", _make_from_file),
    "process": PlayerKind(
        'process:"COMMAND"',
        "a program that speaks the game's usual dialect (or process:dialect=riddles,COMMAND)",
        _make_process,
        games=(Checkers.name, ConnectFour.name),
        runs_code=True,
    ),
    "human": PlayerKind("human", "you, at this terminal", lambda argument, game: HumanPlayer(game)),
}
