"""The population of a run: arrays with named axes."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import DTypeLike

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.html import make_table
from evolve_arena.core.types import Array, Arrays
from evolve_arena.evolve.fitness import take_one
from evolve_arena.evolve.method import State
from evolve_arena.players.evolved import Decoder, EvolvedPlayer


class Population:
    """The individuals of a generation.

    Args:
        decoder: Decoder that turns genomes into players.
        state: State of the method.
    """

    def __init__(self, decoder: Decoder, state: State) -> None:
        self.decoder = decoder
        self.generation: int = state.generation
        self.genomes = state.population
        """Genomes as the method stores them: an array, or a dataclass of arrays."""

    def __len__(self) -> int:
        return len(self.genomes)

    @property
    def arrays(self) -> Arrays:
        """All arrays of the genomes, by name."""
        if isinstance(self.genomes, np.ndarray):
            return {"genomes": self.genomes}
        return {field.name: getattr(self.genomes, field.name) for field in fields(self.genomes)}

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The names of the axes of each of :attr:`arrays`; genomes define them as ``AXES``."""
        if isinstance(self.genomes, np.ndarray):
            return {"genomes": ("individual", "gene")}
        said: dict[str, tuple[str, ...]] = getattr(self.genomes, "AXES", {})
        return {name: said.get(name, ("individual",)) for name in self.arrays}

    def player(self, row: int) -> EvolvedPlayer:
        """Return the player of the individual in a *row*.

        Raises:
            BadValueError: *row* is out of range.
        """
        if not 0 <= row < len(self):
            raise BadValueError(f"row is {row}: it must be from 0 to {len(self) - 1}")
        return self.decoder.player(take_one(self.genomes, row), f"individual {row}")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if not isinstance(self.genomes, np.ndarray):
            raise TypeError("these individuals have no common shape: see Population.arrays")
        return np.array(self.genomes, dtype=dtype)

    def __repr__(self) -> str:
        parts = [f"{name} {self._describe(name)}" for name in self.arrays]
        return f"Population of generation {self.generation}: {'; '.join(parts)}"

    def _repr_html_(self) -> str:
        rows = [(name, self._describe(name), array.dtype) for name, array in self.arrays.items()]
        title = f"{len(self)} individuals of generation {self.generation}"
        return make_table(title, ["array", "axes", "type"], rows)

    def _describe(self, name: str) -> str:
        sizes = zip(self.arrays[name].shape, self.axes[name], strict=False)
        return " x ".join(f"{size} ({axis})" for size, axis in sizes)
