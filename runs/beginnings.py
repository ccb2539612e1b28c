"""Where runs begin that take more than a seed: at another run's checkpoint, or with its players.

The first state is written into the new run, which then needs no other one. Its recipe says where
the state came from, with a digest: so the same recipe begins with the same bits, or not at all.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.evolve.method import Method
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.runs.checkpoint import digest_population, read_state, write_state
from evolve_arena.runs.consent import Allow
from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.recipe import Recipe
from evolve_arena.runs.run import Run


def split_place(text: str | Path) -> tuple[str, int | None]:
    """The run and the generation that ``RUN@GENERATION`` names; None if it says none.

    >>> split_place("evolved/first@200"), split_place("evolved/first")
    (('evolved/first', 200), ('evolved/first', None))

    Raises:
        BadValueError: What stands after the @ is no generation.
    """
    path, at, generation = str(text).rpartition("@")
    if not at or os.path.exists(RunDirectory(text).path):
        return str(text), None
    if not re.fullmatch("[0-9]{1,18}", generation, re.ASCII):
        raise BadValueError(f"{quote(str(text))}: after @ stands a generation's number")
    return path, int(generation)


def find_free_name(path: Path) -> Path:
    """Beside the run at *path*, where nothing lies yet: ``NAME-2``, ``NAME-3`` and so on."""
    number = 2
    while os.path.lexists(free := path.with_name(f"{path.name}-{number}")):
        number += 1
    return free


def find_beginning(recipe: Recipe, allow: Allow = False) -> tuple[Recipe, Any]:
    """The state that a run of the *recipe* begins with, and the recipe with its digest.

    Args:
        recipe: It names other runs.
        allow: Whether the files of Python code that these name may be run, or who is asked.

    Raises:
        NotARunError: There is no such run.
        CheckpointError: It has no such checkpoint.
        BadValueError: What it has does not fit the recipe, or is not what the digest tells.
    """
    method, run = recipe.make_method(), recipe.run
    if run.start_from and run.population:
        raise BadValueError("run.start_from and run.population exclude each other: leave one out")
    state, digest = _read_state(recipe, method, allow)
    if run.start_sha256 not in (None, digest):
        raise BadValueError(
            f"{run.start_from} is not what this recipe began with (the SHA-256 begins with"
            f" {digest[:12]}, not {str(run.start_sha256)[:12]}): leave run.start_sha256 out"
        )
    return recipe.with_run(start_sha256=digest), state


def _read_state(recipe: Recipe, method: Method[Any], allow: Allow) -> tuple[Any, str]:
    """The state of ``run.start_from``, as one of *method*, and the digest of its population."""
    path, generation = split_place(str(recipe.run.start_from))
    source = Run.open(path, allow)
    found = source.state(generation)
    place, last = f"{path}@{found.generation}", recipe.run.generations
    if found.generation >= last:
        raise BadValueError(
            f"{place} is at the last generation, {last}: say where the new run ends with"
            f" {spell('--generations', 'generations=')}"
        )
    try:
        state = read_state(write_state(found, method), method)
        fault = method.find_mismatch(state)
    except DamagedFileError as error:
        fault = str(error)
    if fault:
        raise BadValueError(f"{place} can't go on with these settings: {fault}")
    if state.seed != recipe.run.seed:
        state = method.reseed(state, recipe.run.seed)
    return state, digest_population(found.population)
