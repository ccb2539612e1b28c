"""The methods by name: a new one is a file in ``evolve`` and a line here."""

from __future__ import annotations

from typing import Any

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.evolve.evolutionary_programming import EvolutionaryProgramming
from evolve_arena.evolve.method import Method
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.tournament import Tournament
from evolve_arena.games.checkers.td_linear import TdLinear
from evolve_arena.games.connect_four.q_learning import QLearning
from evolve_arena.games.connect_four.td import Td
from evolve_arena.games.connect_four.td_tuples import TdTuples
from evolve_arena.games.ticket_to_ride.imitation import Imitation

__all__ = ["METHODS", "find_method"]

METHODS: dict[str, type[Method[Any]]] = {
    kind.name: kind
    for kind in (
        Tournament,
        Neat,
        Td,
        TdTuples,
        TdLinear,
        QLearning,
        EvolutionaryProgramming,
        Imitation,
    )
}


def find_method(name: str) -> type[Method[Any]]:
    """The method called *name*.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    return METHODS[name]
