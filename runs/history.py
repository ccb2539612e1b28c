"""What happened in a run, generation by generation, in a SQLite database.

Any tool can read it, also while the run goes on. Nothing that evolution depends on is in
here: if it is damaged, a run can still be resumed from its checkpoints.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from deap import tools

from arena.duel_result import DuelResult, ForfeitCount, Score
from evolve.method import Report
from runs.check_points import CheckPoints, find_scores
from runs.errors import DamagedHistoryError, NotARunError, StorageError

__all__ = ["Check", "History"]

SCHEMA = """
CREATE TABLE IF NOT EXISTS generations (
    generation INTEGER PRIMARY KEY, games INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS statistics (
    generation INTEGER NOT NULL, name TEXT NOT NULL, value REAL,
    PRIMARY KEY (generation, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS species (
    generation INTEGER NOT NULL, species INTEGER NOT NULL, individuals INTEGER NOT NULL,
    PRIMARY KEY (generation, species)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checks (
    generation INTEGER NOT NULL, opponent TEXT NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL, distinct_games INTEGER NOT NULL,
    PRIMARY KEY (generation, opponent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS check_points (
    generation INTEGER NOT NULL, opponent TEXT NOT NULL, points REAL NOT NULL,
    against REAL NOT NULL, margin REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
    forbidden INTEGER NOT NULL,
    PRIMARY KEY (generation, opponent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS check_forfeits (
    generation INTEGER NOT NULL, opponent TEXT NOT NULL, player INTEGER NOT NULL,
    kind TEXT NOT NULL, games INTEGER NOT NULL, sentence TEXT NOT NULL, errors TEXT NOT NULL,
    PRIMARY KEY (generation, opponent, player, kind)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS champions (
    generation INTEGER PRIMARY KEY, points REAL NOT NULL, matches REAL NOT NULL,
    player BLOB NOT NULL);
"""

PATIENCE = 0.25
"""Seconds that a generation may wait to be written."""


@dataclass(frozen=True)
class Check(Score):
    """How a generation's champion did against an opponent from outside."""

    generation: int
    opponent: str
    wins: int
    draws: int
    losses: int
    distinct_games: int
    scores: CheckPoints | None = None
    """None in games that are won and lost, and no more."""
    forfeits: tuple[ForfeitCount, ...] = ()
    """By the champion (player 0) and by the opponent."""

    @property
    def wilson_95(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`won`."""
        return self.win_interval


class History:
    """The history of one run.

    Args:
        path: The database.
        write: Whether to make and change it; else it is opened for reading only.

    Raises:
        NotARunError: There is none to read.
        StorageError: It can't be made, or is damaged.
    """

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.path = path
        self._waiting: list[tuple[Report, float]] = []
        self._written = -PATIENCE
        if not write and not path.is_file():
            raise NotARunError(f"{path} does not exist: the run has not begun")
        with self._explain():
            if write:
                self._database = _open_to_write(path)
            else:
                self._database = _open_to_read(path)

    def flush(self) -> None:
        """Brings everything to the disk, so that no checkpoint is ahead of the history."""
        self._write_waiting()
        with self._explain():
            self._database.execute("PRAGMA wal_checkpoint(FULL)")

    def close(self) -> None:
        """Notes what is waiting and closes the database."""
        try:
            self._write_waiting()
        finally:
            self._database.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add_generation(self, report: Report, seconds: float) -> None:
        """Notes what a step reported and how long it took.

        A transaction takes longer than many a match, so it may wait for others; but never for
        longer than :data:`PATIENCE`, for anyone may be reading along.
        """
        self._waiting.append((report, seconds))
        if time.monotonic() - self._written > PATIENCE:
            self._write_waiting()

    def _write_waiting(self) -> None:
        """Writes what waits, in one transaction; if that fails, nobody tries again."""
        if not self._waiting:
            return
        rows, self._waiting = self._waiting, []
        with self._transaction():
            self._database.executemany(
                "INSERT INTO generations VALUES (?, ?, ?)",
                [(report.generation, report.games, seconds) for report, seconds in rows],
            )
            self._database.executemany(
                "INSERT INTO statistics VALUES (?, ?, ?)",
                [
                    (report.generation, *item)
                    for report, _ in rows
                    for item in report.statistics.items()
                ],
            )
            self._database.executemany(
                "INSERT INTO species VALUES (?, ?, ?)",
                [
                    (report.generation, *item)
                    for report, _ in rows
                    for item in report.species.items()
                ],
            )
        self._written = time.monotonic()

    def add_check(self, report: Report, player: bytes, results: list[DuelResult]) -> None:
        """Notes the champion of a generation and what it did against each opponent."""
        statistics = report.statistics
        self._write_waiting()
        with self._transaction():
            self._database.execute(
                "DELETE FROM check_forfeits WHERE generation = ?", (report.generation,)
            )
            self._database.execute(
                "INSERT OR REPLACE INTO champions VALUES (?, ?, ?, ?)",
                (report.generation, statistics["points"], statistics["matches"], player),
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        report.generation,
                        result.names[1],
                        result.wins,
                        result.draws,
                        result.losses,
                        result.distinct_games,
                    )
                    for result in results
                ],
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO check_points VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (report.generation, result.names[1], *astuple(scores))
                    for result in results
                    if (scores := find_scores(result)) is not None
                ],
            )

            self._database.executemany(
                "INSERT INTO check_forfeits VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (report.generation, result.names[1], *row[:-1], "\n".join(row[-1]))
                    for result in results
                    for row in map(astuple, result.forfeits)
                ],
            )

    def drop_champions(self, keep: Collection[int], larger_than: int) -> None:
        """Makes room: of champions of more bytes only those of the generations in *keep* stay.

        What is known of the others does.
        """
        large = self._read("SELECT generation FROM champions WHERE length(player) > ?", larger_than)
        dropped = [row for row in large if row[0] not in keep]
        with self._transaction():
            query = "UPDATE champions SET player = x'' WHERE generation = ?"
            self._database.executemany(query, dropped)

    def forget_after(self, generation: int) -> None:
        """Removes what happened after the state at *generation*."""
        self._write_waiting()
        with self._transaction():
            for table, first in (
                ("generations", generation),
                ("statistics", generation),
                ("species", generation),
                ("checks", generation + 1),
                ("check_points", generation + 1),
                ("check_forfeits", generation + 1),
                ("champions", generation + 1),
            ):
                self._database.execute(f"DELETE FROM {table} WHERE generation >= ?", (first,))

    def generations(self) -> dict[str, list[float]]:
        """Columns ``generation``, ``games``, ``seconds`` and one per statistic, in order.

        All are of the same instant, also while the run goes on.
        """
        self._write_waiting()
        with self._transaction("BEGIN"):
            return self._read_generations()

    def _read_generations(self) -> dict[str, list[float]]:
        table: dict[str, list[float]] = {"generation": [], "games": [], "seconds": []}
        rows = self._read("SELECT * FROM generations ORDER BY generation")
        for column, cells in zip(table, zip(*rows, strict=True), strict=False):
            table[column] = list(cells)
        names = self._read("SELECT DISTINCT name FROM statistics ORDER BY name")
        for (name,) in names:
            values = self._read(
                "SELECT value FROM generations LEFT JOIN statistics"
                " ON statistics.generation = generations.generation AND name = ?"
                " ORDER BY generations.generation",
                name,
            )
            table[name] = [value for (value,) in values]
        return table

    def species(self) -> dict[int, dict[int, int]]:
        """How many individuals each species had, by its number and then by generation."""
        found: dict[int, dict[int, int]] = {}
        for generation, number, individuals in self._read("SELECT * FROM species ORDER BY 2, 1"):
            found.setdefault(number, {})[generation] = individuals
        return found

    def logbook(self) -> tools.Logbook:
        """The same as a ``deap.tools.Logbook``."""
        table = self.generations()
        logbook = tools.Logbook()
        logbook.header = list(table)
        for row in zip(*table.values(), strict=True):
            logbook.record(**dict(zip(table, row, strict=True)))
        return logbook

    def checks(self) -> list[Check]:
        """All checks, by generation and then in the order of opponents' names."""
        scores = {
            (generation, opponent): CheckPoints(*values)
            for generation, opponent, *values in self._read_newer("check_points")
        }
        forfeits: dict[tuple[int, str], tuple[ForfeitCount, ...]] = {}
        for generation, opponent, player, kind, games, sentence, errors in self._read_newer(
            "check_forfeits"
        ):
            row = ForfeitCount(player, kind, games, sentence, tuple(errors.splitlines()))
            forfeits[generation, opponent] = (*forfeits.get((generation, opponent), ()), row)
        checks = [Check(*row) for row in self._read("SELECT * FROM checks ORDER BY 1, 2")]
        keys = [(check.generation, check.opponent) for check in checks]
        return [
            replace(check, scores=scores.get(key), forfeits=forfeits.get(key, ()))
            for check, key in zip(checks, keys, strict=True)
        ]

    def _read_newer(self, table: str) -> list[tuple]:  # type: ignore[type-arg]
        """The rows of a *table* that older histories do not have."""
        if not self._read("SELECT 1 FROM sqlite_master WHERE name = ?", table):
            return []
        return self._read(f"SELECT * FROM {table}")

    def champions(self) -> list[tuple[int, float, float]]:
        """Generation, points and matches of each champion."""
        return list(self._read("SELECT generation, points, matches FROM champions ORDER BY 1"))

    def champion(self, generation: int) -> bytes | None:
        """The champion of *generation* as `players.storage.read_player` reads it.

        None if there was none, or if it is no longer kept.
        """
        rows = self._read("SELECT player FROM champions WHERE generation = ?", generation)
        return rows[0][0] or None if rows else None

    def kept_champions(self) -> list[int]:
        """The generations whose champions can still be read."""
        rows = self._read("SELECT generation FROM champions WHERE length(player) > 0 ORDER BY 1")
        return [generation for (generation,) in rows]

    def totals(self) -> tuple[int, int, float]:
        """Generations played, games in them, and the seconds that they took."""
        query = "SELECT count(*), coalesce(sum(games), 0), coalesce(sum(seconds), 0.0)"
        rows = self._read(query + " FROM generations")
        return rows[0]

    def _read(self, query: str, *values: object) -> list[tuple]:  # type: ignore[type-arg]
        self._write_waiting()
        with self._explain():
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        with self._explain():
            self._database.execute(begin)
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageError(f"{self.path} can't be used: {error}") from None
        except sqlite3.DatabaseError as error:
            raise DamagedHistoryError(f"{self.path} can't be used: {error}") from None


def _open_to_write(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that also works where nothing may be written, beside the database even."""
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None
    )
    try:
        database.execute("SELECT count(*) FROM generations")
    except sqlite3.OperationalError:
        database.close()
        database = sqlite3.connect(
            f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None
        )
    return database
