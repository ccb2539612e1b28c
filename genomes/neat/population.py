"""A population of NEAT genomes as flat arrays, genome after genome.

A genome has node genes (outputs first, keys 0, 1, ...; hidden ones after them, in the order of
their creation) and connection genes. Inputs have the keys -1, -2, ... and no gene. The order of
genes is part of a genome: it is the order in which numbers are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

NODE_FIELDS = ("node_key", "bias", "response", "activation", "aggregation")
CONNECTION_FIELDS = ("source", "target", "weight", "enabled", "innovation")
TYPES = {
    "keys": np.int64,
    "node_start": np.int64,
    "node_key": np.int32,
    "bias": np.float64,
    "response": np.float64,
    "activation": np.int32,
    "aggregation": np.int32,
    "connection_start": np.int64,
    "source": np.int32,
    "target": np.int32,
    "weight": np.float64,
    "enabled": np.bool_,
    "innovation": np.int64,
}


@dataclass(frozen=True, eq=False)
class NeatPopulation:
    """Genomes, node genes and connection genes; never changed in place."""

    keys: NDArray[np.int64]
    """The key of each genome, unique within a run, shape ``(genomes,)``."""
    node_start: NDArray[np.int64]
    """Genome k has the node genes from ``node_start[k]`` to ``node_start[k + 1]``; shape
    ``(genomes + 1,)``."""
    node_key: NDArray[np.int32]
    bias: NDArray[np.float64]
    response: NDArray[np.float64]
    activation: NDArray[np.int32]
    """The activation of each node, an index into
    :data:`evolve_arena.genomes.neat.functions.ACTIVATIONS`."""
    aggregation: NDArray[np.int32]
    """The aggregation of each node, an index into
    :data:`evolve_arena.genomes.neat.functions.AGGREGATIONS`."""
    connection_start: NDArray[np.int64]
    """Genome k has the connection genes from ``connection_start[k]`` to ``connection_start[k +
    1]``; shape ``(genomes + 1,)``."""
    source: NDArray[np.int32]
    """The key of a connection's source, a node or an input."""
    target: NDArray[np.int32]
    """The key of a connection's target, a node."""
    weight: NDArray[np.float64]
    enabled: NDArray[np.bool_]
    innovation: NDArray[np.int64]
    """The number of the structural mutation that made a connection; in one population, equal
    endpoints have equal numbers, and different endpoints different ones."""

    AXES: ClassVar[dict[str, tuple[str, ...]]] = {
        "keys": ("individual",),
        "node_start": ("individual, and the end",),
        "connection_start": ("individual, and the end",),
        **dict.fromkeys(NODE_FIELDS, ("node gene",)),
        **dict.fromkeys(CONNECTION_FIELDS, ("connection gene",)),
    }
    """Names of the axes of the arrays."""

    def __len__(self) -> int:
        return len(self.keys)

    def nodes(self, genome: int) -> slice:
        """Return the places of the node genes of a genome."""
        return slice(int(self.node_start[genome]), int(self.node_start[genome + 1]))

    def connections(self, genome: int) -> slice:
        """Return the places of the connection genes of a genome."""
        return slice(int(self.connection_start[genome]), int(self.connection_start[genome + 1]))

    def take(self, genomes: Sequence[int] | NDArray[np.int64]) -> NeatPopulation:
        """Return copies of the chosen *genomes*, in that order."""
        chosen = np.asarray(genomes, dtype=np.int64)
        nodes, node_start = _gather(self.node_start, chosen)
        connections, connection_start = _gather(self.connection_start, chosen)
        return NeatPopulation(
            keys=self.keys[chosen],
            node_start=node_start,
            connection_start=connection_start,
            **{name: getattr(self, name)[nodes] for name in NODE_FIELDS},
            **{name: getattr(self, name)[connections] for name in CONNECTION_FIELDS},
        )

    def find_fault(self) -> str | None:
        """Describe the first fault of arrays that were read from a file; None if there is none."""
        for field in fields(self):
            array = getattr(self, field.name)
            if array.ndim != 1 or array.dtype != TYPES[field.name]:
                return f"{field.name} has shape {array.shape} and type {array.dtype}"
        for start, names in (
            (self.node_start, NODE_FIELDS),
            (self.connection_start, CONNECTION_FIELDS),
        ):
            count = len(getattr(self, names[0]))
            if len(start) != len(self.keys) + 1 or start[0] != 0 or start[-1] != count:
                return "its genomes do not cover its genes"
            if np.any(np.diff(start) < 0):
                return "its genomes overlap"
            if any(len(getattr(self, name)) != count for name in names):
                return "its genes are incomplete"
        return None


def concatenate(populations: Sequence[NeatPopulation]) -> NeatPopulation:
    """Join all genomes of *populations* (at least one), in the order given."""
    return NeatPopulation(
        keys=np.concatenate([population.keys for population in populations]),
        node_start=_join([population.node_start for population in populations]),
        connection_start=_join([population.connection_start for population in populations]),
        **{
            name: np.concatenate([getattr(population, name) for population in populations])
            for name in NODE_FIELDS + CONNECTION_FIELDS
        },
    )


def _gather(
    start: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the genes of the *chosen* genomes, and each genome's new beginning."""
    sizes = (start[1:] - start[:-1])[chosen]
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.arange(begin[-1]) - np.repeat(begin[:-1], sizes) + np.repeat(start[chosen], sizes)
    return places, begin


def _join(starts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the beginnings of the genomes of several populations in a row."""
    sizes = np.concatenate([np.diff(start) for start in starts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
