"""The contract of designs: what stands between a genome and a player; and designs by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol, TypeVar

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.lineup import Lineup

__all__ = ["Design", "list_options", "make_design"]

D = TypeVar("D")


class Design(Protocol):
    """What turns genomes of some kind into players."""

    @property
    def game(self) -> AnyGame:
        """What they play."""
        ...

    def pack(self, genomes: Any) -> Lineup:
        """The players that *genomes* make."""
        ...

    def player(self, genome: Any, name: str) -> BredPlayer:
        """The player that one *genome* makes."""
        ...


def make_design(kinds: Mapping[str, type[D]], kind: str, options: Mapping[str, Any]) -> D:
    """The design of a *kind*, one of those that a game has.

    Args:
        kinds: The classes of designs, by name.
        kind: A name.
        options: The fields of that design. Those that are None count as not given.

    Raises:
        UnknownNameError: There is no such kind.
        BadValueError: An option is not one of that kind, or its value makes no sense.
    """
    known = list_options(kinds, kind)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise BadValueError(_refuse(kinds, name, kind))
    return kinds[kind](**given)


def list_options(kinds: Mapping[str, type[Any]], kind: str) -> dict[str, Any]:
    """The fields of a *kind* of design, with their defaults.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if kind not in kinds:
        raise UnknownNameError("kind", kind, kinds)
    return {field.name: field.default for field in fields(kinds[kind])}


def _refuse(kinds: Mapping[str, type[Any]], name: str, kind: str) -> str:
    others = [other for other in kinds if name in list_options(kinds, other)]
    if others:
        return f"{name} is a key of the kind {others[0]!r}, not of {kind!r}: leave it out"
    return f"{name} is no key of the kind {kind!r} (known: {', '.join(list_options(kinds, kind))})"
