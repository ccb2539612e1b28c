"""What tests of runs share: a run that is killed, and one that is stopped, over and over."""

from __future__ import annotations

import multiprocessing
import random
import re
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil
import pytest

from evolve_arena.runs.api import resume, start
from evolve_arena.runs.journey import Progress
from evolve_arena.runs.recipe import Recipe
from evolve_arena.runs.run import Run

FORK = multiprocessing.get_context("fork")
KILLS = 6
EXECUTORS: list[dict[str, Any]] = [
    {"executor": "serial"},
    {"executor": "multiprocess", "workers": 1},
    {"executor": "multiprocess", "workers": 2},
]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[[], dict[str, list[dict[str, str]]]]:
    """Reads the tables printed so far: by title the rows, and in each of these a cell by header.

    A cell belongs to the header with which it begins or ends, or to the one without a text.
    """

    def read() -> dict[str, list[dict[str, str]]]:
        lines = capsys.readouterr().out.splitlines()
        tables: dict[str, list[dict[str, str]]] = {}
        for place in [at for at, line in enumerate(lines) if line and set(line) == {"─"}]:
            headers = _find_cells(lines[place - 1])
            rows = tables[lines[place - 2].strip()] = []
            for line in lines[place + 1 :]:
                if not line.startswith(" "):
                    break
                row = dict.fromkeys((text for text, _, _ in headers), "")
                for text, begin, end in _find_cells(line):
                    names = (name for name, *ends in headers if begin == ends[0] or end == ends[1])
                    row[next(names, "")] = text
                rows.append(row)
        return tables

    return read


def _find_cells(line: str) -> list[tuple[str, int, int]]:
    """The texts of a line that are two or more spaces apart, and from where to where they go."""
    return [(found[0], *found.span()) for found in re.finditer(r"\S+(?: \S+)*", line)]


@pytest.fixture(scope="session")
def survive_kills(
    outcome_of: Callable[[Path], Any], still_alive: Callable[[Iterable[int]], list[int]]
) -> Callable[[Callable[[int], Recipe], Path], None]:
    """Kills runs at any instant, and compares what they come to with runs left in peace.

    Takes what makes a recipe for a seed, and an empty folder.
    """

    def survive(make: Callable[[int], Recipe], folder: Path) -> None:
        chance = random.Random(3)
        kills = seed = 0
        while kills < KILLS:
            seed += 1
            recipe = make(seed)
            began = time.perf_counter()
            whole = start(recipe, run=folder / f"whole {seed}" / "run", executor="serial")
            duration = time.perf_counter() - began
            path = folder / f"killed {seed}" / "run"
            start(recipe, run=path, executor="serial", watch=lambda progress: False)
            while True:
                process = FORK.Process(target=_advance, args=(path, EXECUTORS[kills % 3]))
                process.start()
                process.join(chance.uniform(0.0, duration) if kills < KILLS else None)
                workers = _find_children(process.pid)
                process.kill()
                process.join()
                if process.exitcode != -signal.SIGKILL:  # it had just come to its end
                    assert process.exitcode == 0
                    break
                kills += 1
                assert still_alive(workers) == []
                assert Run.open(path).warnings == []  # a checkpoint is whole, or not there
            assert outcome_of(path) == outcome_of(whole.path)

    return survive


@pytest.fixture(scope="session")
def stop_anywhere(outcome_of: Callable[[Path], Any]) -> Callable[[Recipe, Run, Path], None]:
    """Stops a run after every generation, then goes back to an earlier one.

    Takes the recipe, a run of it that was not stopped, and a new run's folder.
    """

    def stop(recipe: Recipe, whole: Run, path: Path) -> None:
        kept = recipe.change({"run.keep_every": 1})
        start(kept, run=path, executor="serial", watch=lambda progress: False)
        for generation in range(2, whole.generation + 1):
            resume(path, executor="serial", watch=_stop_at(generation))
            assert Run.open(path).generation == generation
        assert outcome_of(path) == outcome_of(whole.path)
        resume(path, from_generation=4, executor="multiprocess", workers=2)
        assert outcome_of(path) == outcome_of(whole.path)

    return stop


def _advance(path: Path, options: dict[str, Any]) -> None:
    Run.open(path).advance(**options)


def _find_children(pid: int | None) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _stop_at(generation: int) -> Callable[[Progress], bool]:
    return lambda progress: progress.generation < generation
