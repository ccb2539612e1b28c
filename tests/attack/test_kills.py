"""Runs that are killed at random instants, over and over: each ends with the same bits.

Some have islands, and some belong to a sweep, whose table must be the same as well. Workers are
forked, or start from nothing. ``make attack`` repeats it with a thousand kills (``KILLS=5000 make
attack`` with more) and prints what it counted.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

import psutil
import pytest

from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import RunDirectory
from tests.forked import start_evolve
from tests.small_recipes import SMALL_RECIPES

KILLS = int(os.environ.get("KILLS", "16"))
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
FRESH = 0.1
"""The share of processes that are not forked, so that Python's own start and the imports may be
cut as well."""
MAX_HITS = 6
"""Largest number of kills of one run or sweep."""
LONGEST = 300.0
"""Seconds that any command may take, which are a few even on a busy machine."""
SPAWNED = 0.25
"""The share of commands, other than sweeps, whose workers start from nothing."""
StillAlive = Callable[[Iterable[int]], list[int]]


ISLANDS = ("islands.count=3", "islands.interval=2")


@dataclass
class Attack:
    """A run, or sweep, that is killed until enough is counted, and then left in peace."""

    method: str
    kind: str
    """``run``, ``islands`` or ``sweep``."""
    folder: Path
    chance: random.Random
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def path(self) -> Path:
        """Return the run's directory, or the folder with those of a sweep."""
        return self.folder / "run"

    @property
    def log(self) -> Path:
        """Return the file with its processes' output."""
        return self.folder / "output.txt"

    def command(self) -> list[str]:
        """Return the command that a user would type next."""
        recipe, changes = SMALL_RECIPES[self.method]
        workers = ["--workers", str(self.chance.choice([1, 2, 3]))]
        if self.kind == "sweep":
            tried = [word.replace("run.generations=12", "run.generations=6,12") for word in changes]
            place = ["--folder", str(self.path), "--seeds", "1", "--games", "20"]
            return ["sweep", recipe, *place, *workers, *list_options(tried)]
        if self.chance.random() < SPAWNED:
            workers += ["--executor", "spawn"]
        if RunDirectory(self.path).recipe.is_file():
            return ["resume", str(self.path), *workers]
        islands = ISLANDS if self.kind == "islands" else ()
        return ["start", recipe, "--run", str(self.path), *workers, *list_options(changes, islands)]

    def outcome(self, outcome_of: Callable[[Path], object]) -> tuple[dict[str, object], bytes]:
        """Return all that must not depend on kills: each run's outcome, and the sweep's table."""
        runs = [file.parent for file in sorted(self.path.rglob("recipe.toml"))]
        for run in runs:
            assert Run.open(run).warnings == []  # a checkpoint is whole, or not there
        left = {file.name for file in self.path.rglob(".*")} - {".lock"}
        assert left == set()
        table = (self.path / "runs.csv").read_bytes() if self.kind == "sweep" else b""
        return {run.name: outcome_of(run) for run in runs}, table

    def finish(self) -> None:
        """Let the run come to its end."""
        process = forked(self.command(), self.log)
        self._await_end(process)
        assert process.exitcode == 0, self.log.read_text()

    def strike(self, duration: float, still_alive: StillAlive) -> bool:
        """Continue the run, kill it in between, and return True if it was alive then."""
        number = self.chance.choice(SIGNALS)
        command, fresh = self.command(), self.chance.random() < FRESH
        spawned = "spawn" in command
        process = Fresh(command, self.log) if fresh else forked(command, self.log)
        process.join(self.chance.uniform(0.0, duration + 1.0 * fresh + 2.0 * spawned))
        children, early = find_children(process.pid), False
        if process.exitcode is None:
            early = fresh and number == signal.SIGINT and not has_begun(process.pid)
            os.kill(process.pid, number)
        self._await_end(process)
        code, text = process.exitcode, self.log.read_text()
        if early and text.rstrip().endswith("KeyboardInterrupt"):
            assert code in {1, -number}, text
            self.counts["of these before any command began"] += 1
        else:
            assert code in {0, 128 + number, -number}, f"{number.name} gave {code}: {text}"
            assert "Traceback" not in text, text
        assert still_alive(children) == []
        self.counts[f"{number.name} {'ended it' if code else 'came too late'}"] += 1
        if code:
            self.counts[f"hit {self.kind}{' with spawn' if spawned else ''}"] += 1
        return code != 0

    def _await_end(self, process: BaseProcess | Fresh) -> None:
        """Wait for the end; a process that hangs is aborted, and a fork says where it hung."""
        process.join(LONGEST)
        if process.exitcode is None:
            os.kill(process.pid, signal.SIGABRT)
            process.join()
            raise TimeoutError(f"{self.kind} of {self.method}: {self.log.read_text()}")


class Fresh:
    """A new process of Python, with the interface of a forked one."""

    def __init__(self, words: list[str], log: Path) -> None:
        self._file = log.open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evolve_arena.cli.main", *words],
            stdout=self._file,
            stderr=self._file,
        )
        self.pid = self._process.pid

    @property
    def exitcode(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._process.poll()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it ends, or for so many *seconds*."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        self._file.close()


def list_options(*groups: Iterable[str]) -> list[str]:
    """Return the options for a recipe's changes."""
    return [word for changes in groups for change in changes for word in ("--set", change)]


def forked(words: list[str], log: Path) -> BaseProcess:
    """Run ``evolve`` with these *words* in a copy of this process."""
    with log.open("wb") as file:
        return start_evolve(words, file, file)


def find_children(pid: int) -> list[int]:
    """Return all live children of the process."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def has_begun(pid: int) -> bool:
    """Test whether a process handles SIGTERM yet; before, SIGINT meets Python's own start."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def shared_memory() -> set[str]:
    """Return the shared memory segments, which must be gone when no process uses them."""
    folder = Path("/dev/shm")
    return {file.name for file in folder.iterdir()} if folder.is_dir() else set()


def draw_kinds(method: str, chance: random.Random) -> list[str]:
    """Return the kinds of breeding that a method permits, in any order."""
    recipe, changes = SMALL_RECIPES[method]
    migrates = load_recipe(recipe, changes).make_method().migrates
    kinds = ["run", "islands", "sweep"] if migrates else ["run", "sweep"]
    return chance.sample(kinds, len(kinds))


@pytest.mark.parametrize("method", SMALL_RECIPES)
@pytest.mark.usefixtures("ready_workers")
def test_killed_runs_end_with_the_same_bits(
    method: str, tmp_path: Path, outcome_of: Callable[[Path], object], still_alive: StillAlive
) -> None:
    share = KILLS // len(SMALL_RECIPES) + (
        list(SMALL_RECIPES).index(method) < KILLS % len(SMALL_RECIPES)
    )
    chance = random.Random(method)
    kinds, before = draw_kinds(method, chance), shared_memory()
    beside = psutil.Process().children()
    counts: Counter[str] = Counter()
    expected: dict[str, object] = {}
    durations: dict[str, float] = {}
    hits = runs = 0

    def begin(kind: str, name: str) -> Attack:
        (tmp_path / name).mkdir()
        return Attack(method, kind, tmp_path / name, chance, counts)

    def leave_in_peace(kind: str) -> None:
        for name in (f"whole {kind}", f"timed {kind}"):  # the first compiles what is not yet
            began = time.perf_counter()
            attack = begin(kind, name)
            attack.finish()
            durations[kind] = time.perf_counter() - began
            outcome = attack.outcome(outcome_of)
            assert outcome == expected.setdefault(kind, outcome)

    while hits < share:
        kind = kinds[runs % len(kinds)]
        if kind not in expected:
            leave_in_peace(kind)
        runs += 1
        attack = begin(kind, f"killed {runs}")
        for _ in range(min(share - hits, chance.randint(1, MAX_HITS))):
            if not attack.strike(durations[kind], still_alive):
                break
            hits += 1
        attack.finish()
        assert attack.outcome(outcome_of) == expected[kind]
    assert shared_memory() - before == set()
    assert psutil.Process().children() == beside
    print(f"\n{method}: {hits} kills in {runs} runs and sweeps, the same bits", end="")
    print("".join(f"; {what} {count}" for what, count in sorted(counts.items())))
