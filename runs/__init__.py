"""Floor 6, runs: recipes, run directories, plots, export, the command line.

The Python API is here: :func:`start`, :func:`resume` and :func:`load` for runs, and
:func:`duel` between players by specification. What they need is loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runs.api import duel, load, resume, start
    from runs.run import Run

__all__ = ["Run", "duel", "load", "resume", "start"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("runs.run" if name == "Run" else "runs.api"), name)
