"""Former names of commands: they work, are hidden from the help, and say the present name."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import typer

RENAMED: dict[str, str] = {}
"""Former names, and the names that commands have now."""


def rename(
    app: typer.Typer, old: str, new: str, function: Callable[..., None], **options: object
) -> None:
    """Let a command of *app* be typed by its former name too.

    Args:
        app: The command line.
        old: The former name.
        new: The present name, with its group: ``game new``.
        function: The command.
        options: What :meth:`typer.Typer.command` takes.
    """

    @functools.wraps(function)
    def call(*words: object, **values: object) -> None:
        announce(old, new)
        function(*words, **values)

    add(app, old, new, call, **options)


def add(
    app: typer.Typer, old: str, new: str, function: Callable[..., None], **options: object
) -> None:
    """Add a *function* for a former name; it announces the present name itself."""
    RENAMED[old] = new
    app.command(old, hidden=True, **options)(function)  # type: ignore[arg-type]


def announce(old: str, new: str) -> None:
    """Print on stderr that a command has a new name."""
    print(f"evolve: 'evolve {old}' is now 'evolve {new}'", file=sys.stderr)
