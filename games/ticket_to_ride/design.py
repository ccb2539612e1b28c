"""What can be bred for Ticket to Ride, by name: networks of decisions, and networks of moves."""

from __future__ import annotations

from typing import Any

from evolve_arena.games.ticket_to_ride.move_network import MoveDesign
from evolve_arena.games.ticket_to_ride.network import DecisionDesign
from evolve_arena.players.design import make_design

__all__ = ["TICKET_KINDS", "TicketNetworkDesign", "make_ticket_design"]

TicketNetworkDesign = DecisionDesign | MoveDesign

TICKET_KINDS: dict[str, type[DecisionDesign] | type[MoveDesign]] = {
    "decision": DecisionDesign,
    "moves": MoveDesign,
}


def make_ticket_design(*, kind: str = "decision", **options: Any) -> TicketNetworkDesign:
    """What turns genomes of a *kind* into players.

    Args:
        kind: One of :data:`TICKET_KINDS`.
        options: The fields of that design. Those that are None count as not given.

    Raises:
        UnknownNameError: There is no such kind.
        BadValueError: An option is not one of that kind, or its value makes no sense.

    >>> make_ticket_design(kind="decision", hidden=(5,), features=28).genes
    169
    """
    return make_design(TICKET_KINDS, kind, options)
