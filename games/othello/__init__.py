"""Othello, on boards of 8 by 8 and 6 by 6 cells."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAME":
        raise AttributeError(name)
    from evolve_arena.games.othello.spec import GAME

    return GAME
