"""What can be bred for Ticket to Ride, by name: networks of decisions, and networks of moves."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from games.errors import BadValueError, UnknownNameError
from players.ticket_to_ride.move_network import MoveDesign
from players.ticket_to_ride.network import DecisionDesign

__all__ = ["TICKET_KINDS", "TicketNetworkDesign", "list_options", "make_ticket_design"]

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
    known = list_options(kind)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise BadValueError(_refuse(name, kind))
    return TICKET_KINDS[kind](**given)


def list_options(kind: str) -> dict[str, Any]:
    """The fields of a *kind* of design, with their defaults.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if kind not in TICKET_KINDS:
        raise UnknownNameError("kind", kind, TICKET_KINDS)
    return {field.name: field.default for field in fields(TICKET_KINDS[kind])}


def _refuse(name: str, kind: str) -> str:
    others = [other for other in TICKET_KINDS if name in list_options(other)]
    if others:
        return f"{name} is a key of the kind {others[0]!r}, not of {kind!r}: leave it out"
    return f"{name} is no key of the kind {kind!r} (known: {', '.join(list_options(kind))})"
