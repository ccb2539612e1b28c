"""Breed board-game players by neuroevolution.

:func:`start`, :func:`resume` and :func:`load` deal with runs, and :func:`sweep` with many of them;
:func:`duel`, :func:`tournament` and :func:`evaluate` let players meet, whom one names by
specification or brings along. :func:`from_neat_python` makes a player of a genome of
that library. :func:`register` lets recipes name functions and classes of one's
own: a :class:`Player`, a :class:`VectorMethod`, a fitness, an operator. What all this needs is
loaded when it is used. The floors of the house are packages in here, such as
:mod:`evolve_arena.games`; each imports only from those below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.core.errors import ArenaError
    from evolve_arena.core.game import GameSpec, PlayerKind
    from evolve_arena.core.registry import game_names, make_game, register_game
    from evolve_arena.core.user_code import register
    from evolve_arena.evolve.fitness import Matches
    from evolve_arena.evolve.method import Method
    from evolve_arena.evolve.vector_method import VectorMethod, VectorMethodConfig, VectorState
    from evolve_arena.players.player import Player
    from evolve_arena.players.specification import register_player
    from evolve_arena.runs.api import (
        branch,
        duel,
        evaluate,
        load,
        load_player,
        resume,
        start,
        tournament,
    )
    from evolve_arena.runs.export.neat_python import from_neat_python
    from evolve_arena.runs.many.sweep import Sweep, sweep
    from evolve_arena.runs.population import Population
    from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, recipe_names
    from evolve_arena.runs.run import Run
    from evolve_arena.runs.training.loop import Progress

PLACES = {
    "core.errors": ("ArenaError",),
    "core.game": ("GameSpec", "PlayerKind"),
    "core.registry": ("game_names", "make_game", "register_game"),
    "core.user_code": ("register",),
    "evolve.fitness": ("Matches",),
    "evolve.method": ("Method",),
    "evolve.vector_method": ("VectorMethod", "VectorMethodConfig", "VectorState"),
    "players.player": ("Player",),
    "players.specification": ("register_player",),
    "runs.api": (
        "branch",
        "duel",
        "evaluate",
        "load",
        "load_player",
        "resume",
        "start",
        "tournament",
    ),
    "runs.export.neat_python": ("from_neat_python",),
    "runs.many.sweep": ("Sweep", "sweep"),
    "runs.population": ("Population",),
    "runs.recipes.recipe": ("Recipe", "load_recipe", "recipe_names"),
    "runs.run": ("Run",),
    "runs.training.loop": ("Progress",),
}
"""Where each name of the interface is defined."""

__all__ = [
    "ArenaError",
    "GameSpec",
    "Matches",
    "Method",
    "Player",
    "PlayerKind",
    "Population",
    "Progress",
    "Recipe",
    "Run",
    "Sweep",
    "VectorMethod",
    "VectorMethodConfig",
    "VectorState",
    "branch",
    "duel",
    "evaluate",
    "from_neat_python",
    "game_names",
    "load",
    "load_player",
    "load_recipe",
    "make_game",
    "recipe_names",
    "register",
    "register_game",
    "register_player",
    "resume",
    "start",
    "sweep",
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
