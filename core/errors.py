"""What can go wrong, as exceptions.

Everything that this project raises on purpose is here or descends from :class:`ArenaError`.
"""

from __future__ import annotations

import difflib
import reprlib
import textwrap
from collections.abc import Iterable

LONGEST = 300
"""How many characters the text of an error has at most."""
MOST_LISTED = 100
"""How many of them list what is known, if somebody mistyped a name."""

_QUOTED = reprlib.Repr()
_QUOTED.maxstring = _QUOTED.maxlong = _QUOTED.maxother = 60
_QUOTED.maxlist = _QUOTED.maxtuple = _QUOTED.maxdict = 10


def one_line(text: str, most: int = LONGEST) -> str:
    r"""*text* in one line of at most *most* characters: the middle of a longer one is left out.

    Whatever would move the cursor, or can't be written at all, is written as ``repr`` does.

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
    """*value* as Python code writes it, but short: long texts, lists and numbers lack their middle.

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
"""Whether errors are for somebody who types commands; else they are for who writes Python."""


def spell(option: str, python: str) -> str:
    """How a message names an option: as commands have it, or as *python* code.

    >>> spell("--force", "force=True")
    'force=True'
    """
    return option if at_command_line else python


class ArenaError(Exception):
    """Base of all errors that are the caller's to mend.

    Its text is one clear line of at most :data:`LONGEST` characters, see :func:`one_line`.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))


class PositionError(ArenaError):
    """A text that describes no position."""


class IllegalMoveError(ArenaError):
    """A move that the rules do not allow in this position."""


class GameOverError(IllegalMoveError):
    """A move in a game that has ended."""


class BadValueError(ArenaError):
    """A value out of range: the text names the key, the value and what was expected."""


class UnknownNameError(ArenaError):
    """A name that nothing bears, with the nearest one that something does.

    >>> print(UnknownNameError("colour", "grean", ["red", "green"]))
    unknown colour 'grean': did you mean 'green'? (known: green, red)
    >>> print(UnknownNameError("player", "minmax:depth=2", ["minimax:depth=4"]))
    unknown player 'minmax:depth=2': did you mean 'minimax:depth=2'? (known: minimax:depth=4)
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        self.known = names
        """The names that something bears."""
        heads = {form.partition(":")[0]: form for form in names}  # as in file:PATH
        head = str(name)[:LONGEST].partition(":")[0]
        found = difflib.get_close_matches(head, heads, n=1, cutoff=0.5)
        near = [heads[head] for head in found]
        argument = str(name)[:LONGEST].partition(":")[2]
        meant = f"{found[0]}:{argument}" if near and argument and ":" in near[0] else "".join(near)
        hint = f" did you mean {meant!r}?" if near else ""
        listed = textwrap.shorten(", ".join(names), MOST_LISTED, placeholder=" ...")
        super().__init__(f"unknown {kind} {quote(name)}:{hint} (known: {listed})")
        self.name = name
        """The name that was asked for."""
        self.nearest = near[0] if near else None
        """The known name nearest to it, if one is near."""
