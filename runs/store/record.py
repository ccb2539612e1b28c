"""The history of a run as arrays, read in one go, also while the run is being written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from deap import tools
from numpy.typing import NDArray

from evolve_arena.arena.crosstable import Rating, rate_players
from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.extras import import_extra
from evolve_arena.core.html import make_table
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.runs.store.history import ChampionMatch, Check, History

Column = NDArray[np.float64]

CHECK_COLUMNS = (
    *("generation", "opponent", "games", "won", "drawn", "lost"),
    *("share_won", "low_95", "high_95"),
)
"""The columns of a table of checks; the last two are the ends of the 95 % interval."""
MOST_ROWS = 20
"""How many checks a notebook shows."""
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
    islands: IslandsConfig | None = None
    """The section ``[islands]`` of its recipe."""
    seed: int = 0
    ratings: dict[int, Rating] = field(default_factory=dict)
    """How strong the champion of each check is among the run's own: Elo above that of generation 0,
    by generation. Empty unless `run.champion` is ``strongest``."""

    def __getitem__(self, name: str) -> Column:
        """The figure called *name*, one value per generation.

        Raises:
            UnknownNameError: The run has no such figure.
        """
        if name not in self.statistics:
            raise UnknownNameError("figure", name, self.statistics)
        return self.statistics[name]

    def logbook(self) -> tools.Logbook:
        """All figures as a ``deap.tools.Logbook``, with a record for each generation."""
        logbook = tools.Logbook()
        logbook.header = list(self.statistics)
        for row in zip(*(column.tolist() for column in self.statistics.values()), strict=True):
            logbook.record(**dict(zip(self.statistics, row, strict=True)))
        return logbook

    def to_frame(self) -> Any:
        """All figures as a pandas DataFrame, with a row for each generation.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        pandas = import_extra("pandas", "pandas")
        return pandas.DataFrame(self.statistics).set_index("generation")

    def checks_to_frame(self) -> Any:
        """All checks as a pandas DataFrame: one row for each generation and opponent."""
        pandas = import_extra("pandas", "pandas")
        return pandas.DataFrame(self._list_checks(), columns=CHECK_COLUMNS)

    def ratings_to_frame(self) -> Any:
        """The ratings of its champions as a pandas DataFrame: one row for each check."""
        pandas = import_extra("pandas", "pandas")
        rows = [(g, each.elo, *each.interval) for g, each in self.ratings.items()]
        return pandas.DataFrame(rows, columns=("generation", "elo", "low_95", "high_95"))

    def _list_checks(self) -> list[tuple[Any, ...]]:
        return [
            (c.generation, c.opponent, c.games, c.wins, c.draws, c.losses, c.won, *c.win_interval)
            for c in self.checks
        ]

    def __repr__(self) -> str:
        figures = ", ".join(self.statistics)
        return f"History of {self.name}: {self.generations} generations of {figures}"

    def _repr_html_(self) -> str:
        rows = [
            (*row[:-3], *(f"{share:.3f}" for share in row[-3:]))
            for row in self._list_checks()[-MOST_ROWS:]
        ]
        title = f"{self.name}: {self.generations} generations, the last checks"
        return make_table(title, CHECK_COLUMNS, rows)

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
        ratings = rate_champions(history.champion_matches())
    shortest = min(len(column) for column in table.values())
    columns = {key: np.array(cells[:shortest], dtype=float) for key, cells in table.items()}
    return Record(name, title, columns, checks, species, ratings=ratings)


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


def rate_champions(matches: Sequence[ChampionMatch]) -> dict[int, Rating]:
    """Elo ratings of a run's champions by generation, from their *matches* with each other.

    The earliest one has 0. Whoever is tied to it by no match, as champions of a history that was
    lost in part, is left out.
    """
    generations = sorted({g for match in matches for g in (match.generation, match.opponent)})
    if not generations:
        return {}
    places = {generation: place for place, generation in enumerate(generations)}
    points, games = np.zeros((2, len(places), len(places)))
    for match in matches:
        one, two = places[match.generation], places[match.opponent]
        points[one, two] += match.wins + match.draws / 2
        points[two, one] += match.losses + match.draws / 2
        games[one, two] += match.finished
        games[two, one] += match.finished
    ratings = zip(generations, rate_players(points, games, anchor=0), strict=True)
    return {generation: each for generation, each in ratings if math.isfinite(each.error)}
