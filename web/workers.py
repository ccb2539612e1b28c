"""Processes that work for the server: each answers calls, one after the other.

The server itself loads nothing heavy. Its workers are forked from a process that has loaded all,
so a new one answers at once; and whatever becomes of one, the server goes on.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import spawn, util
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from evolve_arena import core
from evolve_arena.core.children import keep_folder_out
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.logs import tell_compiling

READING = "evolve_arena.web.reading"
PLAYING = "evolve_arena.web.playing"
"""The modules whose functions, or the methods of whose ``Desk``, are called."""
MOST_WAITING = 64
"""How many calls may wait for one worker."""
PATIENCE = 30.0
"""Seconds that a call may take unless its worker has others."""
STARTING = 300.0
"""Seconds until a process is ready, or has compiled: it is done once, on a busy machine perhaps."""
NICE = 10
"""By how much workers stand back behind runs."""

keep_folder_out(util, spawn)
_methods = multiprocessing.get_all_start_methods()
_context: Any = multiprocessing.get_context("forkserver" if "forkserver" in _methods else "spawn")
_context.set_forkserver_preload([READING, PLAYING])


class WorkerError(ArenaError):
    """A call was refused, or failed; the text tells why.

    Args:
        text: One line.
        status: The status of HTTP that fits.
    """

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class BusyWorkerError(WorkerError):
    """Too many calls wait already."""

    def __init__(self) -> None:
        super().__init__("too many requests at once: try again", 503)


class NoAnswerError(WorkerError):
    """The process took too long and was ended, or it ended by itself.

    Args:
        text: Which of the two.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, 500)


class Worker:
    """A process that answers calls of the server; a call that it does not survive starts another.

    Args:
        module: Whose ``Desk`` it makes, and calls.
        patience: Seconds that a call may take. Then the process is ended, whatever it does.
        given: What the desk is made of.
    """

    def __init__(self, module: str, patience: float = PATIENCE, /, **given: Any) -> None:
        self._module, self._patience, self._given = module, patience, given
        self._process: Any = None
        self._pipe: Connection | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def call(self, name: str, patience: float | None = None, /, **given: Any) -> Any:
        """What the desk's method called *name* answers.

        Args:
            name: The method.
            patience: Seconds that it may take; if None, what the worker was made with.
            given: What it is given.

        Raises:
            NoAnswerError: The process has ended, or was ended.
            BusyWorkerError: Too many calls wait.
            WorkerError: It refuses.
        """
        if self._waiting >= MOST_WAITING:
            raise BusyWorkerError
        limit = self._patience if patience is None else patience
        # Who asked may be gone before the answer; the next call waits for it all the same.
        return await asyncio.shield(asyncio.ensure_future(self._ask_in_turn(name, given, limit)))

    async def _ask_in_turn(self, name: str, given: Mapping[str, Any], limit: float) -> Any:
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._ask, name, given, limit)
        finally:
            self._waiting -= 1

    def _ask(self, name: str, given: Mapping[str, Any], limit: float) -> Any:
        try:
            pipe = self._pipe or self._start()
            pipe.send_bytes(json.dumps([name, given]).encode())
            number = getattr(self._process, "pid", 0)  # which may be stopped by now
            kind, answer = _receive(pipe, limit, number)
        except TimeoutError:
            self.stop()
            raise NoAnswerError(f"this took longer than {limit:g} s, and was given up") from None
        except (EOFError, OSError):
            self.stop()
            raise NoAnswerError("the process that was to answer has ended: try again") from None
        if kind == "answer":
            return answer
        raise WorkerError(answer, 400 if kind == "refused" else 500)

    def _start(self) -> Connection:
        pipe: Connection
        pipe, theirs = _context.Pipe()
        process = _context.Process(
            target=_serve, args=(theirs, self._module, self._given), daemon=True
        )
        process.start()
        self._process, self._pipe = process, pipe
        theirs.close()
        _receive(pipe, STARTING, process.pid)
        return pipe

    @property
    def is_alive(self) -> bool:
        """Whether the process has been started and goes on."""
        return self._process is not None and self._process.is_alive()

    def stop(self) -> None:
        """Ends the process; who waits for its answer gets none."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if process is not None:
            process.terminate()
            process.join(2)
            if process.is_alive():
                process.kill()
        if pipe is not None:
            pipe.close()


def _receive(pipe: Connection, limit: float, number: int) -> tuple[str, Any]:
    """Return the message of a process; it has so many seconds, or longer if it compiles first.

    Seconds in which others had the processors do not count: workers stand back behind runs.

    Args:
        pipe: Leads to the process.
        limit: Seconds.
        number: Of the process.

    Raises:
        TimeoutError: It says nothing.
        OSError: It has ended; or EOFError.
    """
    begun, before = time.monotonic(), _seconds_kept_waiting(number)
    while True:
        end = begun + limit + _seconds_kept_waiting(number) - before
        left = end - time.monotonic()
        if pipe.poll(max(left, 0.0)):
            kind, content = json.loads(pipe.recv_bytes())
            if kind != "compiles":
                return kind, content
            limit, begun = max(limit, STARTING), time.monotonic()
        elif left <= 0:
            raise TimeoutError


def _seconds_kept_waiting(number: int) -> float:
    """Seconds that a process was ready while others had the processors; 0 if nobody counts."""
    try:
        return int(Path(f"/proc/{number}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, LookupError, ValueError):
        return 0.0


def _serve(pipe: Connection, module: str, given: Mapping[str, Any]) -> None:
    """What the process does: it answers until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at the terminal is for the server
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)

    def tell(kind: str, content: Any) -> None:
        pipe.send_bytes(json.dumps([kind, content], default=str, allow_nan=False).encode())

    def announce(what: str, seconds: float) -> None:
        tell_compiling(what, seconds)
        tell("compiles", what)

    core.on_compile = announce
    desk = importlib.import_module(module).Desk(**given)
    tell("ready", "")
    while True:
        try:
            name, values = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            tell("answer", getattr(desk, name)(**values))
        except ArenaError as error:
            tell("refused", one_line(str(error), 400))
        except Exception as error:  # a mistake of ours: it is told, and the process goes on
            tell("failed", one_line(f"{type(error).__name__}: {error}", 400))
