"""The row of a run in the list, and a stamp that changes with the run; read in a worker."""

from __future__ import annotations

import math
import stat
import tomllib
from contextlib import suppress
from pathlib import Path

import psutil

from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.files import describe_special, open_regular
from evolve_arena.core.types import Json, JsonObject
from evolve_arena.players.evolved import LARGEST as LARGEST_PLAYER
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.store.checkpoint import LARGEST as LARGEST_CHECKPOINT
from evolve_arena.runs.store.directory import DATABASE, EXPORTED, PARTS
from evolve_arena.runs.store.history import Check, History, estimate_left
from evolve_arena.web.listing import BLANK, UNFINISHED

LARGEST_RECIPE = 1 << 18
PLACES = (".lock", *sorted({*PARTS, *DATABASE} - EXPORTED))
"""The files and folders of a run whose change is noticed."""
CHECKPOINTS = "checkpoints"
FOLDERS = {CHECKPOINTS, "plots", "code", "game"}
LARGEST = {
    "recipe.toml": LARGEST_RECIPE,
    "champion.safetensors": LARGEST_PLAYER,
    CHECKPOINTS: LARGEST_CHECKPOINT,
}
"""Largest sizes in bytes of some files, or of files in a folder."""
LARGEST_LOCK = 1 << 10


def read_text(file: Path) -> str:
    """Return the beginning of a file, which is long enough for any recipe."""
    with file.open("rb") as opened:
        return opened.read(LARGEST_RECIPE).decode("utf-8", "replace")


def check_files(path: Path) -> None:
    """Check the kinds and sizes of the files and folders of the run at *path*, without opening any.

    Raises:
        StorageError: One is of another kind, or too large to be read.
    """
    for name in PLACES:
        _check_place(path, name)
    with suppress(FileNotFoundError):
        for file in (path / CHECKPOINTS).iterdir():
            _check_place(path, f"{CHECKPOINTS}/{file.name}")


def _check_place(path: Path, name: str) -> None:
    """Check the file or folder called *name* in the run at *path*, if there is one."""
    try:
        status = (path / name).lstat()
    except OSError:
        return
    is_meant = stat.S_ISDIR if name in FOLDERS else stat.S_ISREG
    shown = one_line(name, 80)
    if not is_meant(status.st_mode):
        kind = describe_special(path / name) or "a file"
        raise StorageError(f"{shown} can't be used: it is {kind}")
    most = LARGEST.get(name.partition("/")[0], status.st_size)
    if stat.S_ISREG(status.st_mode) and status.st_size > most:
        raise StorageError(f"{shown} can't be used: it is larger than {most:,} bytes")


def list_champions(path: Path) -> list[int]:
    """Return the generations with readable champions of the run at *path*; none if damaged."""
    try:
        check_files(path)
        with History(path / "history.db", thorough=False) as history:
            return history.kept_champions()
    except ArenaError:
        return []


def stamp_run(path: Path) -> list[Json]:
    """Return a stamp that changes when a run's files are written or replaced."""
    found: list[Json] = []
    for name in PLACES:
        if name == "history.db-shm":  # readers write there too
            continue
        try:
            status = (path / name).lstat()
        except OSError:
            found.append([])
        else:
            found.append([status.st_mtime_ns, status.st_size, status.st_ino])
    return found


def find_time(path: Path) -> float:
    """Return the time of the last change of the run at *path*, in seconds of Unix time."""
    times = []
    for name in ("recipe.toml", "history.db", "history.db-wal", "champion.safetensors"):
        with suppress(OSError):
            times.append((path / name).lstat().st_mtime)
    return max(times, default=0.0)


def find_holder(path: Path) -> int:
    """Return the number of the process that writes to the run at *path*; 0 if there is none.

    A run's lock holds the number of the process that took it last. It is not taken here, so that
    readers never prevent a run from starting.
    """
    lock = path / ".lock"
    try:
        with open_regular(lock, LARGEST_LOCK) as file:
            number = int(file.read(20) or b"0")
        begun = psutil.Process(number).create_time() if number else math.inf
        return number if begun <= lock.stat().st_mtime + 1 else 0
    except (OSError, ValueError, psutil.Error):
        return 0


def describe_row(name: str, path: Path) -> JsonObject:
    """Return the complete row of the run at *path* called *name*."""
    row = {"run": name, "updated": find_time(path), **BLANK, **read_row(path)}
    if row["state"] in UNFINISHED and find_holder(path):
        row["state"] = "running"
    return row


def read_row(path: Path) -> JsonObject:
    """Return the columns of a run that its files contain; a damaged run has a state of its own."""
    row: JsonObject = {}
    try:
        check_files(path)
        recipe = tomllib.loads(read_text(path / "recipe.toml"))
        row["title"] = one_line(str(recipe.get("title", "")), 200)
        row["game"] = one_line(str(recipe["game"]["name"]), 80)
        row["method"] = one_line(str(recipe["method"]["name"]), 80)
        row["generations"] = int(recipe["run"]["generations"])
        row["seed"] = int(recipe["run"].get("seed", 1))
        row["champion"] = (path / "champion.safetensors").exists()
        if not (path / "history.db").exists():
            return row
        with History(path / "history.db", thorough=False) as history:
            played, games, seconds = history.totals()
            checks, ends = history.checks(), history.check_ends()
        every = recipe.get("check", {}).get("every", 10)
        now, last = int(played), row["generations"]
        taken = {end.generation: end.seconds for end in ends}
        if played:
            left = estimate_left(now, last, max(1, int(every)), seconds / played, taken)
            row["left"] = write_number(left)
        due = played and (now % max(1, int(every)) == 0 or now == last)
        row["checking"] = bool(ends and due and max(taken) < now)
        row |= {
            "generation": int(played),
            "games": int(games),
            "seconds": write_number(seconds) or 0.0,
        }
        if checks:
            newest = max(check.generation for check in checks)
            row["check"] = write_check(
                next(check for check in checks if check.generation == newest)
            )
        done = row["generation"] >= row["generations"]
        row["state"] = "complete" if done else "stopped"
    except (ArenaError, KeyError, TypeError, ValueError, OSError, ArithmeticError) as error:
        row |= {"state": "damaged", "trouble": one_line(str(error), 200)}
    except RecursionError:
        row |= {"state": "damaged", "trouble": "recipe.toml is nested too deep"}
    return row


def write_check(check: Check) -> JsonObject:
    """Convert a *check* to JSON."""
    low, high = check.wilson_95
    scores = check.scores
    return {
        "generation": check.generation,
        "opponent": one_line(check.opponent, 80),
        "games": check.games,
        "wins": check.wins,
        "draws": check.draws,
        "losses": check.losses,
        "won": write_number(check.won),
        "low": write_number(low),
        "high": write_number(high),
        "forfeits": sum(each.games for each in check.forfeits),
        "points": None
        if scores is None
        else {
            key: write_number(getattr(scores, key)) for key in ("points", "margin", "low", "high")
        },
    }


def is_file(path: Path) -> bool:
    """Return True if *path* is a regular file; a link may lead anywhere, and is none."""
    return path.is_file() and not path.is_symlink()


def write_number(value: object) -> float | None:
    """Convert a number to JSON; None if it is not finite."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
