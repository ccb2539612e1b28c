"""What can be bred for checkers, by name: value networks, and weights of features."""

from __future__ import annotations

from typing import Any

from evolve_arena.games.checkers.linear import LinearDesign
from evolve_arena.games.checkers.network import CheckersNetworkDesign
from evolve_arena.players.design import make_design

__all__ = ["CHECKERS_KINDS", "CheckersDesign", "make_checkers_design"]

CheckersDesign = CheckersNetworkDesign | LinearDesign

CHECKERS_KINDS: dict[str, type[CheckersNetworkDesign] | type[LinearDesign]] = {
    "network": CheckersNetworkDesign,
    "linear": LinearDesign,
}


def make_checkers_design(*, kind: str = "network", **options: Any) -> CheckersDesign:
    """What turns genomes of a *kind* into players.

    Args:
        kind: One of :data:`CHECKERS_KINDS`.
        options: The fields of that design. Those that are None count as not given.

    Raises:
        UnknownNameError: There is no such kind.
        BadValueError: An option is not one of that kind, or its value makes no sense.

    >>> make_checkers_design(hidden=(10,), depth=2).genes
    342
    """
    return make_design(CHECKERS_KINDS, kind, options)
