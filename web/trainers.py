"""Child processes of the page, which run `evolve`: runs, pictures, tournaments."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evolve_arena.core.children import PYTHON
from evolve_arena.core.errors import one_line
from evolve_arena.web.workers import WorkerError

if TYPE_CHECKING:
    from evolve_arena.core.types import Json, JsonObject

STOP = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM)
"""Signal that stops a run with a checkpoint; on Windows SIGTERM would end it at once."""
HEARD = getattr(signal, "SIGBREAK", signal.SIGTERM)
"""The signal that the run receives when :data:`STOP` is sent."""
APART: JsonObject = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Arguments of `subprocess.Popen` that separate a process from the terminal."""
MAX_AT_ONCE = 8
KEPT = 10_000
"""Number of bytes that are kept of a process's output."""
EVOLVE = (*PYTHON, "-m", "evolve_arena.cli.main")
PICTURES = {"fitness": (), "ancestors": ("--ancestors",), "network": ("--network",)}
"""Pictures of a run, and the options of ``evolve plot`` for each."""
MAX_GAMES = 1000
LONGEST = 300.0
"""Time limit in seconds of a picture, or a tournament."""
BEHIND = 15
"""Niceness of a process for these: below runs, and below workers that answer the page."""
LONGEST_START = 60.0
"""Seconds that a run has to start, or to report an error; usually it takes one."""
PATIENCE = 30.0
"""Seconds that a run has for its checkpoint when the server stops."""


class Trainers:
    """The runs that this server has started and that are running."""

    def __init__(self) -> None:
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Semaphore(1)
        self.endings: dict[str, str] = {}
        """Error messages of runs that failed, by run."""

    async def start(self, run: str, path: str, recipe: str) -> None:
        """Start a run called *run* at *path*, of a *recipe* in TOML.

        To that process it is a recipe from elsewhere: programs that it names are not run without
        the user's permission at the terminal.
        """
        folder = TemporaryDirectory(prefix="evolve-serve-")
        file = Path(folder.name, f"{Path(path).name}.toml")
        file.write_text(recipe, encoding="utf-8")
        try:
            await self._launch(run, ["start", str(file), "--run", path, "--quiet"], folder)
        except BaseException:
            folder.cleanup()
            raise
        begun = Path(path, "recipe.toml")
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_START):
                while run in self._processes and not begun.exists():
                    await asyncio.sleep(0.05)
        if run in self.endings:
            raise WorkerError(self.endings.pop(run))

    async def resume(self, run: str, path: str, generations: int | None) -> None:
        """Resume a run, up to the last of *generations*; that of its recipe if None."""
        more = [] if generations is None else ["--generations", str(generations)]
        await self._launch(run, ["resume", path, "--quiet", *more])

    def stop(self, run: str) -> None:
        """Stop a run after a checkpoint.

        Raises:
            WorkerError: It was not started here.
        """
        if run not in self._processes:
            raise WorkerError(f"{run} was not started from this page: stop it where it was started")
        self._processes[run].send_signal(STOP)

    async def draw(self, path: str, what: str) -> None:
        """Draw a picture of the run at *path* with ``evolve plot``; see :data:`PICTURES`.

        Raises:
            WorkerError: It failed, or took too long.
        """
        if what not in PICTURES:
            raise WorkerError(f"there is no such picture: choose {', '.join(PICTURES)}")
        await self._finish(["plot", path, *PICTURES[what]])

    async def rate(self, players: list[str], games: int, openings: int) -> Json:
        """Play a round robin between *players* with ``evolve tournament --json``.

        Args:
            players: Their specifications.
            games: Number of games of each pair; in games for more than two, of all games.
            openings: Number of random plies that open each game.

        Raises:
            WorkerError: It failed, or took too long.
        """
        if not 1 <= games <= MAX_GAMES:
            raise WorkerError(f"choose 1 to {MAX_GAMES} games")
        words = ["tournament", *players, "--games", str(games), "--json"]
        if openings:
            words += ["--openings", str(openings)]
        return json.loads(await self._finish(words))

    async def _finish(self, words: list[str]) -> bytes:
        """Return the output of `evolve` with *words* as arguments; one process at a time."""
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *EVOLVE,
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                **APART,
            )
            if hasattr(os, "setpriority"):
                with suppress(OSError):  # it may have ended
                    os.setpriority(os.PRIO_PROCESS, process.pid, BEHIND)
            try:
                printed, said = await asyncio.wait_for(process.communicate(), LONGEST)
            except TimeoutError:
                text = f"this takes too long here: use evolve {words[0]} at the terminal"
                raise WorkerError(text) from None
            finally:  # also when the server stops
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode:
            raise WorkerError(_last_line(said, process.returncode))
        return printed

    @property
    def running(self) -> list[str]:
        """The runs that were started here and are running."""
        return sorted(self._processes)

    async def close(self) -> None:
        """Stop all runs with a checkpoint, and wait for them."""
        for process in self._processes.values():
            process.send_signal(STOP)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PATIENCE)

    async def _launch(
        self, run: str, words: list[str], folder: TemporaryDirectory[str] | None = None
    ) -> None:
        if run in self._processes:
            raise WorkerError(f"{run} is running already", 409)
        if len(self._processes) >= MAX_AT_ONCE:
            raise WorkerError(f"{MAX_AT_ONCE} runs are running already: stop one first", 409)
        process = await asyncio.create_subprocess_exec(
            *EVOLVE,
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "COLUMNS": "200"},
            **APART,
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
        """Read the output of a process until it ends, and keep its error message."""
        said = b""
        assert process.stderr is not None
        while chunk := await process.stderr.read(65_536):
            said = (said + chunk)[-KEPT:]
        code = await process.wait()
        if folder:
            folder.cleanup()
        del self._processes[run]
        if code not in {0, 128 + HEARD, 130}:
            self.endings[run] = _last_line(said, code)


def _last_line(said: bytes, code: int) -> str:
    """Return the last line of a process's standard error."""
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return one_line(lines[-1] if lines else f"exit code {code}", 300).removeprefix("evolve: ")
