"""Worker processes of the server: each answers calls, one after the other.

The server itself loads nothing heavy. Its workers are forked from a process that has loaded all
modules, so a new one answers at once. The server survives the crash of any of them.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import multiprocessing
import os
import signal
import time
from contextlib import suppress
from multiprocessing import spawn, util
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evolve_arena import core
from evolve_arena.core.children import keep_folder_out
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.logs import tell_compiling

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from evolve_arena.core.types import Json, Settings

READING = "evolve_arena.web.reading"
PLAYING = "evolve_arena.web.playing"
"""The modules whose ``Desk`` answers calls."""
MAX_WAITING = 64
"""Largest number of calls that wait for one worker."""
PATIENCE = 30.0
"""Default time limit of a call, in seconds."""
STARTING = 300.0
"""Time limit in seconds for a process to start, or to compile, possibly on a busy machine."""
NICE = 10
"""Niceness of workers: their priority is below that of runs."""

keep_folder_out(util, spawn)
_methods = multiprocessing.get_all_start_methods()
_way = "forkserver" if "forkserver" in _methods else "spawn"
_context = cast("multiprocessing.context.SpawnContext", multiprocessing.get_context(_way))
_context.set_forkserver_preload([READING, PLAYING])


class WorkerError(ArenaError):
    """Raised if a call is refused, or fails.

    Args:
        text: The reason, in one line.
        status: The status of the HTTP response.
    """

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class BusyWorkerError(WorkerError):
    """Raised if too many calls wait already."""

    def __init__(self) -> None:
        super().__init__("too many requests at once: try again", 503)


class NoAnswerError(WorkerError):
    """Raised if the process took too long and was ended, or ended by itself.

    Args:
        text: The reason, in one line.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, 500)


class Worker:
    """A process that answers calls of the server; after a crash the next call starts a new one.

    Args:
        module: Module whose ``Desk`` answers.
        patience: Seconds that a call may take; then the process is ended.
        given: Arguments of the desk.
    """

    def __init__(self, module: str, patience: float = PATIENCE, /, **given: Json) -> None:
        self._module, self._patience, self._given = module, patience, given
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def call(self, name: str, patience: float | None = None, /, **given: Json) -> Json:
        """Call a method of the desk, and return its answer.

        Args:
            name: Name of the method.
            patience: Seconds that it may take; if None, the worker's limit.
            given: Its arguments.

        Raises:
            NoAnswerError: The process has ended, or was ended.
            BusyWorkerError: Too many calls wait.
            WorkerError: The desk refused the call.
        """
        if self._waiting >= MAX_WAITING:
            raise BusyWorkerError
        limit = self._patience if patience is None else patience
        # The caller may be cancelled before the answer; the next call waits for it all the same.
        return await asyncio.shield(asyncio.ensure_future(self._ask_in_turn(name, given, limit)))

    async def _ask_in_turn(self, name: str, given: Settings, limit: float) -> Json:
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._ask, name, given, limit)
        finally:
            self._waiting -= 1

    def _ask(self, name: str, given: Settings, limit: float) -> Json:
        try:
            pipe = self._pipe or self._start()
            pipe.send_bytes(json.dumps([name, given]).encode())
            number = getattr(self._process, "pid", 0)  # the process may be stopped by now
            kind, answer = _receive(pipe, limit, number)
        except TimeoutError:
            self.stop()
            raise NoAnswerError(f"this took longer than {limit:g} s, and was given up") from None
        except (EOFError, OSError):
            self.stop()
            raise NoAnswerError("the worker process has ended: try again") from None
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
        _receive(pipe, STARTING, process.pid or 0)
        return pipe

    @property
    def is_alive(self) -> bool:
        """True if the process has been started and is running."""
        return self._process is not None and self._process.is_alive()

    def stop(self) -> None:
        """End the process; callers that wait for it get an error."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if process is not None:
            process.terminate()
            process.join(2)
            if process.is_alive():
                process.kill()
        if pipe is not None:
            pipe.close()


def _receive(pipe: Connection, limit: float, number: int) -> tuple[str, Json]:
    """Return the message of a process; the limit is longer if it compiles first.

    Seconds in which others had the processors do not count: workers have a low priority.

    Args:
        pipe: Connection to the process.
        limit: Time limit in seconds.
        number: Number of the process.

    Raises:
        TimeoutError: There was no message.
        OSError: The process has ended; or EOFError.
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
    """Return the seconds that a process was ready but waited; 0 if the system does not count."""
    try:
        return int(Path(f"/proc/{number}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, LookupError, ValueError):
        return 0.0


def _serve(pipe: Connection, module: str, given: Settings) -> None:
    """Answer calls until the server is gone; the main function of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at the terminal is for the server
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)

    def tell(kind: str, content: Json) -> None:
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
        except Exception as error:  # a bug: it is reported, and the process goes on
            tell("failed", one_line(f"{type(error).__name__}: {error}", 400))
