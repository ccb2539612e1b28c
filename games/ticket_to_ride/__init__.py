"""Ticket to Ride, on the map of the United States."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve_arena.core.game import GameSpec


def __getattr__(name: str) -> GameSpec:
    if name != "GAME":
        raise AttributeError(name)
    from evolve_arena.players.board.loader import load_game

    return load_game(Path(__file__).with_name("rules.py"), "ticket-to-ride")
