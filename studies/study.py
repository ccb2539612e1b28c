"""Studies: runs to evolve, and tables that compare their results with a publication."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from evolve_arena.core.errors import BadValueError, UnknownNameError, quote
from evolve_arena.core.types import JsonObject
from evolve_arena.runs.many.parallel_runs import Job, RunsProgress
from evolve_arena.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SEEDS = 1_000
"""Most runs of each setting in a study."""


@dataclass(frozen=True)
class Settings:
    """The size of a study.

    Raises:
        BadValueError: A number is out of range.
    """

    seeds: int = 1
    """Number of runs of each setting."""
    scale: float = 1.0
    """Factor of all lengths."""

    def __post_init__(self) -> None:
        if not 1 <= self.seeds <= MAX_SEEDS:
            raise BadValueError(f"seeds is {quote(self.seeds)}: it must be from 1 to {MAX_SEEDS:,}")
        if not (self.scale > 0.0 and math.isfinite(self.scale)):
            raise BadValueError(f"scale is {self.scale}: it must be a number above 0")

    @property
    def each_seed(self) -> range:
        """Numbers of the runs of each setting, from 1."""
        return range(1, self.seeds + 1)

    def scaled(self, count: int, *, least: int = 20) -> int:
        """Return *count* times the scale, but at least *least*."""
        return max(least, round(count * self.scale))


@dataclass(frozen=True)
class Row:
    """A published number beside the one measured here."""

    table: str
    row: str
    column: str
    published: float | str | None
    """Published value, as a number or in words; None if there is none."""
    measured: float
    low: float
    """Lower end of the 95 % interval of :attr:`measured`."""
    high: float
    """Upper end of that interval."""
    games: int
    """Number of games measured."""
    remark: str = ""
    """A comment on the row."""

    def to_dict(self) -> JsonObject:
        """Return the fields by name, without the remark."""
        figures = asdict(self)
        del figures["remark"]
        return figures


@dataclass(frozen=True)
class Grid:
    """Additional table of formatted numbers, in the layout of a publication."""

    title: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Table:
    """A finished table."""

    name: str
    title: str
    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    """Comments on the table, in sentences."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Charts and data that belong to it, by file name."""
    grids: list[Grid] = field(default_factory=list)
    """Additional tables of numbers for the report."""

    def add_picture(self, name: str, figure: Figure) -> None:
        """Add the *figure* as the file *name*.png."""
        from evolve_arena.runs.plots.style import render

        self.files[f"{name}.png"] = render(figure, ".png")


@dataclass(frozen=True)
class Material:
    """The input of tables: finished runs, and settings for additional games."""

    settings: Settings
    runs: Mapping[str, Run]
    """The finished runs by the names of their jobs."""
    workers: int | None = None
    """Number of processes that may play; one per core if None."""
    folder: Path | None = None
    """The study's folder; games that are played for its tables are not stored if None."""
    progress: Callable[[RunsProgress], bool] | None = None
    """Called with the progress of tables; stops the study by returning False."""

    def list_runs(self, name: str) -> list[Run]:
        """Return the runs of a setting, seed by seed: ``NAME-1``, ``NAME-2`` and so on."""
        return [self.runs[f"{name}-{seed}"] for seed in self.settings.each_seed]


Need = Callable[[Job], bool]
"""Predicate that tells whether a table needs a run."""


def _need_all(job: Job) -> bool:
    return True


def needs(*settings: str) -> Need:
    """Return a predicate for the runs of *settings*, named as for :meth:`Material.list_runs`."""
    return lambda job: job.name.rpartition("-")[0] in settings


@dataclass(frozen=True)
class TableKind:
    """A table that a study can make."""

    name: str
    summary: str
    measure: Callable[[Material], Table]
    needs: Need = _need_all
    """Predicate for the runs of the study that the table needs; by default all of them."""


@dataclass(frozen=True)
class Study:
    """A publication that can be repeated."""

    name: str
    summary: str
    source: str
    plan: Callable[[Settings], list[Job]]
    """Function that returns the jobs of the runs that the tables need, except those of
    :attr:`later`."""
    tables: tuple[TableKind, ...]
    later: tuple[Callable[[Material], list[Job]], ...] = ()
    """Functions called in turn, each of which plans further runs from the results of all earlier
    ones."""
    seeds: int = 1
    """Default number of runs of each setting."""

    @property
    def options(self) -> dict[str, str]:
        """The possible values of ``only``: each table, with its summary."""
        return {table.name: table.summary for table in self.tables}

    def choose_tables(self, only: str | None) -> list[TableKind]:
        """Return all tables, or the one called *only*.

        Raises:
            UnknownNameError: There is no such table.
        """
        chosen = [table for table in self.tables if only in (None, table.name)]
        if not chosen:
            raise UnknownNameError(f"table of {self.name}", str(only), self.options)
        return chosen


@dataclass(frozen=True)
class StudyResult:
    """The result of a study."""

    study: Study
    settings: Settings
    out: Path
    """Folder of its runs and its report."""
    tables: list[Table]

    @property
    def rows(self) -> list[Row]:
        """The rows of all tables."""
        return [row for table in self.tables for row in table.rows]

    @property
    def command(self) -> str:
        """The command that repeats the result."""
        words = ["evolve reproduce", self.study.name]
        if self.settings.seeds != self.study.seeds:
            words.append(f"--seeds {self.settings.seeds}")
        if self.settings.scale != 1.0:
            words.append(f"--scale {self.settings.scale:g}")
        if len(self.tables) < len(self.study.tables):
            words.append(f"--only {self.tables[0].name}")
        return " ".join(words)

    def to_dict(self) -> JsonObject:
        """Return the result as values that JSON can hold."""
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
                    "rows": [row.to_dict() for row in table.rows],
                    "notes": table.notes,
                    "files": sorted(table.files),
                }
                for table in self.tables
            ],
        }


@cache
def read_lines(package: str, name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of the CSV file ``data/NAME`` of a *package*, as dictionaries by column."""
    file = resources.files(package).joinpath("data", name)
    return tuple(csv.DictReader(io.StringIO(file.read_text("utf-8"))))


def format_csv(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> bytes:
    """Return *lines* as CSV below a header, UTF-8 encoded; None becomes an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *lines])
    return text.getvalue().encode()


def judge_interval(
    low: float,
    high: float,
    above: str = "higher here",
    below: str = "lower here",
    between: str = "agrees",
) -> str:
    """Return the verdict on the interval of a difference: *above* or *below* 0, or *between*.

    Args:
        low: Lower end of the interval.
        high: Upper end.
        above: Verdict if the whole interval lies above 0.
        below: Verdict if it lies below 0.
        between: Verdict if 0 lies in it.

    >>> judge_interval(0.1, 0.3), judge_interval(-0.1, 0.3)
    ('higher here', 'agrees')
    """
    return above if low > 0.0 else below if high < 0.0 else between
