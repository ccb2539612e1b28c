"""The history of a run, generation by generation, in a SQLite database.

Any tool can read it, even while the run is being written. Evolution does not depend on it, so its
faults do not stop a run: a damaged database is renamed, and a new one begins; while another process
locks it, rows wait in memory. Only a disk that is full or read-only is an error.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from evolve_arena.arena.duel_result import DuelResult, ForfeitCount, Score
from evolve_arena.arena.executors import Node
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.files import describe_special
from evolve_arena.core.types import Json
from evolve_arena.evolve.method import Report
from evolve_arena.players.evolved import LARGEST
from evolve_arena.runs.errors import (
    BusyHistoryError,
    DamagedHistoryError,
    NotARunError,
    StorageError,
)
from evolve_arena.runs.store.check_points import CheckPoints, find_scores
from evolve_arena.runs.store.files import explain_storage_errors, set_aside

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
CREATE TABLE IF NOT EXISTS check_positions (
    generation INTEGER NOT NULL, positions TEXT NOT NULL, solved REAL NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (generation, positions)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nodes (
    generation INTEGER NOT NULL, node INTEGER NOT NULL, name TEXT NOT NULL,
    address TEXT NOT NULL, workers INTEGER NOT NULL, done INTEGER NOT NULL, lost INTEGER NOT NULL,
    late INTEGER NOT NULL, games INTEGER NOT NULL, rate REAL NOT NULL,
    PRIMARY KEY (generation, node)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS champions (
    generation INTEGER PRIMARY KEY, points REAL NOT NULL, matches REAL NOT NULL,
    player BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS champion_matches (
    generation INTEGER NOT NULL, opponent_generation INTEGER NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL,
    PRIMARY KEY (generation, opponent_generation)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS check_ends (
    generation INTEGER PRIMARY KEY, champion INTEGER NOT NULL, seconds REAL NOT NULL);
"""

PATIENCE = 0.25
"""Seconds that a generation may wait to be written, and that a checkpoint waits for a lock."""
LONG_PATIENCE = 30.0
"""Seconds that a run waits for another process's lock at its beginning and its end."""

TOUCH = (
    "UPDATE generations SET games = games"
    " WHERE generation = (SELECT max(generation) FROM generations)"
)
"""Statement without effect, since a transaction without changes is not flushed to the disk."""

IMPOSSIBLE = {
    "generations": "generation < 0 OR games < 0",
    "checks": "generation < 0 OR min(wins, draws, losses) < 0",
    "check_positions": "generation < 0 OR count < 1 OR solved < 0.0 OR solved > count",
    "champions": "generation < 0",
    "champion_matches": "min(generation, opponent_generation, wins, draws, losses) < 0",
    "check_ends": "min(generation, champion) < 0 OR seconds < 0.0",
    "nodes": "generation < 0 OR min(workers, done, lost, late, games) < 0",
}
"""SQL conditions that hold for no row that a run writes, by table."""

BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
FROM_OUTSIDE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
}
"""Errors from outside the database, which a new one would have as well."""
UNREADABLE = {
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
}
"""I/O errors that a new file would not have, unlike all others."""

LOGS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that belong to a database."""
LONGEST = 1 << 20
"""Maximum bytes of a text; some texts come from external programs that play."""
MAX_TEXT = 1 << 28
"""Maximum bytes of all texts in the answer to one query."""

COLUMNS = "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)"

T = TypeVar("T")
Rows = list[tuple[object, ...]]
Answer = list[tuple[Json, ...]]
"""Rows of a query; the cells are numbers, texts, bytes or None, as the schema says."""


@dataclass(frozen=True)
class Check(Score):
    """Result of a generation's champion against an external opponent."""

    generation: int
    opponent: str
    wins: int
    draws: int
    losses: int
    distinct_games: int
    scores: CheckPoints | None = None
    """Points of the games; None if the game does not count points."""
    forfeits: tuple[ForfeitCount, ...] = ()
    """Forfeits of the champion (player 0) and of the opponent."""

    @property
    def wilson_95(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`won`."""
        return self.win_interval

    @property
    def band(self) -> tuple[float, float]:
        """Ends of the band that pictures draw around :attr:`won`."""
        return self.wilson_95


@dataclass(frozen=True)
class SolvedPositions:
    """Positions with known answers that a generation's champion solved."""

    generation: int
    positions: str
    """Name of the set, or of a group of it: ``concept states: attack``."""
    solved: float
    """Number of solved ones; the expected one of a player that draws random numbers."""
    count: int

    @property
    def share(self) -> float:
        """The share of solved positions."""
        return self.solved / self.count

    @property
    def wilson_95(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`share`."""
        return wilson_interval(self.solved, self.count)


@dataclass(frozen=True)
class ChampionMatch(Score):
    """Result of a generation's champion against an earlier one of the same run."""

    generation: int
    opponent: int
    """Generation of the earlier champion."""
    wins: int
    draws: int
    losses: int
    """Games won, drawn and lost by the rules."""
    forfeits: tuple[ForfeitCount, ...] = ()


@dataclass(frozen=True)
class CheckEnd:
    """Outcome of a check, beside its games."""

    generation: int
    champion: int
    """Generation of the run's champion afterwards."""
    seconds: float
    """Duration of the check in seconds."""


class History:
    """The history of one run.

    Args:
        path: Path of the database.
        write: True to create and change it; else it is opened for reading only.
        guard: Function that is called before each write, and raises an error to prevent it.
        thorough: True to check every row when it is opened for reading, in case another program
            wrote it; else values may be of any type. The tables are always checked.

    Raises:
        NotARunError: There is no database to read.
        DamagedHistoryError: It is damaged, and is opened for reading.
        StorageError: It can't be created.
    """

    def __init__(
        self,
        path: Path,
        *,
        write: bool = False,
        guard: Callable[[], None] = lambda: None,
        thorough: bool = True,
    ) -> None:
        self.path = path
        self.warnings: list[str] = []
        """Warnings about faults that did not stop the run."""
        self._write, self._guard = write, guard
        self._waiting: list[tuple[str, Rows]] = []
        self._written = -PATIENCE
        if not write and not path.is_file():
            raise NotARunError(f"{path} does not exist: the run has not begun")
        if not write:
            with self._explain():
                self._database = _open_to_read(path, thorough)
            return
        try:
            self._database = self._wait_for(partial(_open_to_write, path), LONG_PATIENCE)
        except DamagedHistoryError as error:
            self._begin_anew(error)

    def flush(self) -> None:
        """Flush everything to the disk, so that no checkpoint is ahead of the history.

        Commits are only flushed here, which takes as long as some generations. Readers are not
        waited for: rows that they read are moved from the log to the database later.
        """
        self._waiting.append((TOUCH, [()]))
        with suppress(BusyHistoryError):
            self._execute("PRAGMA synchronous = FULL")
            self._write_waiting(PATIENCE)
            self._execute("PRAGMA synchronous = NORMAL")
            self._execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self, patience: float | None = None) -> None:
        """Write waiting rows and close the database.

        Args:
            patience: Seconds to wait for another process's lock; :data:`LONG_PATIENCE` if None.
        """
        try:
            if not self._write_waiting(LONG_PATIENCE if patience is None else patience):
                self.warnings.append(
                    f"{self.path} is locked by another process: the newest generations and checks"
                    " are not in it"
                )
                self._waiting = []
        finally:
            self._database.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self.close(None if kind is None else PATIENCE)

    def add_generation(self, report: Report, seconds: float) -> None:
        """Add the report of a generation, and its duration in *seconds*.

        A transaction takes longer than many matches, so generations are collected, but for no
        longer than :data:`PATIENCE`, as other programs may be reading.
        """
        number = report.generation
        self._note("generations", [(number, report.games, seconds)])
        self._note("statistics", [(number, *item) for item in report.statistics.items()])
        self._note("species", [(number, *item) for item in report.species.items()])
        if time.monotonic() - self._written > PATIENCE:
            self._write_waiting()

    def add_nodes(self, since: int, nodes: Sequence[Node]) -> None:
        """Add the work of the machines since generation *since*, to be written next time."""
        self._note("nodes", [(since, place, *astuple(node)) for place, node in enumerate(nodes)])

    def add_check(
        self,
        report: Report,
        player: bytes,
        results: list[DuelResult],
        matches: Sequence[ChampionMatch] = (),
        end: CheckEnd | None = None,
        positions: Sequence[SolvedPositions] = (),
    ) -> None:
        """Add the champion of a generation and its results.

        Args:
            report: Report of the search for the champion.
            player: The champion, serialised.
            results: Games against external opponents.
            matches: Games against earlier champions.
            end: Outcome of the check.
            positions: Positions that the champion solved.
        """
        self._write_waiting()
        number, statistics = report.generation, report.statistics
        champion = (number, statistics["points"], statistics["matches"], player)
        self._note("champions", [champion])
        self._note(
            "checks",
            [
                (
                    number,
                    result.names[1],
                    result.wins,
                    result.draws,
                    result.losses,
                    result.distinct_games,
                )
                for result in results
            ],
        )
        self._note(
            "check_points",
            [
                (number, result.names[1], *astuple(scores))
                for result in results
                if (scores := find_scores(result)) is not None
            ],
        )
        self._note(
            "champion_matches",
            [(m.generation, m.opponent, m.wins, m.draws, m.losses) for m in matches],
        )
        self._note("check_positions", [astuple(each) for each in positions])
        if end:
            self._note("check_ends", [astuple(end)])
        self._waiting.append(("DELETE FROM check_forfeits WHERE generation = ?", [(number,)]))
        self._note(
            "check_forfeits",
            [
                (number, result.names[1], *row[:-1], "\n".join(row[-1]))
                for result in results
                for row in map(astuple, result.forfeits)
            ],
        )
        self._write_waiting()

    def drop_champions(self, keep: Collection[int], larger_than: int) -> None:
        """Delete the stored players of large champions; their results stay.

        Args:
            keep: Generations whose champions are not deleted.
            larger_than: Size in bytes up to which champions are not deleted.
        """
        kept = ", ".join(str(int(generation)) for generation in sorted(keep))
        query = (
            "UPDATE champions SET player = x'' WHERE length(player) > ?"
            f" AND generation NOT IN ({kept})"
        )
        self._waiting.append((query, [(larger_than,)]))
        self._write_waiting()

    def _note(self, table: str, rows: Rows) -> None:
        if rows:
            places = ", ".join("?" * len(rows[0]))
            self._waiting.append((f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows))

    def write_waiting(self) -> None:
        """Write waiting rows, so that readers see them, unless the database is locked."""
        self._write_waiting()

    def _write_waiting(self, patience: float = 0.0) -> bool:
        """Write waiting rows in one transaction, unless locked for all of *patience*, in seconds.

        Returns:
            True if they were written.
        """
        if not self._waiting:
            return True
        self._written = time.monotonic()
        try:
            self._keep_trying(self._write_once, patience)
        except BusyHistoryError:
            return False
        except ArenaError:
            self._waiting = []  # these rows can't be written: do not try again
            raise
        return True

    def _write_once(self) -> None:
        self._guard()
        self._database.execute("BEGIN IMMEDIATE")
        try:
            for query, rows in self._waiting:
                self._database.executemany(query, rows)
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._waiting = []

    def forget_after(self, generation: int) -> None:
        """Delete all that happened after the state at *generation*."""
        for table, first in (
            ("generations", generation),
            ("statistics", generation),
            ("species", generation),
            ("checks", generation + 1),
            ("check_points", generation + 1),
            ("check_forfeits", generation + 1),
            ("check_positions", generation + 1),
            ("champions", generation + 1),
            ("champion_matches", generation + 1),
            ("check_ends", generation + 1),
            ("nodes", generation),
        ):
            self._waiting.append((f"DELETE FROM {table} WHERE generation >= ?", [(first,)]))
        self._write_waiting()

    def generations(self) -> dict[str, list[float]]:
        """Return the columns ``generation``, ``games``, ``seconds`` and one per statistic.

        All are of the same instant, even while the run is being written.
        """
        self._write_waiting()
        with self._explain():
            self._database.execute("BEGIN")
            try:
                return self._read_generations()
            finally:
                self._database.execute("ROLLBACK")

    def _read_generations(self) -> dict[str, list[float]]:
        table: dict[str, list[float]] = {"generation": [], "games": [], "seconds": []}
        rows = self._read("SELECT generation, games, seconds FROM generations ORDER BY generation")
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
        """Return the sizes of the species, by the species' number and then by generation."""
        found: dict[int, dict[int, int]] = {}
        query = "SELECT generation, species, individuals FROM species ORDER BY 2, 1"
        for generation, number, individuals in self._read(query):
            found.setdefault(number, {})[generation] = individuals
        return found

    def checks(self) -> list[Check]:
        """Return all checks, sorted by generation and then by the opponent's name."""
        # Points and forfeits have tables of their own, which old runs lack.
        scores = {
            (generation, opponent): CheckPoints(*values)
            for generation, opponent, *values in self._read_table("check_points")
        }
        forfeits: dict[tuple[int, str], tuple[ForfeitCount, ...]] = {}
        for generation, opponent, player, kind, games, sentence, errors in self._read_table(
            "check_forfeits"
        ):
            row = ForfeitCount(player, kind, games, sentence, tuple(errors.splitlines()))
            forfeits[generation, opponent] = (*forfeits.get((generation, opponent), ()), row)
        checks = [Check(*row) for row in sorted(self._read_table("checks"))]
        keys = [(check.generation, check.opponent) for check in checks]
        return [
            replace(check, scores=scores.get(key), forfeits=forfeits.get(key, ()))
            for check, key in zip(checks, keys, strict=True)
        ]

    def positions(self) -> list[SolvedPositions]:
        """Return the positions solved in each check; empty for old runs."""
        return [SolvedPositions(*row) for row in sorted(self._read_table("check_positions"))]

    def champion_matches(self) -> list[ChampionMatch]:
        """Return the results of champions against earlier ones; empty for old runs."""
        return [ChampionMatch(*row) for row in sorted(self._read_table("champion_matches"))]

    def check_ends(self) -> list[CheckEnd]:
        """Return the outcome of each check; empty for old runs."""
        return [CheckEnd(*row) for row in sorted(self._read_table("check_ends"))]

    def _read_table(self, table: str) -> Answer:
        """Return the rows of a *table*; none if the history is older than that."""
        if not self._read("SELECT 1 FROM sqlite_master WHERE name = ?", table):
            return []
        names, kinds, *_ = zip(*_find_columns()[table], strict=True)
        rows = self._read(f"SELECT {', '.join(names)} FROM {table}")
        whole = [place for place, kind in enumerate(kinds) if kind == "INTEGER"]
        if any(not isinstance(row[place], int) for row in rows for place in whole):
            raise DamagedHistoryError(f"{self.path} can't be used: a row of {table} makes no sense")
        return rows

    def nodes(self) -> list[Node]:
        """Return the work of each machine since the run was last started or resumed.

        It is empty unless the executor has several machines.
        """
        rows = sorted(self._read_table("nodes"))
        return [Node(*row[2:]) for row in rows if row[0] == rows[-1][0]]

    def champions(self) -> list[tuple[int, float, float]]:
        """Return the generation, points and matches of each champion."""
        rows = self._read("SELECT generation, points, matches FROM champions ORDER BY 1")
        return [(generation, points, matches) for generation, points, matches in rows]

    def champion(self, generation: int) -> bytes | None:
        """Return the champion of *generation*, for `evolve_arena.players.evolved.read_player`.

        It is None if there was none, or if it is no longer kept.
        """
        usual = self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
        try:
            rows = self._read("SELECT player FROM champions WHERE generation = ?", generation)
        finally:
            self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, usual)
        return rows[0][0] or None if rows else None

    def kept_champions(self) -> list[int]:
        """Return the generations whose champions can still be read."""
        rows = self._read("SELECT generation FROM champions WHERE length(player) > 0 ORDER BY 1")
        return [generation for (generation,) in rows]

    def totals(self, since: int = 0) -> tuple[int, int, float]:
        """Return the number of generations from *since* on, of their games and of their seconds."""
        query = "SELECT count(*), coalesce(sum(games), 0), coalesce(sum(seconds), 0.0)"
        ((generations, games, seconds),) = self._read(
            query + " FROM generations WHERE generation >= ?", since
        )
        return generations, games, seconds

    def _read(self, query: str, *values: object) -> Answer:
        self._write_waiting()
        return self._execute(query, *values)

    def _execute(self, query: str, *values: object) -> Answer:
        if not self._write:
            with self._explain():
                return _fetch(self._database.execute(query, values), self.path)
        return self._keep_trying(
            lambda: self._database.execute(query, values).fetchall(), LONG_PATIENCE
        )

    def _keep_trying(self, act: Callable[[], T], patience: float) -> T:
        """Return the result of *act*; repeat it with a new database if the old one is damaged."""
        try:
            return self._wait_for(act, patience)
        except DamagedHistoryError as error:
            self._database.close()
            self._begin_anew(error)
        return self._wait_for(act, patience)

    def _wait_for(self, act: Callable[[], T], patience: float) -> T:
        """Return the result of *act*, waiting while another process locks the database.

        Raises:
            BusyHistoryError: It was locked for all of *patience*, in seconds.
            DamagedHistoryError: The database is damaged.
            StorageError: The disk is full or read-only.
        """
        end = time.monotonic() + patience
        while True:
            try:
                with self._explain():
                    return act()
            except BusyHistoryError:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.05)

    def _begin_anew(self, error: DamagedHistoryError) -> None:
        """Rename the database and the files that belong to it, and open a new one."""
        self._guard()
        files = [self.path.with_name(self.path.name + end) for end in ("", *LOGS)]
        there = [file for file in files if os.path.lexists(file)]
        aside = set_aside(there[0]) if there else self.path
        for log in there[1:]:
            with explain_storage_errors(log):
                log.rename(aside.with_name(aside.name + log.name.removeprefix(self.path.name)))
        self.warnings.append(f"{error}; it was renamed to {aside.name}, and a new one begins")
        with self._explain():
            self._database = _open_to_write(self.path)

    @contextmanager
    def _explain(self) -> Iterator[None]:
        """Turn errors of SQLite into those that :class:`History` documents."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # messages quote the content
            text = f"{self.path} can't be used: {one_line(str(error), 200)}"
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:
                # Without a code Python itself failed: on text that no run has written, or, which
                # is an error of this package, on a value that can't be stored.
                damaged = isinstance(error, sqlite3.OperationalError | UnicodeDecodeError)
            elif code & 0xFF in BUSY:
                raise BusyHistoryError(text) from None
            elif code & 0xFF == sqlite3.SQLITE_IOERR:
                damaged = code in UNREADABLE
            else:
                damaged = code & 0xFF not in FROM_OUTSIDE
            raise (DamagedHistoryError if damaged else StorageError)(text) from None


def _open_to_write(path: Path) -> sqlite3.Connection:
    _check_files(path)
    database = sqlite3.connect(path, isolation_level=None, timeout=0.0)
    try:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
        _check_tables(database, path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(SCHEMA)
        ((verdict, *_), *_) = database.execute("PRAGMA quick_check(1)").fetchall()
        if verdict != "ok":
            raise DamagedHistoryError(f"{path} can't be used: {one_line(verdict, 200)}")
        _check_rows(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _open_to_read(path: Path, thorough: bool) -> sqlite3.Connection:
    """Open a connection for reading, even in a folder that may not be written to."""
    _check_files(path)
    address = path.absolute().as_uri()
    database = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None)
    try:
        try:
            database.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in FROM_OUTSIDE:
                raise
            database.close()
            database = sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        _check_tables(database, path)
        if thorough:
            _check_rows(database, path)
    except BaseException:
        database.close()
        raise
    return database


def estimate_left(
    now: int, last: int, every: int, step: float, checks: Mapping[int, float]
) -> float:
    """Estimate the seconds until the end of a run that is at generation *now* of *last*.

    Args:
        now: Current generation.
        last: Last generation.
        every: Generations between checks; there is a check at the end as well.
        step: Seconds per generation.
        checks: Seconds of each check so far, by generation. That of generation 0 counts only
            while there is no other.

    >>> estimate_left(20, 35, 10, 2.0, {0: 1.0, 10: 5.0, 20: 7.0})
    42.0
    """
    newest = max(checks, default=0)
    due = last // every - newest // every + (newest < last and last % every > 0)
    taken = [checks[generation] for generation in checks if generation] or [*checks.values()]
    each = sum(taken) / len(taken) if taken else 0.0
    return (last - now) * step + due * each


def copy_database(path: Path) -> bytes:
    """Return the database as the content of one file, with all committed rows."""
    with closing(_open_to_read(path, False)) as here, closing(sqlite3.connect(":memory:")) as copy:
        here.backup(copy)
        return copy.serialize()


def _check_files(path: Path) -> None:
    """Make sure that all files are regular, as SQLite waits for pipes and follows links.

    Raises:
        DamagedHistoryError: One is not.
    """
    for end in ("", *LOGS):
        file = path.with_name(path.name + end)
        if kind := describe_special(file):
            raise DamagedHistoryError(f"{file} can't be used: it is {kind}")


@cache
def _find_columns() -> dict[str, list[tuple[str, str, int, int]]]:
    """Return the columns of each table: name, type, place in the key, and 0 (not generated)."""
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(SCHEMA)
        tables = own.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {table: own.execute(COLUMNS, (table,)).fetchall() for (table,) in tables}


def _check_tables(database: sqlite3.Connection, path: Path) -> None:
    """Make sure that reading and writing rows computes nothing: all data are plain tables.

    Raises:
        DamagedHistoryError: There is a view or a trigger, or a table differs from the schema.
    """
    kinds = {kind for (kind,) in database.execute("SELECT DISTINCT type FROM sqlite_master")}
    if strange := {"trigger", "view"} & kinds:
        raise DamagedHistoryError(f"{path} can't be used: it has a {min(strange)}")
    for table, columns in _find_columns().items():
        here = database.execute(COLUMNS, (table,)).fetchall()
        if any(generated for *_, generated in here):
            raise DamagedHistoryError(
                f"{path} can't be used: its table {table} has a generated column"
            )
        if here and here != columns:  # an older version has no such table
            raise DamagedHistoryError(f"{path} can't be used: its table {table} is another one")


def _check_rows(database: sqlite3.Connection, path: Path) -> None:
    """Make sure that all rows could be those of a run, since SQLite stores values of any type.

    Raises:
        DamagedHistoryError: A row can't be that of a run.
    """
    for table, columns in _find_columns().items():
        if not database.execute(COLUMNS, (table,)).fetchall():
            continue
        wrong = [f"typeof({name}) NOT IN ('{kind}', 'null')" for name, kind, *_ in columns]
        tests = [*wrong, IMPOSSIBLE.get(table, "false")]
        query = f"SELECT 1 FROM {table} WHERE {' OR '.join(tests)} LIMIT 1".lower()
        if database.execute(query).fetchall():
            raise DamagedHistoryError(f"{path} can't be used: a row of {table} makes no sense")


def _fetch(cursor: sqlite3.Cursor, path: Path) -> Answer:
    """Return all rows; limit their text, since damaged databases may repeat a long one in many.

    Raises:
        DamagedHistoryError: The texts together have more than :data:`MAX_TEXT` bytes.
    """
    rows: Answer = []
    left = MAX_TEXT
    with closing(cursor):  # else an error keeps it, and with it a lock
        while part := cursor.fetchmany(64):
            left -= sum(len(cell) for row in part for cell in row if type(cell) in (str, bytes))
            if left < 0 and len(rows) + len(part) > 1:
                raise DamagedHistoryError(f"{path} can't be used: its texts are too long")
            rows += part
    return rows
