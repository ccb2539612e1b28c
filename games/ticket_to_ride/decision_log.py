"""Logs of games of Ticket to Ride as tables: one row for each decision at the start of a turn."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import check_games, seat_players
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.games.ticket_to_ride.logs import DecisionLog, log_games
from evolve_arena.players.player import CompiledPlayer, distinct_names
from evolve_arena.runs.players import fill_seats, find_player, find_table, with_seats
from evolve_arena.runs.store.files import open_whole

COLUMNS = ("game", "seat", "player", *FEATURE_NAMES, "class", "points", "place")
"""Of the tables. ``game`` counts from 0 through all tables; ``seat`` from 0; ``class`` is 0 for
pass, 1 for drawing cards, 2 for tickets, 3 for claiming a route; ``points`` and ``place`` are
what the seat had in the end. The round and the number of players are features."""
FORMATS = (".csv", ".parquet")
Column = NDArray[Any]


def write_log(
    names: Sequence[str], counts: Sequence[int], games: int, to: Path, *, seed: int = 0
) -> tuple[int, int]:
    """Lets players play and writes what they saw and decided.

    Memory does not grow with the number of games. The file is there once it is complete.

    Args:
        names: Specifications of compiled players; they sit at the table by turns.
        counts: Numbers of players at the tables, 2 to 5 each.
        games: How many games for each of *counts*.
        to: A file that ends in ``.csv`` or ``.parquet``; for the latter pyarrow must be installed.
        seed: Seeds decks and players.

    Returns:
        How many games and decisions were written.

    Raises:
        BadValueError: The file's name ends otherwise, a player is not compiled, or *games* is out
            of range.
        StorageError: The file can't be written.
        ArenaError: There is no such player.
    """
    if to.suffix.lower() not in FORMATS:
        raise BadValueError(f"{to}: a log's name ends in {' or '.join(FORMATS)}")
    check_games(games)
    table = find_table(names, TicketToRide.name, max(2, len(names)))
    with ExitStack() as stack:
        players = []
        for name in names:
            player = find_player(name, table)
            stack.callback(player.close)
            if not isinstance(player, CompiledPlayer):
                raise BadValueError(f"player {name} is no compiled one: its turns can't be logged")
            players.append(player)
        rows = 0
        with _open_table(to) as file:
            for number, columns in enumerate(_play(table, players, counts, games, seed)):
                file.write(columns, first=number == 0)
                rows += len(columns["class"])
    return games * len(counts), rows


def _play(
    table: Any,
    players: Sequence[CompiledPlayer],
    counts: Sequence[int],
    games: int,
    seed: int,
) -> Iterator[dict[str, Column]]:
    names = distinct_names([player.name for player in players])
    for number, count in enumerate(counts):
        order = [int(who) for who in fill_seats([str(n) for n in range(len(players))], count)]
        turned = [np.roll(order, game % count) for game in range(games)]
        seatings = seat_players(turned, MOST_PLAYERS)
        seeds = derive_seeds(seed, count, "log", games)
        for log in log_games(with_seats(table, count), players, seatings, seeds):
            yield _as_columns(log, number * games, seatings, names)


def _as_columns(
    log: DecisionLog, before: int, seatings: NDArray[np.int32], names: Sequence[str]
) -> dict[str, Column]:
    """The columns of a part; *before* are the games of smaller tables."""
    first = int(log.games[0]) if len(log) else 0
    here = log.games - first, log.seats
    return {
        "game": log.games + before,
        "seat": log.seats,
        "player": np.array(names)[seatings[log.games, log.seats]],
        **{name: log.features[:, place] for place, name in enumerate(FEATURE_NAMES)},
        "class": log.classes,
        "points": log.points[here],
        "place": log.places[here],
    }


class _Table(ABC):
    """A file to which rows are added."""

    @abstractmethod
    def write(self, columns: Mapping[str, Column], *, first: bool) -> None:
        """Adds rows; *first* for the first ones."""

    @abstractmethod
    def close(self) -> None:
        """Called when all is written."""


class _Csv(_Table):
    def __init__(self, file: BinaryIO) -> None:
        self._file = io.TextIOWrapper(file, encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")

    def write(self, columns: Mapping[str, Column], *, first: bool) -> None:
        if first:
            self._writer.writerow(columns)
        self._writer.writerows(zip(*(_shorten(column) for column in columns.values()), strict=True))

    def close(self) -> None:
        self._file.detach()


class _Parquet(_Table):
    def __init__(self, file: BinaryIO) -> None:
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError:
            raise BadValueError(
                "Parquet files need the package pyarrow (pip install pyarrow); CSV files do not"
            ) from None
        self._file, self._arrow, self._parquet = file, arrow, parquet
        self._writer: Any = None

    def write(self, columns: Mapping[str, Column], *, first: bool) -> None:
        table = self._arrow.table(dict(columns))
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


@contextmanager
def _open_table(path: Path) -> Iterator[_Table]:
    """A table that lies at *path* once it is complete."""
    with open_whole(path) as file:
        table = (_Csv if path.suffix.lower() == ".csv" else _Parquet)(file)
        try:
            yield table
        finally:
            table.close()


def _shorten(column: Column) -> list[Any]:
    """Whole numbers without a point."""
    if column.dtype.kind == "f":
        return [int(value) if value.is_integer() else f"{value:.9g}" for value in column.tolist()]
    return list(column.tolist())
