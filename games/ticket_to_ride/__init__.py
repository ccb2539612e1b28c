"""Ticket to Ride, on the map of the United States."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAME":
        raise AttributeError(name)
    from evolve_arena.games.ticket_to_ride.spec import GAME

    return GAME
