"""Compiled code for the kinds of players that occur: the fewer, the sooner it is there."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from evolve_arena.core.compiled import specialise
from evolve_arena.core.game import GameSpec

_made: dict[Any, list[tuple[frozenset[str], dict[str, ModuleType]]]] = {}


def find_variant(game: GameSpec, rules: Any, players: Any) -> Mapping[str, ModuleType]:
    """The compiled files of a *game* for *rules* and some packed *players*, by their last names.

    Of those that this process has already, the first one that knows all their kinds will do.
    """
    kernel = game.kernel
    needed, given = frozenset(kernel.needs(players)), dict(kernel.constants(rules))
    made = _made.setdefault((game.name, *given.items()), [])
    for known, modules in made:
        if needed <= known:
            return modules
    flags = {flag: flag in needed for flag in kernel.flags}
    copies = specialise(kernel.modules, given | flags, kernel.instead)
    names = (name.rpartition(".")[2] for name in kernel.modules)
    made.append((needed, dict(zip(names, copies, strict=True))))
    return made[-1][1]
