"""The logger ``evolve_arena`` of Python's ``logging``, and status lines on standard error.

A program that uses the package as a library sees nothing of it unless it adds a handler. The
command line adds one for ``--verbose`` and ``--log``, and a run writes its own ``evolve.log``;
see `evolve_arena.runs.store.logs`.
"""

from __future__ import annotations

import logging
import shutil
import signal
import sys
import textwrap
from collections.abc import Callable
from types import FrameType
from typing import ClassVar, Self

from evolve_arena.core.errors import one_line

LONGEST_LINE = 4096
"""Most characters of a status line: as many as a path can have."""
INDENT = "  "
"""Beginning of the continuation of a line that is too long for the terminal."""
LOG = logging.getLogger("evolve_arena")
"""The logger. Levels: WARNING for what a user should correct, INFO for the steps of a run, DEBUG
for caches, compiling and workers."""

LOG.addHandler(logging.NullHandler())


def print_status(text: str) -> None:
    """Print *text* on standard error, in several lines if a terminal is too narrow for one."""
    line = one_line(text, LONGEST_LINE)
    lines = wrap(line, shutil.get_terminal_size().columns) if sys.stderr.isatty() else [line]
    print(*lines, sep="\n", file=sys.stderr)


def wrap(line: str, width: int) -> list[str]:
    """Return *line* broken between words; paths and commands stay whole."""
    return textwrap.wrap(
        line, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )


def tell_compiling(what: str, seconds: float) -> None:
    """Announce that *what* is compiled; see :data:`evolve_arena.core.on_compile`."""
    about = format_seconds(seconds)
    print_status(f"compiling {what} for this machine, once: about {about} ...")


class Interruptible:
    """Context manager of a loop: Ctrl-C ends it after the current step, a second Ctrl-C at once.

    Args:
        quiet: Show no progress.
    """

    until: ClassVar[str]
    """The step that is finished before stopping, for the message."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.interrupted = False
        """True if Ctrl-C was pressed."""
        self._previous: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Self:
        self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print(f"\nstopping after {self.until} (again: at once) ...", file=sys.stderr)


def format_seconds(seconds: float) -> str:
    """Return a duration as text, to the second; in minutes from an hour on.

    >>> format_seconds(7), format_seconds(75), format_seconds(7384)
    ('7 s', '1 min 15 s', '2 h 3 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
