"""Specifications of players: the texts that name them on the command line and in recipes.

``random``, ``test-bot``, ``minimax:depth=4,noise=0.2``, ``rule:text,early=always``,
``file:champion.safetensors``, ``process:"python my_bot.py"``, ``human``: a kind, then a colon and
its settings. Layers above add kinds with :func:`register_player`. A class of your own is written
``my_bots.py:Cautious``, or by the name under which it was registered.

Some kinds run foreign code. A specification may come from another person's file, so
:func:`make_player` makes these only if its caller confirms that the user asked for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote
from evolve_arena.core.files import explain_unread
from evolve_arena.core.game import AnyGame, PlayerKind
from evolve_arena.core.registry import find_game, game_names, study_players
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import JsonObject, Position
from evolve_arena.core.user_code import (
    AbsentCode,
    UserCodeError,
    call,
    find_code,
    find_file,
    is_reference,
    name_of,
    open_code,
)
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.players.evolved import read_player_file
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.player import Player, check_board, make_random
from evolve_arena.players.process import ProcessPlayer

NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
SEARCH = re.compile(r"((?:, *[a-z]+ *=[^,]*)+)$")
"""Pattern of the settings of a search after the path of an evolved player."""
EVOLVED = ("run", "file")
Permit = Callable[[str], None]
"""Callback before a specification's code is run; it raises an error to prevent that."""


class NotPermittedError(ArenaError):
    """Raised for a player that would run code without the user's consent."""


def refuse_all(specification: str) -> None:
    """Let no player run code.

    Raises:
        NotPermittedError: Always.
    """
    raise NotPermittedError(
        f"player {specification!r} would run a program, which is not allowed here"
    )


def permit_all(specification: str) -> None:
    """Let every player run code: for specifications that the user typed."""


def make_player(specification: str, game: AnyGame, permit: Permit = refuse_all) -> Player:
    """Return the player that *specification* names.

    Args:
        specification: Text such as ``random`` or ``minimax:depth=4``.
        game: Game to play.
        permit: Callback that may refuse players that run code.

    Raises:
        NotPermittedError: It would run code, and *permit* refuses.
        UnknownNameError: There is no kind of that name.
        BadValueError: The settings after the colon are missing, superfluous or invalid.
        ArenaError: A file cannot be read, or holds a player of another game.
    """
    if (own := _find_class(specification.strip(), permit)) is not None:
        return _make_own(own, game)
    kind, colon, argument = specification.strip().partition(":")
    known = player_kinds(game.name)
    if kind not in known:
        forms = [k.form for k in known.values()]
        if others := games_of(kind):
            raise BadValueError(
                f"player {kind} plays {' and '.join(others)}, not {game.name} (there are:"
                f" {', '.join(forms)})"
            )
        if kind in game_names():
            raise BadValueError(f"{kind} is a game and no player: name a player, and --game {kind}")
        if not colon:
            forms = [name if k.optional else k.form for name, k in known.items()]
        raise UnknownNameError("player", specification.strip(), [*forms, "MY_BOTS.py:CLASS"])
    form = known[kind].form
    missing = not argument.strip() and (bool(colon) or not known[kind].optional)
    if missing if ":" in form else colon:
        raise BadValueError(f"player {quote(specification)}: write {form}")
    if known[kind].runs_code:
        permit(specification)
    path, search = split_search(argument.strip()) if kind in EVOLVED else (argument.strip(), "")
    player: Player = known[kind].make(path, game)
    if search:
        player = _add_search(player, f"{kind}:{path}", search)
    check_board(player, game.rules)
    return player


def split_search(argument: str) -> tuple[str, str]:
    """Split the path of an evolved player from the settings of its search.

    >>> split_search("evolved/first@20,depth=4,noise=0.1"), split_search("a, b")
    (('evolved/first@20', 'depth=4,noise=0.1'), ('a, b', ''))
    """
    found = SEARCH.search(argument)
    if not found or os.path.exists(argument):
        return argument, ""
    return argument[: found.start()].strip(), found[1][1:].strip()


def _add_search(player: Player, specification: str, settings: str) -> Player:
    """Return the search with *settings* that values positions by *player*.

    Raises:
        BadValueError: The game has no such search.
    """
    kind = "mcts" if re.search("rollouts|exploration", settings) else "minimax"
    known = player_kinds(player.game.name)
    if kind not in known or not known[kind].takes_values:
        raise BadValueError(
            f"player {quote(f'{specification},{settings}')}: there is no search over evolved"
            f" players in {player.game.name}"
        )
    text = f"{settings},values={specification}"
    try:
        found: Player = known[kind].make(text, player.game)
    except BadValueError as error:
        told = str(error).replace(f"player {kind}:{text}", f"player {specification},{settings}")
        raise BadValueError(told) from None
    found.name = f"{player.name},{settings}"
    return found


def runs_code(specification: str, game: str) -> bool:
    """Test whether *specification* names a player of *game* that runs foreign code.

    A file with a digest was run before, with the user's consent.
    """
    if is_reference(specification):
        return find_file(specification) is None
    kind = player_kinds(game).get(specification.strip().partition(":")[0])
    return kind is not None and kind.runs_code


def player_kinds(game: str) -> dict[str, PlayerKind]:
    """Return all kinds of players of a *game*, by name."""
    spec = find_game(game)
    usual = {name: kind for name, kind in KINDS.items() if name != "process" or spec.dialects}
    return {**usual, **spec.players, **study_players(game)}


def games_of(kind: str) -> list[str]:
    """Return the games that have a *kind* of player; none if all have it."""
    if kind in KINDS and kind != "process":  # programs play where there are dialects
        return []
    return [name for name in game_names() if kind in player_kinds(name)]


def make_by_settings(
    kind: str,
    text: str,
    readers: Mapping[str, Callable[[str], object]],
    make: Callable[..., Player],
) -> Player:
    """Return the player that *make* makes of the settings in a *text*, as in ``minimax:TEXT``.

    Args:
        kind: Kind of player, for messages.
        text: Text after the colon, such as ``depth=4,noise=0.2``.
        readers: Parsers of values by the name of the setting, the most common one first.
        make: Makes the player; its keyword arguments are the settings that are given.

    Raises:
        UnknownNameError: A setting is unknown.
        BadValueError: A value is invalid, out of range, or set twice.
    """
    settings = read_settings(kind, text, readers)
    try:
        return make(**settings)
    except BadValueError as error:
        raise BadValueError(f"player {kind}:{text}: {error}") from None


def read_settings(
    kind: str, text: str, readers: Mapping[str, Callable[[str], object]]
) -> JsonObject:
    """Parse a *text* such as ``depth=4,noise=0.2``, in any order.

    A number alone is a value of the first one, if it comes first: ``4,noise=0.2``.

    Args:
        kind: Kind of player, for messages.
        text: Text after the colon.
        readers: Parsers of values by the name of the setting, the most common one first.

    Raises:
        UnknownNameError: A setting is unknown.
        BadValueError: A value is invalid, or set twice.
    """
    values: JsonObject = {}
    for place, setting in enumerate(text.split(",") if text.strip() else ()):
        name, _, value = (part.strip() for part in setting.partition("="))
        if not place and NUMBER.fullmatch(setting.strip()):  # minimax:4
            name, value = next(iter(readers)), name
        if name not in readers:
            raise UnknownNameError(f"setting of {kind}", name, readers)
        if name in values:
            raise BadValueError(f"player {kind}:{text}: {name} is set twice")
        try:
            values[name] = readers[name](value)
        except BadValueError as error:
            raise BadValueError(
                f"player {kind}:{text}: {name} is {quote(value)}: {error}"
            ) from None
    return values


def read_whole(text: str) -> int:
    """Parse a whole number of up to 18 digits.

    Raises:
        BadValueError: The text is no such number.
    """
    if not re.fullmatch("[+-]?[0-9]{1,18}", text, re.ASCII):
        raise BadValueError("it must be a whole number")
    return int(text)


def read_time(text: str) -> float:
    """Parse a time such as ``100ms``, ``2s`` or ``0.5``; return seconds.

    Raises:
        BadValueError: The text is no time.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) *(ms|s|)", text, re.ASCII)
    if not found:
        raise BadValueError("it must be a time such as 100ms or 2s")
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def read_number(text: str) -> float:
    """Parse a number, such as ``0.2``.

    Raises:
        BadValueError: The text is no number.
    """
    try:
        return float(text)
    except ValueError:
        raise BadValueError("it must be a number") from None


def register_player(name: str, kind: PlayerKind) -> None:
    """Add a *kind*, or replace the one of that *name*."""
    KINDS[name] = kind


def _find_class(specification: str, permit: Permit) -> object | None:
    """Return the user's class that *specification* names, or None; *permit* may refuse a file."""
    if is_reference(specification) and find_file(specification) is None:
        permit(specification)
        path, _, name = specification.rpartition(":")
        return find_code(f"{Path(path).name}@{open_code(Path(path))}:{name}")
    return find_code(specification)


class _AbsentPlayer(Player):
    """A placeholder for a player whose class is missing."""

    def __init__(self, code: AbsentCode, game: AnyGame) -> None:
        super().__init__(game)
        self.name, self.check_ready = code.__name__, code  # type: ignore[method-assign]

    def choose(self, position: Position, rng: Stream) -> None:
        """Raise the error that names the missing class."""
        self.check_ready()


def _make_own(own: object, game: AnyGame) -> Player:
    """Return a player of the user's own class.

    Raises:
        UserCodeError: It is no class of players, or cannot be constructed.
    """
    if isinstance(own, AbsentCode):
        return _AbsentPlayer(own, game)
    if not (isinstance(own, type) and issubclass(own, Player)):
        raise UserCodeError(f"{name_of(own)} is no player: it must be a subclass of Player")
    player: Player = call(own, game)
    if player.game is None:
        player.game = game
    check_board(player, game.rules)
    return player


def _make_from_file(argument: str, game: AnyGame) -> Player:
    path = Path(argument)
    try:
        return read_player_file(path, path.stem, follow=True)
    except OSError as error:
        raise ArenaError(f"player file:{argument}: {explain_unread(error, path)}") from None
    except (BadValueError, DamagedFileError, NewerFormatError) as error:
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


KINDS: dict[str, PlayerKind] = {
    "random": PlayerKind(
        "random", "plays any legal move", lambda argument, game: make_random(game)
    ),
    "file": PlayerKind("file:PATH", "a network from a champion.safetensors", _make_from_file),
    "process": PlayerKind(
        'process:"COMMAND"',
        "a program that speaks the game's usual dialect (or process:dialect=plain,COMMAND)",
        _make_process,
        runs_code=True,
    ),
    "human": PlayerKind("human", "you, at this terminal", lambda argument, game: HumanPlayer(game)),
}
"""Kinds of players that all games have, by name; programs need a dialect of the game."""
