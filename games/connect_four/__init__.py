"""Connect Four, and four in a row on other boards."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAME":
        raise AttributeError(name)
    from evolve_arena.games.connect_four.spec import GAME

    return GAME
