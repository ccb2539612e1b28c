"""Players that were bred: networks that can be asked what they think, and stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from games.connect_four import ConnectFour, Position
from games.errors import BadValueError
from genomes.tensors import write_tensors
from players.connect_four.seats import value_moves
from players.lineup import Lineup, make_scratch
from players.player import CompiledPlayer

__all__ = ["FORMAT", "BredPlayer", "ColumnPlayer"]

FORMAT = 1
"""The version of the files that hold such players."""


class BredPlayer(CompiledPlayer):
    """A network that plays; one subclass for each kind of genome.

    Args:
        design: Everything but the genome: a dataclass with a ``game``.
        lineup: The player, packed.
        name: How tables call it.
    """

    kind: ClassVar[str]
    """How files call this kind."""

    def __init__(self, design: Any, lineup: Lineup, name: str) -> None:
        super().__init__(design.game, lineup, name)
        self.design = design
        self.remarks: dict[str, Any] = {}
        """Where the player comes from, if it was read from a file."""

    @property
    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The genome as named arrays."""

    @classmethod
    @abstractmethod
    def read(
        cls, options: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
    ) -> BredPlayer:
        """The player whose design has these *options* and whose genome these *arrays*."""

    def serialise(self, **remarks: Any) -> bytes:
        """The player as a safetensors blob that `players.storage.read_player` reads.

        *remarks* (JSON-able) say where it comes from.
        """
        description = {
            "kind": self.kind,
            "game": self.game.name,
            "design": asdict(self.design),
            "name": self.name,
            "remarks": remarks,
        }
        return write_tensors("player", FORMAT, self.arrays, description)


class ColumnPlayer(BredPlayer):
    """A bred player of Connect Four.

    Its design has the board's ``columns``, and what the network's output means as ``head``.
    """

    game: ConnectFour

    def value_columns(self, position: Position) -> NDArray[np.float64]:
        """What a value network, or one of actions, thinks of each column.

        Not a number where a column is full.

        Raises:
            BadValueError: The player is a policy network.
        """
        if self.design.head == "policy":
            raise BadValueError(f"{self.name} is a policy network: it has no values")
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        values = np.full(self.design.columns, np.nan)
        scratch = make_scratch(self.lineup)
        boards = np.uint64(own), np.uint64(other)
        value_moves(self.game.rules, self.lineup, side, *boards, scratch, values)
        return values
