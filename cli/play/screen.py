"""The terminal as games use it: what is said, what is asked, where boards are shown."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from io import TextIOWrapper
from typing import TextIO

from evolve_arena.core.errors import one_line

LONGEST_LINE = 10_000
"""Characters of a line; the moves of a long game are some thousand."""


class InputEndedError(Exception):
    """Nobody will type anything any more."""


class Screen:
    """Where a person reads and types.

    Args:
        reads: Where entries come from; by default standard input.
        writes: Where everything goes; by default standard output. It is in colour on a
            terminal, unless the environment says ``NO_COLOR``.
    """

    def __init__(self, reads: TextIO | None = None, writes: TextIO | None = None) -> None:
        self._reads = reads or sys.stdin
        self._writes = writes or sys.stdout
        for stream in (self._reads, self._writes):
            if isinstance(stream, TextIOWrapper):  # nobody loses a game by a mistyped byte
                stream.reconfigure(errors="replace")
        self.is_terminal = self._writes.isatty()
        """Whether a person is likely to look on."""
        self.colour = self.is_terminal and not os.environ.get("NO_COLOR")
        """Whether colours are shown."""

    def say(self, text: str = "", end: str = "\n") -> None:
        """Writes *text*, at once; what the terminal would obey in it is spelled out."""
        lines = [one_line(line, LONGEST_LINE) for line in text.split("\n")]
        if self.is_terminal and end == "\n":
            lines = [part for line in lines for part in self._wrap(line)]
        self.paint("\n".join(lines), end)

    def _wrap(self, line: str) -> list[str]:
        """The *line*, in several if the terminal is narrower; words stay whole."""
        columns = shutil.get_terminal_size().columns
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        return textwrap.wrap(
            line,
            columns,
            subsequent_indent=indent,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]

    def paint(self, drawing: str, end: str = "\n") -> None:
        """Writes a *drawing* of ours, with its codes for colours."""
        print(drawing, end=end, file=self._writes, flush=True)

    def ask(self, question: str) -> str:
        """The next entry, without the blanks around it; shown, if it was not typed here.

        Raises:
            InputEndedError: There is none.
        """
        self.say(f"{question} ", end="")
        line = self._reads.readline()
        if not line:
            self.say()
            raise InputEndedError
        if not self._reads.isatty():
            self.say(line.strip())
        return line.strip()
