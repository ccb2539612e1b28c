"""The report of ``evolve doctor``: installed versions, the machine, problems, and speed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import psutil

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import check_executor, default_workers, make_executor
from evolve_arena.cli.output import print_line
from evolve_arena.core.compiled import (
    cache_folder,
    compiled_before,
    compiling_seconds,
    is_kept,
    working_clock,
)
from evolve_arena.core.logs import format_seconds
from evolve_arena.core.registry import default_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

PACKAGES = ("evolve-arena", "numpy", "numba", "llvmlite", "deap", "neat-python")
EXTRAS = {
    "notebook": "ipykernel",
    "openspiel": "open_spiel",
    "page": "starlette",
    "pandas": "pandas",
    "parquet": "pyarrow",
    "ratings": "openskill",
    "ray": "ray",
    "studies": "scipy",
}
"""A distribution of each optional extra, by the name of the extra."""
MIB = 1 << 20
LEAST_DISK, LEAST_MEMORY = 500 * MIB, 1000 * MIB
"""Free bytes of disk and of memory below which ``doctor`` warns."""
SECONDS = 4.0
"""Shortest duration in seconds of each part of the benchmark, without compiling."""
RUNS = Path("evolved")


def examine(*, quick: bool = False) -> JsonObject:
    """Return the report of ``evolve doctor``, ready for JSON.

    Args:
        quick: True to skip the benchmark.
    """
    content: JsonObject = {
        "versions": {"python": sys.version.split()[0], **_find_versions(PACKAGES)},
        "extras": {extra: _find_versions([name])[name] for extra, name in EXTRAS.items()},
        "machine": _examine_machine(),
        "cache": _examine_cache(),
        "runs": _examine_runs(),
        "terminal": _examine_terminal(),
    }
    content["problems"] = find_problems(content)
    if not quick:
        content["speed"] = measure_speed(load_recipe(default_game()))
    return content


def measure_speed(recipe: Recipe, seconds: float = SECONDS) -> JsonObject:
    """Measure games per second while a *recipe* evolves, and estimate the duration of its run.

    Args:
        recipe: Recipe to evolve for a moment; nothing is written.
        seconds: Duration with one process, and again with all of them.
    """
    before, method = compiling_seconds(), recipe.make_method()
    found: JsonObject = {"recipe": recipe.title, "generations": recipe.run.generations}
    for name, executor in (("one_process", "serial"), ("all_workers", check_executor(None, None))):
        with make_executor(executor) as machine:
            arena, state = Arena(method.decoder, machine), method.initial(recipe.run.seed)
            state, _ = method.step(state, arena)  # compiles, and starts the workers
            games, playing, begun = arena.games_played, machine.seconds, state.generation
            start = working_clock()
            while working_clock() - start < seconds:
                state, _ = method.step(state, arena)
            took = working_clock() - start
            found[name] = {
                "workers": machine.workers,
                "games_per_second": (arena.games_played - games) / (machine.seconds - playing),
                "generations_per_second": (state.generation - begun) / took,
            }
    found["compiling_seconds"] = compiling_seconds() - before
    rates = found["all_workers"]
    checks = recipe.run.generations / recipe.check.every * len(recipe.check.opponents)
    found["run_seconds"] = (
        recipe.run.generations / rates["generations_per_second"]
        + checks * recipe.check.games / rates["games_per_second"]
    )
    return found


def find_problems(content: Settings) -> list[str]:
    """Return the problems in a report of :func:`examine`, each with its remedy."""
    machine, cache, runs = content["machine"], content["cache"], content["runs"]
    problems = []
    if not cache["is_kept"]:
        problems.append(
            "compiled code is not kept, since its folder can't be written or others may write to"
            " it: set EVOLVE_ARENA_CACHE to a folder that only you can write to"
        )
    if cache["free_bytes"] < LEAST_DISK:
        problems.append(f"little disk space for compiled code: free some for {cache['folder']}")
    if not runs["is_writable"]:
        problems.append(f"{runs['folder']} can't be written: change the folder, or use --run")
    if runs["free_bytes"] < LEAST_DISK:
        problems.append(f"little disk space for runs: free some for {runs['folder']}")
    if machine["usable_cores"] < machine["cores"]:
        problems.append(
            f"this process may use {machine['usable_cores']:g} of {machine['cores']} cores (by"
            " taskset, a container or a batch system): request more there, or use --workers"
        )
    if machine["free_memory_bytes"] < LEAST_MEMORY:
        problems.append("little memory is free: close other programs, or use --workers 1")
    return problems


def print_examination(content: Settings) -> None:
    """Print a report of :func:`examine`."""
    machine, cache, runs = content["machine"], content["cache"], content["runs"]
    versions = ", ".join(f"{name} {number}" for name, number in content["versions"].items())
    _report("versions", versions)
    for extra, number in content["extras"].items():
        install = f"missing: pip install 'evolve-arena[{extra}]'"
        _report(f"extra {extra}", f"{EXTRAS[extra]} {number}" if number else install)
    cores = f"{machine['usable_cores']:g} of {machine['cores']} cores"
    free, memory = machine["free_memory_bytes"] // MIB, machine["memory_bytes"] // MIB
    _report("machine", f"{machine['system']}, {cores}, {free:,} of {memory:,} MiB memory free")
    room = f"{cache['bytes'] // MIB:,} MiB, {cache['free_bytes'] // MIB:,} MiB free"
    _report("cache", f"{cache['folder']} ({room})")
    compiled = cache["compiled"]
    took = format_seconds(sum(compiled.values()))
    told = f"{len(compiled)} parts so far, in {took}" if compiled else "nothing yet"
    _report("compiled", told)
    room = f"{runs['count']} runs, {runs['free_bytes'] // MIB:,} MiB free"
    _report("runs", f"{runs['folder']} ({room})")
    terminal = content["terminal"]
    size = f"{terminal['columns']} x {terminal['lines']}"
    colours = "colours" if terminal["colours"] else "no colours"
    _report("terminal", f"{size}, {colours}" if terminal["is_terminal"] else "none")
    if "speed" in content:
        _print_speed(content["speed"])
    for problem in content["problems"]:
        _report("PROBLEM", problem)
    if not content["problems"]:
        _report("problems", "none")


def _print_speed(speed: Settings) -> None:
    for name, rates in ((name, speed[name]) for name in ("one_process", "all_workers")):
        told = f"{rates['games_per_second']:,.0f} games/s, {rates['workers']} processes"
        _report("speed", told if name == "all_workers" else told.replace("processes", "process"))
    compiled = speed["compiling_seconds"]
    _report("compiling", f"took {format_seconds(compiled)}" if compiled > 1 else "was done before")
    expected = format_seconds(speed["run_seconds"])
    _report("expect", f"evolve start {default_game()}: about {expected} here")


def _report(what: str, text: str) -> None:
    print_line(f"{text}", heading=f"{what:15} ")


def _find_versions(names: Iterable[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _examine_machine() -> JsonObject:
    memory, cores = psutil.virtual_memory(), os.cpu_count() or 1
    return {
        "system": f"{os.uname().sysname} {os.uname().machine}" if hasattr(os, "uname") else os.name,
        "cores": cores,
        "usable_cores": min(default_workers(), _read_quota() or cores),
        "memory_bytes": memory.total,
        "free_memory_bytes": memory.available,
    }


def _read_quota(file: Path = Path("/sys/fs/cgroup/cpu.max")) -> float | None:
    """Return the number of cores that a container grants; None if it does not limit them."""
    try:
        quota, period = file.read_text().split()
        return int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # there is none, or it says "max"
        return None


def _examine_cache() -> JsonObject:
    folder = cache_folder()
    files = [file for file in folder.parent.rglob("*") if file.is_file()]
    return {
        "folder": str(folder),
        "is_kept": is_kept(),
        "bytes": sum(file.stat().st_size for file in files),
        "free_bytes": shutil.disk_usage(folder).free,
        "compiled": compiled_before(),
    }


def _examine_runs() -> JsonObject:
    there = RUNS if RUNS.is_dir() else Path()
    return {
        "folder": str(RUNS.absolute()),
        "count": len(list(RUNS.glob("*/recipe.toml"))),
        "is_writable": os.access(there, os.W_OK),
        "free_bytes": shutil.disk_usage(there).free,
    }


def _examine_terminal() -> JsonObject:
    size = shutil.get_terminal_size()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return {
        "is_terminal": sys.stdout.isatty(),
        "columns": size.columns,
        "lines": size.lines,
        "colours": sys.stdout.isatty() and not plain,
    }
