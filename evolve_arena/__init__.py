"""Evolve board-game players by neuroevolution.

Runs begin with :func:`start`, :func:`branch` and :func:`resume`, and are read by :func:`load`;
:func:`sweep` makes many of them. :func:`duel`, :func:`tournament` and :func:`evaluate` measure
players, which are given as specifications or objects. :func:`register` gives recipes access to
functions and classes of yours; :mod:`evolve_arena.extend` has their base classes. Each name is
loaded when it is first used. The layers are packages in here, such as :mod:`evolve_arena.games`;
each imports only from those below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena import extend
    from evolve_arena.core.errors import ArenaError, BadValueError
    from evolve_arena.core.registry import game_names, make_game
    from evolve_arena.core.user_code import register
    from evolve_arena.runs.api import (
        branch,
        duel,
        evaluate,
        export,
        load,
        load_player,
        resume,
        start,
        tournament,
    )
    from evolve_arena.runs.many.sweep import Sweep, sweep
    from evolve_arena.runs.population import Population
    from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, recipe_names
    from evolve_arena.runs.run import Run
    from evolve_arena.runs.training.loop import Progress

__version__ = "0.1.0"

PLACES = {
    "core.errors": ("ArenaError", "BadValueError"),
    "core.registry": ("game_names", "make_game"),
    "core.user_code": ("register",),
    "runs.api": (
        "branch",
        "duel",
        "evaluate",
        "export",
        "load",
        "load_player",
        "resume",
        "start",
        "tournament",
    ),
    "runs.many.sweep": ("Sweep", "sweep"),
    "runs.population": ("Population",),
    "runs.recipes.recipe": ("Recipe", "load_recipe", "recipe_names"),
    "runs.run": ("Run",),
    "runs.training.loop": ("Progress",),
}
"""Modules that define the public names."""
MOVED = (
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
)
"""Names that have moved to :mod:`evolve_arena.extend`; they go on working here until 0.2.0."""

__all__ = [
    "ArenaError",
    "BadValueError",
    "Population",
    "Progress",
    "Recipe",
    "Run",
    "Sweep",
    "__version__",
    "branch",
    "duel",
    "evaluate",
    "export",
    "extend",
    "game_names",
    "load",
    "load_player",
    "load_recipe",
    "make_game",
    "recipe_names",
    "register",
    "resume",
    "start",
    "sweep",
    "tournament",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "extend":
        return import_module("evolve_arena.extend")
    if name in MOVED:
        from evolve_arena.core.deprecation import warn_deprecated

        old, new = f"evolve_arena.{name}", f"evolve_arena.extend.{name}"
        warn_deprecated(old, new, since="0.1.0", removal="0.2.0")
        return getattr(import_module("evolve_arena.extend"), name)
    for place, names in PLACES.items():
        if name in names:
            return getattr(import_module(f"evolve_arena.{place}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
