"""Exceptions that this package raises on purpose.

All of them descend from :class:`ArenaError`. Where Python has an exception for the case, they are
of that class, too: ``except ValueError`` catches a :class:`BadValueError`, and
``except LookupError`` an :class:`UnknownNameError`.
"""

from __future__ import annotations

import difflib
import reprlib
import textwrap
from collections.abc import Iterable

LONGEST = 300
"""Most characters of the text of an error."""
MAX_LISTED = 100
"""Most characters of the list of known names, for a mistyped one."""

_QUOTED = reprlib.Repr()
_QUOTED.maxstring = _QUOTED.maxlong = _QUOTED.maxother = 60
_QUOTED.maxlist = _QUOTED.maxtuple = _QUOTED.maxdict = 10


def one_line(text: str, most: int = LONGEST) -> str:
    r"""Return *text* in one line of at most *most* characters, without the middle of a longer one.

    Characters that would move the cursor, or can't be written at all, are written as ``repr`` does.

    >>> one_line("a title\nin \x1b[31mred"), one_line("0123456789" * 100, most=15)
    ('a title in \\x1b[31mred', '01234 ... 56789')
    """
    if len(text) > 2 * most:
        text = f"{text[:most]}{text[-most:]}"
    if not text.isprintable():
        text = "".join(_write_out(character) for character in text)
    if len(text) > most:
        half = (most - 5) // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return text


def quote(value: object) -> str:
    """Return *value* as Python code, but short: long texts, lists and numbers lack their middle.

    >>> quote("a word"), quote(10**80)
    ("'a word'", '1000000000000000000000000000...00000000000000000000000000000')
    >>> quote(10**5000)
    'an int too long to be written'
    """
    try:
        return _QUOTED.repr(value)
    except ValueError:  # Python writes no numbers of more than 4,300 digits
        return f"an {type(value).__name__} too long to be written"


def _write_out(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else repr(character)[1:-1]


at_command_line = False
"""True if errors speak to a user of the command line, False if to a caller from Python."""


def spell(option: str, python: str) -> str:
    """Return the name of an option in a message: *option* at the command line, else *python*.

    >>> spell("--force", "force=True")
    'force=True'
    """
    return option if at_command_line else python


class ArenaError(Exception):
    """Base of all errors that a caller can correct.

    Its text is one clear line of at most :data:`LONGEST` characters, see :func:`one_line`.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))


class PositionError(ArenaError):
    """Raised for a text that describes no position."""


class IllegalMoveError(ArenaError):
    """Raised for a move that the rules do not allow in this position."""


class GameOverError(IllegalMoveError):
    """Raised for a move in a game that has ended."""


class BadValueError(ArenaError, ValueError):
    """Raised for a value out of range; names the key, the value and the values that are allowed."""


class UnknownNameError(ArenaError, LookupError):
    """Raised for an unknown name; suggests the closest known one.

    >>> print(UnknownNameError("colour", "grean", ["red", "green"]))
    unknown colour 'grean': did you mean 'green'? (known: green, red)
    >>> print(UnknownNameError("player", "minmax:depth=2", ["minimax:depth=4"]))
    unknown player 'minmax:depth=2': did you mean 'minimax:depth=2'? (known: minimax:depth=4)
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        self.known = names
        """The known names, sorted."""
        heads = {form.partition(":")[0]: form for form in names}  # as in file:PATH
        head = str(name)[:LONGEST].partition(":")[0]
        found = difflib.get_close_matches(head, heads, n=1, cutoff=0.5)
        near = [heads[head] for head in found]
        argument = str(name)[:LONGEST].partition(":")[2]
        meant = f"{found[0]}:{argument}" if near and argument and ":" in near[0] else "".join(near)
        hint = f": did you mean {meant!r}?" if near else ""
        listed = textwrap.shorten(", ".join(names), MAX_LISTED, placeholder=" ...")
        super().__init__(f"unknown {kind} {quote(name)}{hint} (known: {listed})")
        self.kind = kind
        """The kind of the named thing, such as "game"."""
        self.name = name
        """The unknown name."""
        self.nearest = near[0] if near else None
        """The closest known name, or None if none is close."""

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str]]]:
        """Pickle the arguments of the constructor instead of the message."""
        return type(self), (self.kind, self.name, self.known)
