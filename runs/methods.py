"""The methods by name: those of every game, and the learners that a game adds."""

from __future__ import annotations

from typing import Any

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, game_names, load
from evolve_arena.evolve.method import Method

METHODS = {
    "tournament": "evolve_arena.evolve.tournament:Tournament",
    "neat": "evolve_arena.evolve.neat:Neat",
    "evolutionary-programming": (
        "evolve_arena.evolve.evolutionary_programming:EvolutionaryProgramming"
    ),
    "td-tuples": "evolve_arena.evolve.td_tuples:TdTuples",
}
"""Methods that can breed for any game which has networks of their kind."""


def methods_of(game: str) -> dict[str, type[Method[Any]]]:
    """The methods that can play *game*, by name."""
    spec = find_game(game)
    known = {name: load(place) for name, place in {**METHODS, **spec.learners}.items()}
    return {name: method for name, method in known.items() if method.networks(spec)}


def find_method(name: str, game: str) -> type[Method[Any]]:
    """The method called *name*, with which *game* is played.

    Raises:
        UnknownNameError: There is none.
        BadValueError: It does not play this game.
    """
    able = methods_of(game)
    if name in able:
        return able[name]
    if name in METHODS or any(name in find_game(other).learners for other in game_names()):
        raise BadValueError(
            f"game.name is {game!r}, which the method {name!r} does not play:"
            f" write method.name = {' or '.join(map(repr, able))}"
        )
    raise UnknownNameError("method", name, able)
