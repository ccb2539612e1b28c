"""Runs that are started from the page: child processes, stopped with a checkpoint."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from evolve_arena.core.errors import one_line
from evolve_arena.web.workers import WorkerError

MOST_AT_ONCE = 8
LINES = 20
"""How many of the last lines of a process are kept."""
PATIENCE = 30.0
"""Seconds that a run has for its checkpoint when the server stops."""


class Trainers:
    """The runs that this server has started and that go on."""

    def __init__(self) -> None:
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.endings: dict[str, str] = {}
        """What those said that ended by an error, by run."""

    async def start(self, run: str, path: str, recipe: str) -> None:
        """Starts a run called *run* at *path* of a *recipe*, which is a TOML file's content.

        It is a recipe from elsewhere to that process: a program that it names is not run unless
        the user said so at the terminal.
        """
        folder = TemporaryDirectory(prefix="evolve-serve-")
        file = Path(folder.name, f"{Path(path).name}.toml")
        file.write_text(recipe, encoding="utf-8")
        try:
            await self._launch(run, ["start", str(file), "--run", path, "--quiet"], folder)
        except BaseException:
            folder.cleanup()
            raise
        for _ in range(200):  # until it has begun, or has said why it can't
            if run not in self._processes or Path(path, "recipe.toml").exists():
                break
            await asyncio.sleep(0.05)
        if run in self.endings:
            raise WorkerError(self.endings.pop(run))

    async def resume(self, run: str, path: str, generations: int | None) -> None:
        """Goes on with a run, to so many *generations* in all, or as far as its recipe says."""
        more = [] if generations is None else ["--generations", str(generations)]
        await self._launch(run, ["resume", path, "--quiet", *more])

    def stop(self, run: str) -> None:
        """Lets a run write its checkpoint, and end.

        Raises:
            WorkerError: It was not started here.
        """
        if run not in self._processes:
            raise WorkerError(f"{run} was not started from this page: stop it where it was started")
        self._processes[run].send_signal(signal.SIGTERM)

    @property
    def running(self) -> list[str]:
        """The runs that were started here and go on."""
        return sorted(self._processes)

    async def close(self) -> None:
        """Stops all with a checkpoint, and waits for them."""
        for process in self._processes.values():
            process.send_signal(signal.SIGTERM)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PATIENCE)

    async def _launch(
        self, run: str, words: list[str], folder: TemporaryDirectory[str] | None = None
    ) -> None:
        if run in self._processes:
            raise WorkerError(f"{run} goes on already", 409)
        if len(self._processes) >= MOST_AT_ONCE:
            raise WorkerError(f"{MOST_AT_ONCE} runs go on already: stop one first", 409)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "evolve_arena.runs.cli"),
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "COLUMNS": "200"},
            start_new_session=True,
        )
        self._processes[run] = process
        self.endings.pop(run, None)
        task = asyncio.create_task(self._watch(run, process, folder))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(
        self,
        run: str,
        process: asyncio.subprocess.Process,
        folder: TemporaryDirectory[str] | None,
    ) -> None:
        """Reads what a process says, until it ends."""
        lines: list[str] = []
        assert process.stderr is not None
        while chunk := await process.stderr.read(65_536):
            lines = [*lines, *chunk.decode("utf-8", "replace").splitlines()][-LINES:]
        code = await process.wait()
        if folder:
            folder.cleanup()
        del self._processes[run]
        if code not in {0, 128 + signal.SIGTERM, 130}:
            said = next((line for line in reversed(lines) if line.strip()), f"exit code {code}")
            self.endings[run] = one_line(said.removeprefix("evolve: "), 300)
