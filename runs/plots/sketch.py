"""What there is to draw of a network: nodes, what they read of the board, and wires."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.player import Player

Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Node:
    """An output or a hidden node."""

    name: str
    """``column 3`` or ``value`` if it is an output, ``move`` if it is the input of the column,
    else its number."""
    computes: str
    """Its activation, and its aggregation unless that is the sum."""
    bias: float
    response: float = 1.0
    board: Weights | None = None
    """The weights from the cells, shape ``(planes, rows, columns)``, the top row first; not a
    number where no connection is. None if it reads no cell."""
    votes: Weights | None = None
    """Its weights to all nodes of the layer above, in their order, shape ``(nodes,)``; None
    if wires show them."""


@dataclass(frozen=True)
class Wire:
    """A connection between two nodes, which are given by their places."""

    source: int
    target: int
    weight: float


@dataclass(frozen=True, eq=False)
class Sketch:
    """A network, as a picture shows it."""

    title: str
    remarks: list[str]
    """What stands below the title."""
    planes: list[str]
    """What each plane of cells tells."""
    shape: tuple[int, int, int]
    """Planes, rows and columns."""
    nodes: list[Node]
    """The outputs first."""
    layers: list[list[int]]
    """Places of nodes, the lowest layer first, the outputs last."""
    wires: list[Wire] = field(default_factory=list)
    remembers: bool = False
    """Whether wires carry the values of the move before."""

    @property
    def reading(self) -> Weights:
        """How strongly each cell is read: the sizes of its weights, added up; of :attr:`shape`."""
        total: Weights = np.zeros(self.shape)
        for node in self.nodes:
            if node.board is not None:
                total += np.nan_to_num(np.abs(node.board))
        return total

    @property
    def weights(self) -> Weights:
        """All weights that are numbers, in no particular order."""
        parts = [np.array([wire.weight for wire in self.wires])]
        for node in self.nodes:
            parts += [part.ravel() for part in (node.board, node.votes) if part is not None]
        together: Weights = np.concatenate(parts)
        return together[np.isfinite(together)]


def write_title(player: Player, name: str | None = None) -> str:
    """*name*, or the player's, and whose champion it is, if that is known."""
    title = name or player.name
    if isinstance(player, BredPlayer) and "generation" in player.remarks:
        title += f": champion of generation {player.remarks['generation']}"
    return title


def count(number: int, noun: str) -> str:
    """Such as "no nodes", "1 node", "1,234 nodes"."""
    return f"{f'{number:,}' if number else 'no'} {noun}{'' if number == 1 else 's'}"
