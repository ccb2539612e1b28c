"""Breed board-game players by neuroevolution.

:func:`start`, :func:`resume` and :func:`load` deal with runs, and :func:`duel` lets players meet,
whom one names by specification. What they need is loaded when they are used. The floors of the
house are packages in here, such as :mod:`evolve_arena.games`; each imports only from those below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.runs.api import duel, load, resume, start
    from evolve_arena.runs.run import Run

__all__ = ["Run", "duel", "load", "resume", "start"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"evolve_arena.runs.{'run' if name == 'Run' else 'api'}"), name)
