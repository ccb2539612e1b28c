"""Compiled code for the kinds of players that occur: the fewer, the sooner it is there."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from evolve_arena.core.compiled import specialise
from evolve_arena.core.game import GameSpec

__all__ = ["find_variant"]

_made: dict[str, list[tuple[frozenset[str], dict[str, ModuleType]]]] = {}


def find_variant(game: GameSpec, players: Any) -> Mapping[str, ModuleType]:
    """The compiled files of a *game* for some packed *players*, by their last names.

    Of those that this process has already, the first one that knows all their kinds will do.
    """
    needed = frozenset(game.kernel.needs(players))
    made = _made.setdefault(game.name, [])
    for known, modules in made:
        if needed <= known:
            return modules
    constants = {flag: flag in needed for flag in game.kernel.flags}
    copies = specialise(game.kernel.modules, constants)
    names = (name.rpartition(".")[2] for name in game.kernel.modules)
    made.append((needed, dict(zip(names, copies, strict=True))))
    return made[-1][1]
