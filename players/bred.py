"""Players that were bred, and how they are stored: vectors of weights, graphs, and others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError, write_tensors
from evolve_arena.players.lineup import Lineup
from evolve_arena.players.player import CompiledPlayer

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
    design_type: ClassVar[type[Any]]
    """The class of its design."""
    genome_kind: ClassVar[str]
    """What evolves or learns: ``vector``, ``graph`` or ``tuples``; methods say which they breed."""

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
    ) -> Self:
        """The player whose design has these *options* and whose genome these *arrays*."""

    def serialise(self, **remarks: Any) -> bytes:
        """The player as a safetensors blob that `evolve_arena.players.storage.read_player` reads.

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


class VectorPlayer(BredPlayer):
    """A player whose genome is a vector of numbers.

    Args:
        design: Its structure: what the numbers belong to.
        genome: The numbers, shape ``(genes,)``.
        name: How tables call it.
    """

    genome_kind = "vector"

    def __init__(self, design: Any, genome: NDArray[np.float32], name: str) -> None:
        super().__init__(design, design.pack(genome[None, :]), name)
        self.genome = genome

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers, as ``genome``."""
        return {"genome": self.genome}

    @classmethod
    def read(
        cls, options: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
    ) -> Self:
        """The player of a stored design and its arrays.

        Raises:
            BadValueError: They do not fit together.
        """
        names = [field.name for field in fields(cls.design_type) if type(field.default) is tuple]
        lists = {name: tuple(options[name]) for name in names}
        design, genome = cls.design_type(**{**options, **lists}), arrays["genome"]
        if genome.shape != (design.genes,) or genome.dtype != np.float32:
            raise BadValueError(
                f"its weights are {genome.dtype} of shape {genome.shape}, expected float32 of"
                f" shape ({design.genes},)"
            )
        return cls(design, genome, name)


class NeatPlayer(BredPlayer):
    """A player whose genome is a NEAT graph.

    Args:
        design: What the graph sees, and what its outputs mean.
        genome: A population of this one genome.
        name: How tables call it.
    """

    genome_kind = "graph"

    def __init__(self, design: Any, genome: NeatPopulation, name: str) -> None:
        super().__init__(design, design.pack(genome), name)
        self.genome = genome

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The fields of the genome's population, by name."""
        return {field.name: getattr(self.genome, field.name) for field in fields(self.genome)}

    @classmethod
    def read(
        cls, options: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
    ) -> Self:
        """The player of a stored design and its arrays.

        Raises:
            DamagedFileError: The arrays are no genome of that design.
        """
        design = cls.design_type(**options)
        genome = NeatPopulation(**arrays)
        fault = genome.find_fault() or (None if len(genome) == 1 else "it holds no single genome")
        fault = fault or find_fault(genome, 0, design.inputs, design.outputs, design.feed_forward)
        if fault:
            raise DamagedFileError(f"its genome is none: {fault}")
        return cls(design, genome, name)
