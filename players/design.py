"""The contract of designs: what stands between a genome and a player."""

from __future__ import annotations

from typing import Any, Protocol

from evolve_arena.core.game import AnyGame
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.lineup import Lineup


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
