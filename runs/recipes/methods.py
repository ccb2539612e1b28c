"""The methods by name: those for any game, and the learners that a game or a study adds."""

from __future__ import annotations

from inspect import isabstract
from typing import Any

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, game_names, installed_places, load, study_learners
from evolve_arena.core.user_code import (
    AbsentCode,
    UserCodeError,
    find_code,
    name_of,
    registered_names,
)
from evolve_arena.evolve.method import AnyMethod, Method
from evolve_arena.runs.recipes.absent_method import AbsentMethod

GROUP = "evolve_arena.methods"
"""Group of the entry points by which installed packages add methods."""
METHODS = {
    "tournament": "evolve_arena.evolve.tournament:Tournament",
    "neat": "evolve_arena.evolve.neat:Neat",
    "evolutionary-programming": (
        "evolve_arena.evolve.evolutionary_programming:EvolutionaryProgramming"
    ),
    "evolution-strategy": "evolve_arena.evolve.evolution_strategy:EvolutionStrategy",
    "cma-es": "evolve_arena.evolve.cma_es:CmaEs",
    "population-based-training": (
        "evolve_arena.evolve.population_based_training:PopulationBasedTraining"
    ),
    "td": "evolve_arena.evolve.td:Td",
    "td-tuples": "evolve_arena.evolve.td_tuples:TdTuples",
    "q-learning": "evolve_arena.evolve.q_learning:QLearning",
    "imitation": "evolve_arena.evolve.imitation:Imitation",
}
"""Methods for any game that has networks of their kind."""


def find_places(game: str) -> dict[str, str]:
    """Return the import paths of methods that may play *game*, by name, without registered ones."""
    return {**installed_places(GROUP), **METHODS, **study_learners(game)}


def methods_of(game: str) -> dict[str, type[AnyMethod]]:
    """Return all methods that can play *game*, by name, including those of users and packages."""
    spec = find_game(game)
    known = {name: load(place) for name, place in find_places(game).items()}
    known |= {name: each for name in registered_names() if _is_method(each := find_code(name))}
    return {name: method for name, method in known.items() if method.networks(spec)}


def find_method(name: str, game: str) -> type[AnyMethod]:
    """Return the method called *name*, with which *game* is played.

    Raises:
        UnknownNameError: There is no such method.
        BadValueError: It does not play this game.
        UserCodeError: The name is that of registered code that is not a method.
    """
    places = find_places(game)
    if name in places and name not in registered_names():  # no other method is loaded
        chosen: type[AnyMethod] = load(places[name])
        if chosen.networks(find_game(game)):
            return chosen
    able = methods_of(game)
    if name in able:
        return able[name]
    own: Any = find_code(name)
    if isinstance(own, AbsentCode):
        return type(name, (AbsentMethod,), {"name": name, "__doc__": AbsentMethod.__doc__})
    if own is not None:
        if not _is_method(own):
            raise UserCodeError(
                f"{name_of(own)} is no method: it must be a subclass of VectorMethod, or of Method,"
                " that defines all that these leave open"
            )
        if own.networks(find_game(game)):
            method: type[AnyMethod] = own
            return method
    if (
        own is not None
        or name in METHODS
        or any(name in study_learners(other) for other in game_names())
    ):
        raise BadValueError(
            f"game.name is {game!r}, which the method {name!r} does not play: {', '.join(able)} do"
        )
    raise UnknownNameError("method", name, [*able, "MY_METHODS.py:CLASS"])


def _is_method(own: Any) -> bool:
    return isinstance(own, type) and issubclass(own, Method) and not isabstract(own)
