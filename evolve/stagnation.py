"""Stagnation of species: comparisons that mean the same in each generation.

A share of points won inside a population says nothing about another generation's: all may
improve together, and every share stays at a half. So species are assessed by matches against
opponents that stay the same, or by their rank among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.pairings import (
    both_colours,
    gauntlet,
    longest_opening,
    over_openings,
    random_openings,
)
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.multiplayer import pack_external, play_alternately
from evolve_arena.evolve.settings.neat import StagnationConfig
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.players.packed import PackedPlayers

SUMMARIES: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "median": np.median,
    "median2": np.median,
}
"""Functions by their names in neat-python's ``species_fitness_func``."""


@dataclass(frozen=True, eq=False)
class Assessment:
    """The assessment of a generation, species by species."""

    improved: NDArray[np.bool_]
    species_best: NeatPopulation
    """The best genome of each species so far."""
    best_scores: NDArray[np.float64]
    """The best figure of each species so far, by the criterion."""


def make_judges(config: StagnationConfig, game: AnyGame) -> list[PackedPlayers]:
    """Return the players from outside for the assessment of species, packed.

    Raises:
        BadValueError: A specification names no player, or one that can't be compiled.
    """
    if config.criterion != "outside":
        return []
    return pack_external(config.opponents, game, "method.stagnation.opponents")


def assess(
    config: StagnationConfig,
    state: Any,
    fitness: NDArray[np.float64],
    arena: Arena,
    judges: Sequence[PackedPlayers],
    species_fitness_func: str,
) -> Assessment:
    """Find the species of *state* that have improved in this generation.

    Args:
        config: The section ``[method.stagnation]``.
        state: State with ``population``, ``species``, ``species_best`` and ``best_scores``.
        fitness: Fitness of each genome, shape ``(genomes,)``.
        arena: The arena for the matches.
        judges: Players from outside the run, as :func:`make_judges` returns them.
        species_fitness_func: The summary of members' ranks, one of :data:`SUMMARIES`.
    """
    best = _find_best(state, fitness)
    if config.criterion == "record":
        return _assess_by_record(config, state, best, arena)
    if config.criterion == "outside":
        figures = _play_outside(config, state, best, arena, judges)
    else:
        figures = summarise_species(_rank(fitness), state.species.members, species_fitness_func)
    improved = figures > state.best_scores
    species_best = _replace(state.species_best, state.population, best, improved)
    return Assessment(improved, species_best, np.maximum(state.best_scores, figures))


def summarise_species(
    figures: NDArray[np.float64], members: NDArray[np.int32], name: str
) -> NDArray[np.float64]:
    """Summarise the *figures* of each species' members as one number, shape ``(species,)``.

    Args:
        figures: Fitness or rank of each genome, shape ``(genomes,)``.
        members: Row of each genome's species, from 0 without gaps, shape ``(genomes,)``; -1 for
            none.
        name: A key of :data:`SUMMARIES`.
    """
    count = int(members.max(initial=-1)) + 1
    return np.array([float(SUMMARIES[name](figures[members == row])) for row in range(count)])


def _find_best(state: Any, fitness: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the fittest member of each species; among equals the one with the highest key."""
    order = np.lexsort((state.population.keys, fitness))
    best = np.zeros(len(state.species), dtype=np.int64)
    best[state.species.members[order]] = order
    return best


def _assess_by_record(
    config: StagnationConfig, state: Any, best: NDArray[np.int64], arena: Arena
) -> Assessment:
    rows = np.flatnonzero(state.population.keys[best] != state.species_best.keys)
    improved = np.zeros(len(best), dtype=np.bool_)
    if len(rows):
        genomes = len(state.population)
        pairs = np.stack([best[rows], genomes + np.arange(len(rows))], axis=1).astype(np.int32)
        holders = arena.decoder.pack(state.species_best.take(rows))
        shares = _play(config, state, pairs, [holders], arena)
        improved[rows] = (shares > 0.5) & (shares >= 0.5 + config.margin)
    return Assessment(
        improved, _replace(state.species_best, state.population, best, improved), state.best_scores
    )


def _play_outside(
    config: StagnationConfig,
    state: Any,
    best: NDArray[np.int64],
    arena: Arena,
    judges: Sequence[PackedPlayers],
) -> NDArray[np.float64]:
    opponents = len(state.population) + np.arange(len(judges), dtype=np.int32)
    pairs = gauntlet(best.astype(np.int32), opponents)
    shares = _play(config, state, pairs, judges, arena)
    figures: NDArray[np.float64] = shares.reshape(len(best), len(judges)).mean(axis=1)
    return figures


def _play(
    config: StagnationConfig,
    state: Any,
    pairs: NDArray[np.int32],
    others: Sequence[PackedPlayers],
    arena: Arena,
) -> NDArray[np.float64]:
    """Return the share of points of the first of each pair, from openings in both colours.

    Openings and seeds are the same ones for all pairs and, since nothing else here changes
    from one generation to the next, in all generations. In games for more than two, deals take
    the place of openings.
    """
    count = max(1, config.games // 2)
    if find_game(arena.decoder.game.name).has_chance:
        deals = derive_seeds(state.seed, 0, "stagnation", count)
        return play_alternately(arena, state.population, pairs, deals, others)
    game = arena.decoder.game
    plies = min(config.opening_plies, longest_opening(game))
    openings = random_openings(game, plies, count, state.seed)
    pairings, openings = over_openings(both_colours(pairs), openings)
    seeds = np.tile(derive_seeds(state.seed, 0, "stagnation", 2 * count), len(pairs))
    results = arena.play(state.population, pairings, seeds, openings, others)
    outcomes = results.outcomes.reshape(len(pairs), 2, count)
    won: NDArray[np.float64] = (outcomes[:, 0] - outcomes[:, 1]).mean(axis=1) / 4 + 0.5
    return won


def _rank(fitness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the others below each genome, equals counting a half."""
    ordered = np.sort(fitness)
    below = np.searchsorted(ordered, fitness, side="left")
    equals = np.searchsorted(ordered, fitness, side="right") - below - 1
    shares: NDArray[np.float64] = (below + 0.5 * equals) / max(1, len(fitness) - 1)
    return shares


def _replace(
    species_best: NeatPopulation,
    population: NeatPopulation,
    best: NDArray[np.int64],
    improved: NDArray[np.bool_],
) -> NeatPopulation:
    rows = np.where(improved, len(species_best) + best, np.arange(len(species_best)))
    return concatenate([species_best, population]).take(rows)
