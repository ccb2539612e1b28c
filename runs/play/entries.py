"""What a person may type at the table: a move, or a command."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from evolve_arena.core.errors import IllegalMoveError, UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.speech import speech_of

__all__ = ["COMMANDS", "Command", "read_entry"]

COMMANDS = {
    "undo": "take back your last move (undo 3: the last three)",
    "hint": "what the other player, or that of --hint, would play here",
    "values": "what a network thinks of each column",
    "swap": "change sides with the other player",
    "board": "the board again",
    "moves": "the moves so far",
    "new": "another game; an unfinished one does not count",
    "resign": "lose this game",
    "quit": "leave; the end of input (Ctrl-D) and Ctrl-C do too",
    "help": "this list",
}
"""Commands, and what they do. Their beginnings will do as well."""

SYNONYMS = {
    "h": "help",
    "?": "help",
    "back": "undo",
    "takeback": "undo",
    "take back": "undo",
    "value": "values",
    "again": "new",
    "yes": "new",
    "no": "quit",
    "exit": "quit",
    "bye": "quit",
}
COUNTED = re.compile(r"(\D+?)\s*(\d{1,3})")


class Command(NamedTuple):
    """A command, and how many times."""

    name: str
    times: int = 1


def read_entry(game: AnyGame, text: str, position: Any = None) -> Any:
    """The move or the command that *text* means.

    On boards of Connect Four so wide that letters number columns, a single letter may be a
    column; a longer beginning of a command, such as ``qu``, never is.

    Args:
        game: The rules.
        text: What was typed.
        position: Where the move is to be made; the beginning of a game, if None.

    Returns:
        A move or a :class:`Command`.

    Raises:
        IllegalMoveError: It looks like a move and is none.
        UnknownNameError: It looks like a command and is none.
        BadValueError: It is a move, and the game is over.

    >>> from evolve_arena.games.connect_four.game import ConnectFour
    >>> read_entry(ConnectFour(), " Column 3 "), read_entry(ConnectFour(), "UNDO 2")
    (3, Command(name='undo', times=2))
    """
    try:
        return speech_of(game).read(text, game.initial() if position is None else position)
    except IllegalMoveError:
        words = " ".join(text.lower().split()).rstrip(".!")
        if name := _find_command(words):
            return Command(name)
        if (match := COUNTED.fullmatch(words)) and _find_command(match[1]) == "undo":
            return Command("undo", int(match[2]))
        if len(words) > 1 and words.replace(" ", "").isalpha():
            raise UnknownNameError("command", words[:20], COMMANDS) from None
        raise


def _find_command(word: str) -> str | None:
    if word in SYNONYMS:
        return SYNONYMS[word]
    near = [name for name in COMMANDS if word and name.startswith(word)]
    return near[0] if len(near) == 1 else None
