"""What a study is: runs to breed, and tables that set what came of them beside a publication."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, UnknownNameError, quote
from evolve_arena.runs.many.parallel_runs import Job, RunsProgress, watch_parts
from evolve_arena.runs.run import Run

MOST_SEEDS = 1_000
"""How many runs of each setting a study can have."""


@dataclass(frozen=True)
class Settings:
    """How much of a study is asked for.

    Raises:
        BadValueError: A number is out of range.
    """

    seeds: int = 1
    """How many runs of each setting."""
    scale: float = 1.0
    """What lengths are multiplied by."""

    def __post_init__(self) -> None:
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise BadValueError(
                f"seeds is {quote(self.seeds)}: it must be from 1 to {MOST_SEEDS:,}"
            )
        if not (self.scale > 0.0 and math.isfinite(self.scale)):
            raise BadValueError(f"scale is {self.scale}: it must be a number above 0")

    def scaled(self, count: int, *, least: int = 20) -> int:
        """*count* times the scale, but at least so many."""
        return max(least, round(count * self.scale))


@dataclass(frozen=True)
class Row:
    """One number of a publication beside the one measured here."""

    table: str
    row: str
    column: str
    published: float | str | None
    """As the source gives it: a number, words, or nothing."""
    measured: float
    low: float
    """The 95 % interval of :attr:`measured`: from here ..."""
    high: float
    """... to here."""
    games: int
    """How many games were measured."""


@dataclass(frozen=True)
class Grid:
    """Figures in rows and columns that belong to a table, as a publication may print them."""

    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Table:
    """A finished table."""

    name: str
    title: str
    rows: list[Row]
    remarks: dict[tuple[str, str], str] = field(default_factory=dict)
    """What is to be said about a number, by row and column."""
    notes: list[str] = field(default_factory=list)
    """What is to be said about the table, in sentences."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Charts and data that belong to it, by the name of the file."""
    grids: list[Grid] = field(default_factory=list)
    """More figures, for the report."""


@dataclass(frozen=True)
class Material:
    """What tables are made from."""

    settings: Settings
    runs: Mapping[str, Run]
    """The finished runs by the names of their jobs."""
    workers: int | None = None
    """How many processes may play; one per core if None."""
    folder: Path | None = None
    """Where the study lies; what is played for its tables is kept nowhere if None."""
    progress: Callable[[RunsProgress], bool] | None = None
    """Is told how far tables are, and stops the study by giving False."""

    def watch(self, names: Sequence[str], unit: str) -> Iterator[str]:
        """Gives *names* one after the other, and tells each time how far they are.

        Args:
            names: What is to be done, each of which takes about as long.
            unit: What they are: "readings", say.

        Raises:
            RunsStoppedError: Who watches wants no more.
        """
        return watch_parts(names, unit, self.folder, self.progress)


Need = Callable[[Job], bool]
"""Whether a table is made from a run."""


def _need_all(job: Job) -> bool:
    return True


@dataclass(frozen=True)
class TableKind:
    """A table that a study can make."""

    name: str
    summary: str
    measure: Callable[[Material], Table]
    needs: Need = _need_all
    """Which of the study's runs it is made from; all of them unless told otherwise."""


@dataclass(frozen=True)
class Study:
    """A publication that can be repeated."""

    name: str
    summary: str
    source: str
    plan: Callable[[Settings], list[Job]]
    """The runs that all tables together need, or the first of them; see :attr:`later`."""
    tables: tuple[TableKind, ...]
    later: tuple[Callable[[Material], list[Job]], ...] = ()
    """What is planned once all runs that were planned before are finished, from what came of
    them, step by step."""
    seeds: int = 1
    """How many runs of each setting there are unless told otherwise."""

    @property
    def options(self) -> dict[str, str]:
        """What can be asked of it: each table that ``only`` can name, with its summary."""
        return {table.name: table.summary for table in self.tables}

    def choose_tables(self, only: str | None) -> list[TableKind]:
        """All tables, or the one called *only*.

        Raises:
            UnknownNameError: There is no such table.
        """
        chosen = [table for table in self.tables if only in (None, table.name)]
        if not chosen:
            raise UnknownNameError(f"table of {self.name}", str(only), self.options)
        return chosen


@dataclass(frozen=True)
class StudyResult:
    """What came of a study."""

    study: Study
    settings: Settings
    out: Path
    """Where its runs and its report lie."""
    tables: list[Table]

    @property
    def rows(self) -> list[Row]:
        """The rows of all tables."""
        return [row for table in self.tables for row in table.rows]

    @property
    def command(self) -> str:
        """What to type for the same result."""
        words = ["evolve reproduce", self.study.name]
        if self.settings.seeds != self.study.seeds:
            words.append(f"--seeds {self.settings.seeds}")
        if self.settings.scale != 1.0:
            words.append(f"--scale {self.settings.scale:g}")
        if len(self.tables) < len(self.study.tables):
            words.append(f"--only {self.tables[0].name}")
        return " ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "study": self.study.name,
            "source": self.study.source,
            "command": self.command,
            "seeds": self.settings.seeds,
            "scale": self.settings.scale,
            "out": str(self.out),
            "tables": [
                {
                    "name": table.name,
                    "title": table.title,
                    "rows": [asdict(row) for row in table.rows],
                    "notes": table.notes,
                    "files": sorted(table.files),
                }
                for table in self.tables
            ],
        }
