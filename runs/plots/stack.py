"""Stacked sizes of species over generations, for pictures and the page."""

from __future__ import annotations

from colorsys import hsv_to_rgb
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evolve_arena.runs.store.record import Record, blocks, stretch

Column = NDArray[np.float64]

MAX_SPECIES = 500
"""Maximum species drawn one by one; of more, the largest are."""
REST = (0.87, 0.87, 0.87)
"""Colour of all other species together."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Sizes of species, stacked on one another."""

    generations: Column
    """Generation of each column; the middle of its stretch if a long run is drawn as means."""
    species: list[int]
    """Numbers of the species drawn one by one, from bottom to top: the oldest first."""
    sizes: Column
    """Individuals, shape ``(species + 1, columns)``; the last row is all others together."""

    @cached_property
    def edges(self) -> Column:
        """Lower edge of each species, then the upper edge, shape ``(species + 2, columns)``."""
        return np.concatenate([np.zeros((1, self.sizes.shape[1])), np.cumsum(self.sizes, axis=0)])

    def span(self, row: int) -> tuple[int, int]:
        """Return the first and the last column in which a row is not empty; (0, -1) if all are."""
        living = np.flatnonzero(self.sizes[row])
        return (int(living[0]), int(living[-1])) if len(living) else (0, -1)


def stack_species(record: Record, most: int = MAX_SPECIES) -> Stack:
    """Stack the species of *record*, the *most* largest one by one and all others together."""
    generations = record.statistics.get("generation", np.zeros(0))
    columns = {float(generation): column for column, generation in enumerate(generations)}
    # A cell for each species and generation: number, column, individuals
    cells = np.array(
        [
            (number, columns[generation], individuals)
            for number, sizes in record.species.items()
            for generation, individuals in sizes.items()
            if generation in columns
        ],
        dtype=np.int64,
    ).reshape(-1, 3)
    # Give rows to the largest species, by age; the last row takes all others
    numbers, row = np.unique(cells[:, 0], return_inverse=True)
    order = np.argsort(-np.bincount(row, cells[:, 2], minlength=len(numbers)), kind="stable")
    chosen = np.sort(order[:most])
    place = np.full(len(numbers), len(chosen))
    place[chosen] = np.arange(len(chosen))
    # Add up stretches of a long run, and divide by their lengths
    x = blocks(generations)
    width = stretch(len(generations))
    sizes = np.zeros((len(chosen) + 1, len(x)))
    np.add.at(sizes, (place[row], cells[:, 1] // width), cells[:, 2])
    starts = np.arange(0, len(generations), width)
    sizes /= np.diff([*starts, len(generations)])
    return Stack(x, numbers[chosen].tolist(), sizes)


def colour_species(number: int) -> tuple[float, float, float]:
    """Return the colour of the species *number*, always the same and unlike its neighbours'.

    Hue and lightness follow a sequence in which numbers near each other are far apart. Source:
    Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018).
    """
    hue, light = number * 0.7548776662466927 % 1.0, number * 0.5698402909980532 % 1.0
    return hsv_to_rgb(hue, 0.75 - 0.4 * light, 0.5 + 0.42 * light)
