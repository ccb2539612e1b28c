"""English checkers."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAME":
        raise AttributeError(name)
    from evolve_arena.games.checkers.spec import GAME

    return GAME
