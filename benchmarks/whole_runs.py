"""Duration and memory of whole runs, and time to the first generation."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

import evolve_arena as ea
from benchmarks.line import Line
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.checkpoint import save_checkpoint
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.training.loop import Progress

__all__ = ["measure"]

MEASURED = ("--games", "1000", "--seed", "99", "--openings", "0")
EVOLVE = [sys.executable, "-m", "evolve_arena.cli.main"]
CHANGES: dict[str, list[str]] = {"four-in-a-row-2": [], "connect-four": []}
"""Changes of the recipes that are timed."""
SAVES, STARTS, FIRST_RUNS, GAMES = 20, 15, 5, 1000
SMALL = {
    "CHANGES": {
        "four-in-a-row-2": ["run.generations=4", "check.games=20"],
        "connect-four": ["run.generations=2", "method.individuals=20", "check.games=20"],
    },
    "SAVES": 1,
    "STARTS": 1,
    "FIRST_RUNS": 1,
    "GAMES": 20,
}


def measure() -> Iterator[Line]:
    """Yield all lines about runs."""
    with tempfile.TemporaryDirectory(prefix="evolve-benchmark-") as name:
        folder = Path(name)
        yield from _four_in_a_row(folder)
        yield _checkpoint(folder)
        yield from _beginnings()
        yield _first_generation(folder)
        yield from _default_recipe(folder)


def _four_in_a_row(folder: Path) -> Iterator[Line]:
    """Measure after a run of one generation, as loading the machine code has its own line."""
    latest = Progress()

    def watch(progress: Progress) -> bool:
        nonlocal latest
        latest = progress
        return True

    name = "four-in-a-row-2"
    ea.start(name, run=folder / "one", workers=2, changes=["run.generations=1"])
    start = time.perf_counter()
    ea.start(name, run=folder / "two", workers=2, callbacks=watch, changes=CHANGES[name])
    seconds = time.perf_counter() - start
    yield Line(
        f"{name}, {latest.generation} generations",
        seconds,
        "s",
        "12 s",
        12.0 / seconds,
        "at most 12 s",
        seconds <= 12.0,
    )
    share = latest.playing / seconds
    yield Line(
        "the same, playing matches", 100 * share, "% of the time", target="80 %", met=share >= 0.8
    )


def _checkpoint(folder: Path) -> Line:
    method = load_recipe("four-in-a-row-2").make_method()
    state = method.initial(1)
    directory = RunDirectory(folder / "checkpoint")
    directory.create()
    times = []
    with directory.lock():
        for _ in range(SAVES):
            start = time.perf_counter()
            save_checkpoint(directory, state, method)
            times.append(time.perf_counter() - start)
    median = 1000 * float(np.median(times))
    return Line("checkpoint of 100 x 507 genes", median, "ms", target="10 ms", met=median < 10)


def _beginnings() -> Iterator[Line]:
    """Measure import of the library and start of the command line, each the median of some."""
    nothing = _time([sys.executable, "-c", "pass"])
    for name, command, most in (
        ("import evolve_arena", [sys.executable, "-c", "import evolve_arena"], 0.15),
        ("evolve --help", [*EVOLVE, "--help"], 0.25),
    ):
        seconds, target = _time(command), f"{most} s"
        against = "Python that does nothing"
        yield Line(name, seconds, "s", against, seconds / nothing, target, seconds < most)


def _time(command: list[str]) -> float:
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def _first_generation(folder: Path) -> Line:
    times = []
    for number in range(FIRST_RUNS):
        run = folder / f"first-{number}"
        command = [*EVOLVE, "start", "connect-four", "--run", str(run), "--quiet"]
        start = time.perf_counter()
        subprocess.run([*command, "--set", "run.generations=1"], check=True)
        times.append(time.perf_counter() - start)
    median = float(np.median(times))
    return Line(
        "warm start, first generation, check, end", median, "s", target="2 s", met=median < 2
    )


def _default_recipe(folder: Path) -> Iterator[Line]:
    run = folder / "connect-four"
    command = [*EVOLVE, "start", "connect-four", "--run", str(run), "--quiet", "--workers", "2"]
    command += [word for change in CHANGES["connect-four"] for word in ("--set", change)]
    start = time.perf_counter()
    process = psutil.Popen(command)
    peak = [0]
    watcher = threading.Thread(target=_watch_memory, args=(process, peak))
    watcher.start()
    if process.wait() != 0:
        raise RuntimeError("evolve start connect-four failed")
    seconds = time.perf_counter() - start
    watcher.join()
    yield Line("connect-four, the default recipe", seconds, "s", target="180 s", met=seconds <= 180)
    memory = peak[0] / 2**20
    yield Line(
        "the same, memory of all processes", memory, "MiB", target="700 MB", met=memory < 667
    )
    text = subprocess.run(
        [
            *EVOLVE,
            "evaluate",
            f"run:{run}",
            "--json",
            "--games",
            str(GAMES),
            "--seed",
            "99",
            "--openings",
            "0",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    opponents = json.loads(text)["opponents"]
    for name, target in (("test-bot", 0.90), ("random", 0.97)):
        won, (low, high) = opponents[name]["won"], opponents[name]["won_wilson_95"]
        interval = f"95 % interval {low:.3f} to {high:.3f}"
        yield Line(
            f"the same, won of {GAMES} against {name}",
            won,
            "share",
            interval,
            target=f"{target:.2f}",
            met=won >= target,
        )


def _watch_memory(process: psutil.Popen, peak: list[int]) -> None:
    """Write the peak memory of *process* and its children to *peak*; shared pages count twice."""
    while process.poll() is None:
        total = 0
        try:
            for one in [process, *process.children(recursive=True)]:
                total += one.memory_info().rss
        except psutil.NoSuchProcess:
            continue
        peak[0] = max(peak[0], total)
        time.sleep(0.1)
