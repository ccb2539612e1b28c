"""What the page lets `evolve` do in child processes: runs, pictures, tournaments."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evolve_arena.core.children import PYTHON
from evolve_arena.core.errors import one_line
from evolve_arena.web.workers import WorkerError

STOP = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM)
"""What is sent to a run that is to stop; on Windows SIGTERM would end it at once."""
HEARD = getattr(signal, "SIGBREAK", signal.SIGTERM)
"""As what it hears that."""
APART: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Keeps what is typed at the terminal from processes."""
MOST_AT_ONCE = 8
KEPT = 10_000
"""How many of the last bytes that a process says are kept."""
EVOLVE = (*PYTHON, "-m", "evolve_arena.cli.main")
PICTURES = {"fitness": (), "ancestors": ("--ancestors",), "network": ("--network",)}
"""What can be drawn of a run, and how ``evolve plot`` is told."""
MOST_GAMES = 1000
LONGEST = 300.0
"""Seconds for a picture, or a tournament."""
BEHIND = 15
"""By how much such a process stands back: behind runs, and workers that answer the page."""
LONGEST_START = 60.0
"""Seconds that a run has to begin, or to say why it can't; usually it is one."""
PATIENCE = 30.0
"""Seconds that a run has for its checkpoint when the server stops."""


class Trainers:
    """The runs that this server has started and that go on."""

    def __init__(self) -> None:
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Semaphore(1)
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
        begun = Path(path, "recipe.toml")
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_START):
                while run in self._processes and not begun.exists():
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
        self._processes[run].send_signal(STOP)

    async def draw(self, path: str, what: str) -> None:
        """Lets ``evolve plot`` draw a picture of the run at *path*; see :data:`PICTURES`.

        Raises:
            WorkerError: It says why it can't, or takes too long.
        """
        if what not in PICTURES:
            raise WorkerError(f"there is no such picture: choose {', '.join(PICTURES)}")
        await self._finish(["plot", path, *PICTURES[what]])

    async def rate(self, players: list[str], games: int, openings: int) -> Any:
        """The tournament of *players*, as ``evolve tournament --json`` tells it.

        Args:
            players: Their specifications.
            games: Of each pair; at tables of more than two, in all.
            openings: Random plies at the beginning of each game.

        Raises:
            WorkerError: It says why it can't, or takes too long.
        """
        if not 1 <= games <= MOST_GAMES:
            raise WorkerError(f"choose 1 to {MOST_GAMES} games")
        words = ["tournament", *players, "--games", str(games), "--json"]
        if openings:
            words += ["--openings", str(openings)]
        return json.loads(await self._finish(words))

    async def _finish(self, words: list[str]) -> bytes:
        """What `evolve` prints that is told *words*; one at a time."""
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
                raise WorkerError(f"this takes too long here: evolve {words[0]} has time") from None
            finally:  # nobody waits for it any more, if the server stops say
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        if process.returncode:
            raise WorkerError(_last_line(said, process.returncode))
        return printed

    @property
    def running(self) -> list[str]:
        """The runs that were started here and go on."""
        return sorted(self._processes)

    async def close(self) -> None:
        """Stops all with a checkpoint, and waits for them."""
        for process in self._processes.values():
            process.send_signal(STOP)
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
        """Reads what a process says, until it ends."""
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
    """The last thing that a process said on its standard error."""
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return one_line(lines[-1] if lines else f"exit code {code}", 300).removeprefix("evolve: ")
