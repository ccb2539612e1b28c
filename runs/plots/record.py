"""What a picture needs to know of a run, read in one go, also while the run is being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.runs.history import Check, History
from evolve_arena.runs.run import Run

Column = NDArray[np.float64]

MOST_POINTS = 250
"""A line of more points than this is drawn as means over equal stretches of generations."""


@dataclass(frozen=True, eq=False)
class Record:
    """A run's history as arrays."""

    name: str
    title: str
    """The title of its recipe."""
    statistics: dict[str, Column]
    """One value per generation for each figure that the method tells, ``generation`` too; not
    a number where one is missing."""
    checks: list[Check]
    species: dict[int, dict[int, int]] = field(default_factory=dict)
    """How many individuals each species had, by its number and then by generation."""

    @property
    def generations(self) -> int:
        """How many generations were played so far."""
        return len(self.statistics.get("generation", ()))

    @property
    def opponents(self) -> list[str]:
        """Who the champions met, in the order of their names."""
        return sorted({check.opponent for check in self.checks})

    @property
    def adapts(self) -> bool:
        """Whether the mutation strength changes."""
        strengths = self.statistics.get("mutation_strength", np.zeros(0))
        return bool(len(strengths) and np.nanmin(strengths) < np.nanmax(strengths))

    @property
    def grows(self) -> bool:
        """Whether networks have sizes of their own."""
        return "connections" in self.statistics

    @property
    def scores(self) -> bool:
        """Whether games have points, which checks tell."""
        return any(check.scores for check in self.checks)

    @property
    def learns(self) -> bool:
        """Whether the individuals play themselves and learn; then they have no fitness."""
        return "error" in self.statistics


def read_record(run: Run, name: str | None = None) -> Record:
    """The history of *run*; one that has not begun has an empty one.

    Raises:
        StorageError: Its history is damaged.
    """
    name = name or run.path.resolve().name
    return read_file(run.directory.history, name, run.recipe.title)


def read_file(file: Path, name: str, title: str) -> Record:
    """The history in a *file* of the run called *name*; an empty one if there is no file.

    Raises:
        StorageError: It is damaged.
    """
    if not file.is_file():
        return Record(name, title, {}, [])
    with History(file) as history:
        table = history.generations()
        checks = history.checks()
        species = history.species()
    shortest = min(len(column) for column in table.values())
    columns = {key: np.array(cells[:shortest], dtype=float) for key, cells in table.items()}
    return Record(name, title, columns, checks, species)


def blocks(column: Column, most: int = MOST_POINTS) -> Column:
    """*column* as means over equal stretches, so many that at most *most* points remain.

    A rest at the end that does not fill a stretch makes a shorter one.

    >>> blocks(np.array([1.0, 3.0, 5.0, 7.0, 9.0]), most=3).tolist()
    [2.0, 6.0, 9.0]
    """
    width = stretch(len(column), most)
    starts = np.arange(0, len(column), width)
    if width == 1 or not len(starts):
        return column
    sizes = np.diff([*starts, len(column)])
    return np.asarray(np.add.reduceat(column, starts) / sizes, dtype=np.float64)


def stretch(count: int, most: int = MOST_POINTS) -> int:
    """Over how many generations :func:`blocks` takes the mean."""
    return max(1, -(-count // most))


def distinct_names(runs: Sequence[Run]) -> list[str]:
    """The folders' names, with as many of the folders above as tell them apart."""
    paths = [run.path.resolve() for run in runs]
    deepest = max((len(path.parts) for path in paths), default=0)
    for depth in range(1, deepest + 1):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(names)) == len(set(paths)):
            return names
    return [str(path) for path in paths]
