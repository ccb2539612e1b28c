"""What can be bred for checkers, by name: value networks, and weights of features."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from games.errors import BadValueError, UnknownNameError
from players.checkers.linear import LinearDesign
from players.checkers.network import CheckersNetworkDesign

__all__ = ["CHECKERS_KINDS", "CheckersDesign", "list_options", "make_checkers_design"]

CheckersDesign = CheckersNetworkDesign | LinearDesign

CHECKERS_KINDS: dict[str, type[CheckersNetworkDesign] | type[LinearDesign]] = {
    "network": CheckersNetworkDesign,
    "linear": LinearDesign,
}


def make_checkers_design(*, kind: str = "network", **options: Any) -> CheckersDesign:
    """What turns genomes of a *kind* into players.

    Args:
        kind: One of :data:`CHECKERS_KINDS`.
        options: The fields of that design. Those that are None count as not given.

    Raises:
        UnknownNameError: There is no such kind.
        BadValueError: An option is not one of that kind, or its value makes no sense.

    >>> make_checkers_design(hidden=(10,), depth=2).genes
    342
    """
    known = list_options(kind)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            raise BadValueError(_refuse(name, kind))
    return CHECKERS_KINDS[kind](**given)


def list_options(kind: str) -> dict[str, Any]:
    """The fields of a *kind* of design, with their defaults.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if kind not in CHECKERS_KINDS:
        raise UnknownNameError("kind", kind, CHECKERS_KINDS)
    return {field.name: field.default for field in fields(CHECKERS_KINDS[kind])}


def _refuse(name: str, kind: str) -> str:
    others = [other for other in CHECKERS_KINDS if name in list_options(other)]
    if others:
        return f"{name} is a key of the kind {others[0]!r}, not of {kind!r}: leave it out"
    return f"{name} is no key of the kind {kind!r} (known: {', '.join(list_options(kind))})"
