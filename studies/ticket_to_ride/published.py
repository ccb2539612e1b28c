"""What ``ticket-to-ride`` compares with: the tables of Łabno (2018), and what they should say.

The tables are read from the printed text. Łabno's repository has the logs of the games that they
sum up; cells which do not follow from these have a correction. Both files keep his row names.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

COUNTS = (2, 3, 4, 5)
"""How many play; a column of a table for each, and one for all games together."""
ALL = "all"

GAMES = {
    "3.1": {"2": 250, "3": 250, "4": 250, "5": 250},
    "4.3": {"2": 250, "3": 250, "4": 240, "5": 260},
    "5.1": {"2": 60, "3": 60, "4": 60, "5": 60},
    "5.2": {"2": 60, "3": 60, "4": 60, "5": 60},
}
"""How many games a column sums up; those of table 4.3 as logged, the text says 250 each."""

COMPLETED = "Ukończonych rozgrywek"
TOTALS = ("Zrealizowane bilety", "Niezrealizowane bilety")
"""Rows of tables 5.1 and 5.2 that give sums over all players, where others give means."""


@dataclass(frozen=True)
class Cell:
    """A published number."""

    printed: float | None
    """As printed; None if there is none."""
    corrected: float | None = None
    """What the logs give instead; None if they give the same, or are not known."""

    @property
    def value(self) -> float | None:
        """The right one."""
        return self.printed if self.corrected is None else self.corrected


def read_cell(table: str, row: str, column: str | int) -> Cell:
    """A cell of a published table.

    Where tables 5.1 and 5.2 give sums over the players of completed games, it is their mean.

    Args:
        table: Such as ``3.1``.
        row: Its name in the publication.
        column: A number of players, ``all``, or in table 6.1 the iteration.
    """
    place = table, row, str(column)
    printed, corrected = (
        _read("tables", "value").get(place),
        _read("errata", "corrected").get(place),
    )
    if printed is not None and table in ("5.1", "5.2") and row in TOTALS:
        printed /= seats_of(table, str(column))
    return Cell(printed, corrected)


def games_of(table: str, column: str | int) -> int:
    """How many games a column of a table sums up."""
    games = GAMES[table]
    return sum(games.values()) if column == ALL else games[str(column)]


def seats_of(table: str, column: str) -> float:
    """In how many seats completed games of table 5.1 or 5.2 were played."""
    counts = COUNTS if column == ALL else (int(column),)
    completed = _read("tables", "value")
    return sum(count * completed[table, COMPLETED, str(count)] for count in counts)


def column_name(column: str | int) -> str:
    """What a column is called here."""
    return "all games" if column == ALL else f"{column} players"


@cache
def _read(name: str, column: str) -> dict[tuple[str, str, str], float]:
    file = resources.files(__package__).joinpath(f"data/{name}.csv")
    lines = csv.DictReader(io.StringIO(file.read_text("utf-8")))
    return {
        (line["table"], line["row"], line["column"]): float(line[column])
        for line in lines
        if line[column]
    }
