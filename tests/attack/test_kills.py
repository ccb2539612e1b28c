"""Runs that are killed at random instants, over and over: each ends with the same bits.

``make attack`` repeats it with a thousand kills (``KILLS=5000 make attack`` with more) and prints
what it counted.
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
from pathlib import Path
from typing import Any

import psutil
import pytest

from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.run import Run
from tests.forked import start_evolve
from tests.small_recipes import SMALL_RECIPES

KILLS = int(os.environ.get("KILLS", "16"))
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
FRESH = 0.1
"""The share of processes that are not forked, so that Python's own start and the imports may be
cut as well."""


@dataclass
class Attack:
    """One run that is killed until enough is counted, and then left in peace."""

    method: str
    folder: Path
    chance: random.Random
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def path(self) -> Path:
        """The run's directory."""
        return self.folder / "run"

    @property
    def log(self) -> Path:
        """What its processes print."""
        return self.folder / "output.txt"

    def command(self) -> list[str]:
        """What somebody would type now."""
        if RunDirectory(self.path).recipe.is_file():
            return ["resume", str(self.path), "--workers", str(self.chance.choice([1, 2, 3]))]
        recipe, changes = SMALL_RECIPES[self.method]
        options = [word for change in changes for word in ("--set", change)]
        return ["start", recipe, "--run", str(self.path), *options]

    def finish(self) -> None:
        """Lets the run come to its end."""
        process = forked(self.command(), self.log)
        process.join()
        assert process.exitcode == 0, self.log.read_text()

    def strike(self, duration: float, still_alive: Callable[[Iterable[int]], list[int]]) -> bool:
        """Goes on with the run, and kills it in between. Gives whether it was alive then."""
        number = self.chance.choice(SIGNALS)
        fresh = self.chance.random() < FRESH
        process = Fresh(self.command(), self.log) if fresh else forked(self.command(), self.log)
        process.join(self.chance.uniform(0.0, duration + (1.0 if fresh else 0.0)))
        children = find_children(process.pid)
        if process.exitcode is None:
            os.kill(process.pid, number)
        process.join()
        code, text = process.exitcode, self.log.read_text()
        assert code in {0, 128 + number, -number}, f"{number.name} gave {code}: {text}"
        assert "Traceback" not in text, text
        assert still_alive(children) == []
        self.counts[f"{number.name} {'ended it' if code else 'came too late'}"] += 1
        return code != 0


class Fresh:
    """A new process of Python, with the interface of a forked one."""

    def __init__(self, words: list[str], log: Path) -> None:
        self._file = log.open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evolve_arena.runs.cli", *words],
            stdout=self._file,
            stderr=self._file,
        )
        self.pid = self._process.pid

    @property
    def exitcode(self) -> int | None:
        """How it ended, if it did."""
        return self._process.poll()

    def join(self, seconds: float | None = None) -> None:
        """Waits until it ends, or for so many *seconds*."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        self._file.close()


def forked(words: list[str], log: Path) -> Any:
    """A copy of this process that runs ``evolve`` with these *words*."""
    with log.open("wb") as file:
        return start_evolve(words, file, file)


def find_children(pid: int) -> list[int]:
    """Everything that the process started and that lives."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def shared_memory() -> set[str]:
    """The segments that are left over when no process uses them any more."""
    folder = Path("/dev/shm")
    return {file.name for file in folder.iterdir()} if folder.is_dir() else set()


@pytest.mark.parametrize("method", SMALL_RECIPES)
def test_killed_runs_end_with_the_same_bits(
    method: str,
    tmp_path: Path,
    outcome_of: Callable[[Path], Any],
    still_alive: Callable[[Iterable[int]], list[int]],
) -> None:
    share = KILLS // len(SMALL_RECIPES) + (
        list(SMALL_RECIPES).index(method) < KILLS % len(SMALL_RECIPES)
    )
    chance = random.Random(method)
    (tmp_path / "whole").mkdir()
    whole = Attack(method, tmp_path / "whole", chance)
    whole.finish()  # compiles what is not compiled yet
    expected, before = outcome_of(whole.path), shared_memory()
    counts: Counter[str] = Counter()
    hits = runs = 0
    duration = 0.0
    while hits < share:
        runs += 1
        folder = tmp_path / f"killed {runs}"
        folder.mkdir()
        attack = Attack(method, folder, chance, counts)
        began = time.perf_counter()
        if not duration:  # measured on a copy that is left in peace, with everything compiled
            attack.finish()
            duration = time.perf_counter() - began
            continue
        while hits < share and attack.strike(duration, still_alive):
            hits += 1
        attack.finish()
        assert Run.open(attack.path).warnings == []  # a checkpoint is whole, or not there
        assert outcome_of(attack.path) == expected
        left = {file.name for file in attack.path.rglob(".*")} - {".lock"}
        assert left == set()
    assert shared_memory() - before == set()
    assert psutil.Process().children() == []
    print(f"\n{method}: {hits} kills in {runs - 1} runs, one hash {expected.sha256[:16]}", end="")
    print("".join(f"; {what} {count}" for what, count in sorted(counts.items())))
