"""Breed board-game players by neuroevolution.

:func:`start`, :func:`resume` and :func:`load` deal with runs; :func:`duel`, :func:`tournament` and
:func:`evaluate` let players meet, whom one names by specification; :func:`register_game` and
:func:`register_player` add one's own. What they need is loaded when they are used. The
floors of the house are packages in here, such as :mod:`evolve_arena.games`; each imports only from
those below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.core.game import GameSpec, PlayerKind
    from evolve_arena.core.registry import make_game, register_game
    from evolve_arena.players.specification import register_player
    from evolve_arena.runs.api import (
        duel,
        evaluate,
        load,
        load_player,
        resume,
        start,
        tournament,
    )
    from evolve_arena.runs.run import Run

PLACES = {
    "core.game": ("GameSpec", "PlayerKind"),
    "core.registry": ("make_game", "register_game"),
    "players.specification": ("register_player",),
    "runs.api": ("duel", "evaluate", "load", "load_player", "resume", "start", "tournament"),
    "runs.run": ("Run",),
}
"""Where each name of the interface is defined."""

__all__ = [
    "GameSpec",
    "PlayerKind",
    "Run",
    "duel",
    "evaluate",
    "load",
    "load_player",
    "make_game",
    "register_game",
    "register_player",
    "resume",
    "start",
    "tournament",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    place = next(place for place, names in PLACES.items() if name in names)
    return getattr(import_module(f"evolve_arena.{place}"), name)
