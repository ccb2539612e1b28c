"""The list of runs, and what of one is asked: no run that hangs its reader keeps others from it."""

from __future__ import annotations

import asyncio
from typing import Any

from evolve_arena.web.workers import BusyWorkerError, NoAnswerError, Worker, WorkerError

PROMPT = 0.25
"""Seconds that a list waits for rows that have to be read; those that are late come with the next
list."""
ROW = 5.0
"""Seconds to read the row of one run, which takes some milliseconds."""

BLANK: dict[str, Any] = {
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
"""The row of a run of which nothing is known."""
UNFINISHED = {"new", "stopped"}
"""States of runs that are running if a process writes to them."""
UNREAD = {**BLANK, "state": "reading", "trouble": "not read yet"}


class Listing:
    """Rows of runs, each read by itself and kept until the run changes.

    Args:
        finder: A worker that opens no run, and so answers soon.
        opener: One that opens them, which may take long.
        limit: Seconds that it has for a row.
    """

    def __init__(self, finder: Worker, opener: Worker, limit: float = ROW) -> None:
        self._finder, self._opener, self._limit = finder, opener, limit
        self._found: dict[str, dict[str, Any]] = {}
        self._rows: dict[str, tuple[Any, dict[str, Any]]] = {}
        self._given_up: dict[tuple[str, str], tuple[Any, str]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def rows(self) -> list[dict[str, Any]]:
        """A row for each run, what was written last first; it waits for none that hangs."""
        self._found = await self._finder.call("find_runs")
        self._rows = {name: row for name, row in self._rows.items() if name in self._found}
        if self._list_stale() and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read_rows())
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=PROMPT)
        rows = [self._make_row(name, entry) for name, entry in self._found.items()]
        return sorted(rows, key=lambda row: float(row["updated"]), reverse=True)

    async def ask(self, name: str, run: str) -> Any:
        """Ask the opener's method called *name* about a *run*.

        A run that it did not survive, or over which it took too long, is not opened again as long
        as it stays as it is.

        Raises:
            WorkerError: There is no such run, or it can't be told.
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
        """Ends what is being read."""
        if self._reading is not None:
            self._reading.cancel()

    def _make_row(self, name: str, entry: dict[str, Any]) -> dict[str, Any]:
        known = self._rows[name][1] if name in self._rows else UNREAD
        row = {"run": name, "updated": entry["updated"], **known}
        if row["state"] in UNFINISHED and entry["running"]:
            row["state"] = "running"
        return row

    def _list_stale(self) -> list[str]:
        """The runs whose rows were not read since they changed."""
        return [
            name
            for name, entry in self._found.items()
            if name not in self._rows or self._rows[name][0] != entry["stamp"]
        ]

    async def _read_rows(self) -> None:
        """Reads what is stale, in rounds: a run that changes all the time waits its turn."""
        while stale := self._list_stale():
            for name in stale:
                if entry := self._found.get(name):
                    row = await self._read_row(entry["path"])
                    self._rows[name] = entry["stamp"], BLANK | row

    async def _read_row(self, path: str) -> dict[str, Any]:
        while True:
            try:
                row: dict[str, Any] = await self._opener.call("read_row", self._limit, path=path)
            except BusyWorkerError:
                await asyncio.sleep(PROMPT)
            except WorkerError as error:
                return {"state": "damaged", "trouble": str(error)}
            else:
                return row
