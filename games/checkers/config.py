"""The section ``[network]`` of methods that breed players of checkers."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from evolve_arena.evolve.method import Config
from evolve_arena.games.checkers.design import CHECKERS_KINDS
from evolve_arena.players.design import list_options

__all__ = ["CheckersGraphConfig", "CheckersNetworkConfig"]


class CheckersGraphConfig(Config):
    """How NEAT's graphs look ahead; see `evolve_arena.games.checkers.graph`."""

    depth: int = 2
    """How many plies players look ahead."""
    quiet: bool = False
    """Whether captures are followed beyond the last ply, until there are none."""


class CheckersNetworkConfig(Config):
    """What the genes stand for; see `evolve_arena.games.checkers.design`.

    Keys of the chosen kind that are left out have the defaults of its design; those of other
    kinds stay away.
    """

    kind: str = "network"
    """``network``: a value network; ``linear``: weights of features."""
    depth: int = 4
    """How many plies players look ahead."""
    quiet: bool = False
    """Whether captures are followed beyond the last ply, until there are none."""
    hidden: tuple[int, ...] | None = None
    activation: str | None = None
    subsquares: bool | None = None
    piece_difference: bool | None = None
    features: int | None = None
    encoding: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, content: Any) -> Any:
        kind = content.get("kind", "network")
        if not isinstance(kind, str) or kind not in CHECKERS_KINDS:  # the design says so
            return content
        known = {
            name: value
            for name, value in list_options(CHECKERS_KINDS, kind).items()
            if name != "turned"
        }
        return {**known, **content}
