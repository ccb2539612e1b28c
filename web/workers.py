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
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import spawn, util
from multiprocessing.connection import Connection
from typing import Any

from evolve_arena import core
from evolve_arena.core.children import keep_folder_out
from evolve_arena.core.errors import ArenaError, one_line

READING = "evolve_arena.web.reading"
PLAYING = "evolve_arena.web.playing"
"""The modules whose functions, or the methods of whose ``Desk``, are called."""
MOST_WAITING = 64
"""How many calls may wait for one worker."""
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


class Worker:
    """A process that answers calls of the server.

    Args:
        module: Whose ``Desk`` it makes, and calls.
        given: What the desk is made of.
    """

    def __init__(self, module: str, **given: Any) -> None:
        self._module, self._given = module, given
        self._process: Any = None
        self._pipe: Connection | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def call(self, name: str, **given: Any) -> Any:
        """What the desk's method called *name* answers.

        Raises:
            WorkerError: It refuses, the process has ended, or too many calls wait.
        """
        if self._waiting >= MOST_WAITING:
            raise WorkerError("too many requests at once: try again", 503)
        # Who asked may be gone before the answer; the next call waits for it all the same.
        return await asyncio.shield(asyncio.ensure_future(self._ask_in_turn(name, given)))

    async def _ask_in_turn(self, name: str, given: Mapping[str, Any]) -> Any:
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._ask, name, given)
        finally:
            self._waiting -= 1

    def _ask(self, name: str, given: Mapping[str, Any]) -> Any:
        try:
            if self._pipe is None:
                self._start()
            assert self._pipe is not None
            self._pipe.send_bytes(json.dumps([name, given]).encode())
            kind, answer = json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):
            self.stop()
            raise WorkerError("the process that was to answer has ended: try again", 500) from None
        if kind == "answer":
            return answer
        raise WorkerError(answer, 400 if kind == "refused" else 500)

    def _start(self) -> None:
        self._pipe, theirs = _context.Pipe()
        self._process = _context.Process(
            target=_serve, args=(theirs, self._module, self._given), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process has been started and goes on."""
        return self._process is not None and self._process.is_alive()

    def stop(self) -> None:
        """Ends the process."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.terminate()
            self._process.join(2)
            if self._process.is_alive():
                self._process.kill()
        self._process = self._pipe = None


def _serve(pipe: Connection, module: str, given: Mapping[str, Any]) -> None:
    """What the process does: it answers until the server is gone."""
    from evolve_arena.runs.output import tell_compiling  # heavier than the server itself

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at the terminal is for the server
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)
    core.on_compile = tell_compiling
    desk = importlib.import_module(module).Desk(**given)
    while True:
        try:
            name, values = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            answer = ["answer", getattr(desk, name)(**values)]
        except ArenaError as error:
            answer = ["refused", one_line(str(error), 400)]
        except Exception as error:  # a mistake of ours: it is told, and the process goes on
            answer = ["failed", one_line(f"{type(error).__name__}: {error}", 400)]
        pipe.send_bytes(json.dumps(answer, default=str).encode())
