"""What ``evolve doctor`` finds: what is installed, what this machine has, and how fast it is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

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
from evolve_arena.core.registry import usual_game
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
"""What can be installed besides, by the name of the extra: a distribution of it."""
MIB = 1 << 20
LEAST_DISK, LEAST_MEMORY = 500 * MIB, 1000 * MIB
"""Below these somebody is warned."""
SECONDS = 4.0
"""How long each part of the benchmark takes at least, without compiling."""
RUNS = Path("evolved")


def examine(*, quick: bool = False) -> dict[str, Any]:
    """Everything that ``evolve doctor`` tells, ready for JSON.

    Args:
        quick: Whether to leave out the benchmark.
    """
    content: dict[str, Any] = {
        "versions": {"python": sys.version.split()[0], **_find_versions(PACKAGES)},
        "extras": {extra: _find_versions([name])[name] for extra, name in EXTRAS.items()},
        "machine": _examine_machine(),
        "cache": _examine_cache(),
        "runs": _examine_runs(),
        "terminal": _examine_terminal(),
    }
    content["problems"] = find_problems(content)
    if not quick:
        content["speed"] = measure_speed(load_recipe(usual_game()))
    return content


def measure_speed(recipe: Recipe, seconds: float = SECONDS) -> dict[str, Any]:
    """Games in a second while the *recipe* evolves, and how long all of it takes here.

    Args:
        recipe: What is evolved, for a moment; nothing is written.
        seconds: How long, with one process, and again with all of them.
    """
    before, method = compiling_seconds(), recipe.make_method()
    found: dict[str, Any] = {"recipe": recipe.title, "generations": recipe.run.generations}
    for name, executor in (("one_process", "serial"), ("all_workers", check_executor(None, None))):
        with make_executor(executor) as machine:
            arena, state = Arena(method.decoder, machine), method.initial(recipe.run.seed)
            state, _ = method.step(state, arena)  # compiles, and starts the workers
            games, playing, begun = arena.games, machine.seconds, state.generation
            start = working_clock()
            while working_clock() - start < seconds:
                state, _ = method.step(state, arena)
            took = working_clock() - start
            found[name] = {
                "workers": machine.workers,
                "games_per_second": (arena.games - games) / (machine.seconds - playing),
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


def find_problems(content: Mapping[str, Any]) -> list[str]:
    """What should be mended, each with its remedy, by what :func:`examine` found."""
    machine, cache, runs = content["machine"], content["cache"], content["runs"]
    problems = []
    if not cache["is_kept"]:
        problems.append(
            "compiled code is not kept, since its folder can't be written or others may write to"
            " it: let EVOLVE_ARENA_CACHE name a folder that only you can write to"
        )
    if cache["free_bytes"] < LEAST_DISK:
        problems.append(f"little room for compiled code: make room where {cache['folder']} lies")
    if not runs["is_writable"]:
        problems.append(f"{runs['folder']} can't be written: go to a folder of yours, or use --run")
    if runs["free_bytes"] < LEAST_DISK:
        problems.append(f"little room for runs: make room where {runs['folder']} lies")
    if machine["usable_cores"] < machine["cores"]:
        problems.append(
            f"this process may use {machine['usable_cores']:g} of {machine['cores']} cores (by"
            " taskset, a container or a batch system): ask for more there, or say --workers"
        )
    if machine["free_memory_bytes"] < LEAST_MEMORY:
        problems.append("little memory is free: end other programs, or say --workers 1")
    return problems


def print_examination(content: Mapping[str, Any]) -> None:
    """Prints what :func:`examine` gave."""
    machine, cache, runs = content["machine"], content["cache"], content["runs"]
    versions = ", ".join(f"{name} {number}" for name, number in content["versions"].items())
    _tell("versions", versions)
    for extra, number in content["extras"].items():
        install = f"missing: pip install 'evolve-arena[{extra}]'"
        _tell(f"extra {extra}", f"{EXTRAS[extra]} {number}" if number else install)
    cores = f"{machine['usable_cores']:g} of {machine['cores']} cores"
    free, memory = machine["free_memory_bytes"] // MIB, machine["memory_bytes"] // MIB
    _tell("machine", f"{machine['system']}, {cores}, {free:,} of {memory:,} MiB memory free")
    room = f"{cache['bytes'] // MIB:,} MiB, {cache['free_bytes'] // MIB:,} MiB free"
    _tell("cache", f"{cache['folder']} ({room})")
    compiled = cache["compiled"]
    took = format_seconds(sum(compiled.values()))
    told = f"{len(compiled)} parts so far, in {took}" if compiled else "nothing yet"
    _tell("compiled", told)
    room = f"{runs['count']} runs, {runs['free_bytes'] // MIB:,} MiB free"
    _tell("runs", f"{runs['folder']} ({room})")
    terminal = content["terminal"]
    size = f"{terminal['columns']} x {terminal['lines']}"
    colours = "colours" if terminal["colours"] else "no colours"
    _tell("terminal", f"{size}, {colours}" if terminal["is_terminal"] else "none")
    if "speed" in content:
        _print_speed(content["speed"])
    for problem in content["problems"]:
        _tell("PROBLEM", problem)
    if not content["problems"]:
        _tell("problems", "none")


def _print_speed(speed: Mapping[str, Any]) -> None:
    for name, rates in ((name, speed[name]) for name in ("one_process", "all_workers")):
        told = f"{rates['games_per_second']:,.0f} games/s, {rates['workers']} processes"
        _tell("speed", told if name == "all_workers" else told.replace("processes", "process"))
    compiled = speed["compiling_seconds"]
    _tell("compiling", f"took {format_seconds(compiled)} before" if compiled > 1 else "was done")
    expected = format_seconds(speed["run_seconds"])
    _tell("expect", f"evolve start {usual_game()}: about {expected} here")


def _tell(what: str, text: str) -> None:
    print_line(f"{text}", heading=f"{what:15} ")


def _find_versions(names: Any) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _examine_machine() -> dict[str, Any]:
    memory, cores = psutil.virtual_memory(), os.cpu_count() or 1
    return {
        "system": f"{os.uname().sysname} {os.uname().machine}" if hasattr(os, "uname") else os.name,
        "cores": cores,
        "usable_cores": min(default_workers(), _read_quota() or cores),
        "memory_bytes": memory.total,
        "free_memory_bytes": memory.available,
    }


def _read_quota(file: Path = Path("/sys/fs/cgroup/cpu.max")) -> float | None:
    """How many cores a container gives, if it limits them."""
    try:
        quota, period = file.read_text().split()
        return int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # there is none, or it says "max"
        return None


def _examine_cache() -> dict[str, Any]:
    folder = cache_folder()
    files = [file for file in folder.parent.rglob("*") if file.is_file()]
    return {
        "folder": str(folder),
        "is_kept": is_kept(),
        "bytes": sum(file.stat().st_size for file in files),
        "free_bytes": shutil.disk_usage(folder).free,
        "compiled": compiled_before(),
    }


def _examine_runs() -> dict[str, Any]:
    there = RUNS if RUNS.is_dir() else Path()
    return {
        "folder": str(RUNS.absolute()),
        "count": len(list(RUNS.glob("*/recipe.toml"))),
        "is_writable": os.access(there, os.W_OK),
        "free_bytes": shutil.disk_usage(there).free,
    }


def _examine_terminal() -> dict[str, Any]:
    size = shutil.get_terminal_size()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return {
        "is_terminal": sys.stdout.isatty(),
        "columns": size.columns,
        "lines": size.lines,
        "colours": sys.stdout.isatty() and not plain,
    }
