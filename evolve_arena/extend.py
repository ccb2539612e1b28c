"""Base classes and registration for games, players and methods of your own.

:class:`Player` is the base of players, :class:`VectorMethod` of methods that evolve vectors of
weights, and :class:`Method` of all others. :class:`Matches` is the argument of a fitness.
:func:`register_game` and :func:`register_player` add games and kinds of players by name;
:func:`from_neat_python` makes a player of a genome of that library. Each name is loaded when it is
first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.core.game import GameSpec, PlayerKind
    from evolve_arena.core.registry import register_game
    from evolve_arena.evolve.fitness import Matches
    from evolve_arena.evolve.method import Method
    from evolve_arena.evolve.vector_method import VectorMethod, VectorMethodConfig, VectorState
    from evolve_arena.players.player import Player
    from evolve_arena.players.specification import register_player
    from evolve_arena.runs.export.neat_python import from_neat_python

PLACES = {
    "core.game": ("GameSpec", "PlayerKind"),
    "core.registry": ("register_game",),
    "evolve.fitness": ("Matches",),
    "evolve.method": ("Method",),
    "evolve.vector_method": ("VectorMethod", "VectorMethodConfig", "VectorState"),
    "players.player": ("Player",),
    "players.specification": ("register_player",),
    "runs.export.neat_python": ("from_neat_python",),
}
"""Modules that define the public names."""

__all__ = [
    "GameSpec",
    "Matches",
    "Method",
    "Player",
    "PlayerKind",
    "VectorMethod",
    "VectorMethodConfig",
    "VectorState",
    "from_neat_python",
    "register_game",
    "register_player",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for place, names in PLACES.items():
        if name in names:
            return getattr(import_module(f"evolve_arena.{place}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
