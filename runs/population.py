"""A run's population for people: an array that says what its axes are."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.html import make_table
from evolve_arena.evolve.fitness import take_one
from evolve_arena.players.bred import BredPlayer


class Population:
    """The individuals of a generation.

    Args:
        decoder: What turns genomes into players.
        state: The method's state.
    """

    def __init__(self, decoder: Any, state: Any) -> None:
        self.decoder = decoder
        self.generation: int = state.generation
        self.genomes: Any = state.population
        """The genomes as the method has them: an array, or a dataclass of arrays."""

    def __len__(self) -> int:
        return len(self.genomes)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays of the genomes, by name."""
        if isinstance(self.genomes, np.ndarray):
            return {"genomes": self.genomes}
        return {field.name: getattr(self.genomes, field.name) for field in fields(self.genomes)}

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """What the axes of each of :attr:`arrays` are; the genomes' class says it as ``AXES``."""
        if isinstance(self.genomes, np.ndarray):
            return {"genomes": ("individual", "gene")}
        said: dict[str, tuple[str, ...]] = getattr(self.genomes, "AXES", {})
        return {name: said.get(name, ("individual",)) for name in self.arrays}

    def player(self, row: int) -> BredPlayer:
        """The player that the individual in a *row* makes.

        Raises:
            BadValueError: There is no such row.
        """
        if not 0 <= row < len(self):
            raise BadValueError(f"row is {row}: it must be from 0 to {len(self) - 1}")
        player: BredPlayer = self.decoder.player(take_one(self.genomes, row), f"individual {row}")
        return player

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
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
