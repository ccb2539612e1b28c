"""Initial states of runs that begin with another run's checkpoint, or with its players.

The initial state is written into the new run, which does not need the other run from then on. Its
recipe records the other run and a digest of what was taken from it, so the same recipe begins with
the same bits, or not at all.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Array
from evolve_arena.evolve.method import Method, State
from evolve_arena.evolve.migration import join, pick
from evolve_arena.evolve.operators import initialise
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.consent import Allow
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.checkpoint import digest_population, read_state, write_state
from evolve_arena.runs.store.directory import find_run

Individuals = Array | NeatPopulation | TuplePopulation
"""Genomes of any kind."""
UNFIT = "players of {} don't fit into the population"
"""Beginning of errors about the players of another run."""
HOW_IT_PLAYS = {"depth", "take_wins"}
"""Fields of decoders that may differ: they do not change the network that a genome encodes."""


def split_place(text: str | Path) -> tuple[str, int | None]:
    """Return the run and the generation of ``RUN@GENERATION``; None if there is no generation.

    >>> split_place("evolved/first@200"), split_place("evolved/first")
    (('evolved/first', 200), ('evolved/first', None))

    Raises:
        BadValueError: The text after the @ is not a generation.
    """
    path, at, generation = str(text).rpartition("@")
    if not at or os.path.exists(find_run(text)):
        return str(text), None
    if not re.fullmatch("[0-9]{1,18}", generation, re.ASCII):
        raise BadValueError(f"{quote(str(text))}: a generation number must follow the @")
    return path, int(generation)


def find_free_name(path: Path) -> Path:
    """Return the first free path beside the run at *path*: ``NAME-2``, ``NAME-3`` and so on."""
    number = 2
    while os.path.lexists(free := path.with_name(f"{path.name}-{number}")):
        number += 1
    return free


def find_beginning(recipe: Recipe, allow: Allow = False) -> tuple[Recipe, State]:
    """Return the *recipe* with a digest of what its run takes from others, and the initial state.

    Args:
        recipe: Recipe that names other runs.
        allow: Permission for the Python files that these runs name, or a function that asks for it.

    Raises:
        NotARunError: There is no such run.
        CheckpointError: It has no such checkpoint.
        BadValueError: The checkpoint does not fit the recipe, or does not match the digest.
    """
    method, run = recipe.make_method(), recipe.run
    if run.start_from and run.population:
        raise BadValueError("run.start_from and run.population exclude each other: leave one out")
    read = _read_state if run.start_from else _read_population
    state, digest = read(recipe, method, allow)
    if run.start_sha256 not in (None, digest):
        named = run.start_from or ", ".join(run.population or ())
        raise BadValueError(
            f"{named} is not what this recipe began with (its SHA-256 begins with {digest[:12]},"
            f" not {str(run.start_sha256)[:12]}): leave run.start_sha256 out"
        )
    return recipe.with_run(start_sha256=digest), state


def _read_state(recipe: Recipe, method: Method[State], allow: Allow) -> tuple[State, str]:
    """Return the state of ``run.start_from`` for *method*, and the digest of its population."""
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
        raise BadValueError(f"{place} can't continue with these settings: {fault}")
    if state.seed != recipe.run.seed:
        state = method.reseed(state, recipe.run.seed)
    return state, digest_population(found.population)


def _read_population(recipe: Recipe, method: Method[State], allow: Allow) -> tuple[State, str]:
    """Return an initial state with the players of ``run.population``, and their digest.

    Several runs contribute in turn: the champion of each, then an individual of each, and so on.
    """
    state = method.initial(recipe.run.seed)
    groups = [_read_players(place, method, allow) for place in recipe.run.population or ()]
    # Round n takes row n of each run that has one; rows count through all runs joined.
    firsts = np.cumsum([0, *(len(group) for group in groups)])
    rounds = range(max(len(group) for group in groups))
    order = [first + n for n in rounds for first, end in pairwise(firsts) if first + n < end]
    rows = np.array(order[: len(state.population)], dtype=np.int64)
    individuals = pick(join(groups), rows)
    state = method.enter(state, individuals)
    if fault := method.find_mismatch(state):
        raise BadValueError(f"run.population: its players don't fit: {fault}")
    return state, digest_population(individuals)


def _read_players(place: str, method: Method[State], allow: Allow) -> Individuals:
    """Return the genomes of ``RUN`` or ``RUN@GENERATION``: the champion, then the individuals."""
    path, generation = split_place(place)
    source = Run.open(path, allow)
    own, other = method.decoder, source.method.decoder
    _check_fit(place, other, own)
    groups = []
    with suppress(BadValueError):  # there need not have been a check
        champion = source.champion_at(generation)
        if champion.genome_kind == source.method.genome_kind:
            groups.append(_as_population(champion))
    if not groups or generation in (None, *source.directory.generations()):
        found = source.method.candidates(source.state(generation))
        if groups and isinstance(found, np.ndarray):  # mostly the champion is one of them
            found = found[(found != groups[0]).any(axis=1)]
        groups.append(found)
    joined: Individuals = join(groups)
    if any(getattr(own, name) != getattr(other, name) for name in getattr(own, "grows", ())):
        rng = derive_generator(0, 0, "growth")
        base = initialise(own, len(joined), method.config.initialisation, rng)
        try:
            joined = own.embed(joined, other, base)
        except BadValueError as error:
            raise BadValueError(f"{UNFIT.format(place)}: {error}") from None
    return joined


def _as_population(player: EvolvedPlayer) -> Individuals:
    """Return the genome of a *player* as a population of one."""
    if player.genome_kind == "vector":
        vectors: Array = player.arrays["genome"][None]
        return vectors
    if player.genome_kind == "graph":
        return NeatPopulation(**player.arrays)
    return TuplePopulation(**{name: array[None] for name, array in player.arrays.items()})


def _check_fit(place: str, theirs: Any, own: Any) -> None:
    """Make sure that the decoders *theirs* and *own* make the same network of a genome.

    Raises:
        BadValueError: They are of different games or types, or a field of theirs differs.
    """
    wrong = ""
    if theirs.game.name != own.game.name:
        wrong = f"they play {theirs.game.name}, not {own.game.name}"
    elif type(theirs) is not type(own):
        wrong = f"they are made by {type(theirs).__name__}, not by {type(own).__name__}"
    else:
        for field in fields(own):
            here, there = getattr(own, field.name), getattr(theirs, field.name)
            grown = getattr(own, "grows", ())
            if here != there and field.name not in {*HOW_IT_PLAYS, *grown}:
                wrong = f"their {field.name} is {quote(there)}, not {quote(here)}"
                break
    if wrong:
        raise BadValueError(f"{UNFIT.format(place)}: {wrong}")
