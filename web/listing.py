"""The list of runs, and questions about one: a run that hangs its reader does not block others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from evolve_arena.web.workers import BusyWorkerError, NoAnswerError, Worker, WorkerError

if TYPE_CHECKING:
    from evolve_arena.core.types import Json, JsonObject
PROMPT = 0.25
"""Seconds that a list waits for rows to be read; late rows appear in the next list."""
ROW = 5.0
"""Seconds that reading the row of one run may take; usually it is some milliseconds."""

BLANK: JsonObject = {
    "title": "",
    "game": "",
    "method": "",
    "generation": 0,
    "generations": 0,
    "games": 0,
    "seconds": 0.0,
    "left": None,
    "checking": False,
    "check": None,
    "champion": False,
    "state": "new",
}
"""The row of an unknown run."""
UNFINISHED = {"new", "stopped"}
"""States of runs that become ``running`` if a process writes to them."""
UNREAD = {**BLANK, "state": "reading", "trouble": "not read yet"}


class Listing:
    """Rows of runs, each read separately and kept until the run changes.

    Args:
        finder: Worker that opens no run, and so answers soon.
        opener: Worker that opens runs, which may take long.
        limit: Seconds that *opener* has for a row.
    """

    def __init__(self, finder: Worker, opener: Worker, limit: float = ROW) -> None:
        self._finder, self._opener, self._limit = finder, opener, limit
        self._found: dict[str, JsonObject] = {}
        self._rows: dict[str, tuple[Json, JsonObject]] = {}
        self._given_up: dict[tuple[str, str], tuple[Json, str]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def rows(self) -> list[JsonObject]:
        """Return a row for each run, the newest first; runs that hang do not delay the answer."""
        self._found = await self._finder.call("find_runs")
        self._rows = {name: row for name, row in self._rows.items() if name in self._found}
        if self._list_stale() and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read_rows())
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=PROMPT)
        rows = [self._make_row(name, entry) for name, entry in self._found.items()]
        return sorted(rows, key=lambda row: float(row["updated"]), reverse=True)

    async def ask(self, name: str, run: str) -> Json:
        """Call the opener's method *name* for a *run*.

        A run that crashed it, or took too long, is not opened again until it changes.

        Raises:
            WorkerError: There is no such run, or it can't be read.
        """
        stamp = await self._finder.call("stamp", run=run)
        before, text = self._given_up.get((name, run), (None, ""))
        if before == stamp:
            raise WorkerError(text)
        try:
            return await self._opener.call(name, run=run)
        except NoAnswerError as error:
            self._given_up[name, run] = stamp, f"{run} can't be read: {error}"
            raise WorkerError(self._given_up[name, run][1]) from None

    def close(self) -> None:
        """Cancel the reading of rows."""
        if self._reading is not None:
            self._reading.cancel()

    def _make_row(self, name: str, entry: JsonObject) -> JsonObject:
        known = self._rows[name][1] if name in self._rows else UNREAD
        row = {"run": name, "updated": entry["updated"], **known}
        if row["state"] in UNFINISHED and entry["running"]:
            row["state"] = "running"
        return row

    def _list_stale(self) -> list[str]:
        """Return the runs that have changed since their rows were read."""
        return [
            name
            for name, entry in self._found.items()
            if name not in self._rows or self._rows[name][0] != entry["stamp"]
        ]

    async def _read_rows(self) -> None:
        """Read stale rows, in rounds: a run that keeps changing waits its turn."""
        while stale := self._list_stale():
            for name in stale:
                if entry := self._found.get(name):
                    row = await self._read_row(entry["path"])
                    self._rows[name] = entry["stamp"], BLANK | row

    async def _read_row(self, path: str) -> JsonObject:
        while True:
            try:
                row: JsonObject = await self._opener.call("read_row", self._limit, path=path)
            except BusyWorkerError:
                await asyncio.sleep(PROMPT)
            except WorkerError as error:
                return {"state": "damaged", "trouble": str(error)}
            else:
                return row
