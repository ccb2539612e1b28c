"""The terminal as games use it: text, questions, and boards."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from io import TextIOWrapper
from typing import TextIO

from evolve_arena.core.errors import one_line

LONGEST_LINE = 10_000
"""Largest number of characters of a line; the moves of a long game take some thousand."""


class InputEndedError(Exception):
    """Raised if the input has ended."""


class Screen:
    """A terminal at which a person reads and types.

    Args:
        reads: Input; standard input by default.
        writes: Output; standard output by default. It is in colour on a terminal, unless the
            environment contains ``NO_COLOR``.
    """

    def __init__(self, reads: TextIO | None = None, writes: TextIO | None = None) -> None:
        self._reads = reads or sys.stdin
        self._writes = writes or sys.stdout
        for stream in (self._reads, self._writes):
            if isinstance(stream, TextIOWrapper):  # a mistyped byte must not end a game
                stream.reconfigure(errors="replace")
        self.is_terminal = self._writes.isatty()
        """True if the output is a terminal."""
        self.colour = self.is_terminal and not os.environ.get("NO_COLOR")
        """True if colours are shown."""

    def say(self, text: str = "", end: str = "\n") -> None:
        """Write *text* at once; control codes in it are spelled out."""
        lines = [one_line(line, LONGEST_LINE) for line in text.split("\n")]
        if self.is_terminal and end == "\n":
            lines = [part for line in lines for part in self._wrap(line)]
        self.paint("\n".join(lines), end)

    def _wrap(self, line: str) -> list[str]:
        """Split a *line* that is wider than the terminal between words."""
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
        """Write a *drawing* of ours, with its codes for colours."""
        print(drawing, end=end, file=self._writes, flush=True)

    def ask(self, question: str) -> str:
        """Return the next entry, without blanks around it; show it if it was not typed here.

        Raises:
            InputEndedError: The input has ended.
        """
        self.say(f"{question} ", end="")
        line = self._reads.readline()
        if not line:
            self.say()
            raise InputEndedError
        if not self._reads.isatty():
            self.say(line.strip())
        return line.strip()
