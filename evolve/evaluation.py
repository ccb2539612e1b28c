"""How fit individuals are: a generation's matches of all kinds, and who is the champion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import round_robin
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_generator
from evolve_arena.evolve.fitness import make_fitness, make_fixed, meet_others
from evolve_arena.evolve.matches import check_openings, choose_from_hall, meet, sum_points
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.table_settings import TableMatchSettings, find_tables
from evolve_arena.evolve.tables import Tables
from evolve_arena.genomes.neat.population import NeatPopulation

Pair = Callable[[Any, str], Pairings]
"""Decides for a state who meets whom, in matches for some purpose."""


class Evaluation:
    """Measures the individuals of a method, in any game.

    Args:
        config: The section ``[method]``.
        game: What is played.
        individuals: How many there are.
        for_pairs: Keys of the method that make no sense at tables, and where these say the like.

    Raises:
        BadValueError: A key makes no sense in this game, or names no player.
        ArenaError: A function of the user's is not what is expected of it.
    """

    def __init__(
        self,
        config: TableMatchSettings,
        game: AnyGame,
        individuals: int,
        for_pairs: Mapping[str, str] | None = None,
    ) -> None:
        self.config = config
        self.own = make_fitness(config, game)
        """The recipe's own fitness, if it names one."""
        self.fixed = make_fixed(config, game)
        """The fixed opponents."""
        tables = find_tables(config, game, individuals, for_pairs)
        self.tables = Tables(tables, game, config.noise, self.own) if tables else None
        """Where individuals meet, in games of several."""
        if not tables:
            check_openings(game, config.openings.plies, "method.openings.plies")

    @property
    def plays_nothing(self) -> bool:
        """Whether the fitness comes from players alone, without matches."""
        return self.own is not None and not self.own.needs_matches

    def measure(
        self, arena: Arena, state: Any, pair: Pair, purpose: str = "matches"
    ) -> tuple[NDArray[np.float64], dict[str, float]]:
        """The fitness of each individual, shape ``(individuals,)``, and figures about the games.

        The fitness is the share of the points that it wins; at tables what it wins there.
        """
        config, individuals = self.config, len(state.population)
        if self.own and self.plays_nothing:
            return self.own.measure(arena, state), {}
        if self.tables:
            rows = choose_from_hall(config, state)
            return self.tables.play(arena, state, take_rows(state.hall, rows))
        results, met = meet(config, arena, state, pair(state, purpose), purpose)
        others = meet_others(config, arena, state, self.fixed)
        if self.own:
            more = [(each.results, each.pairings) for each in others]
            return self.own.measure(arena, state, [(results, met), *more]), {}
        points, played = sum_points(results, met, individuals, config.draw_points)
        for each in others:
            bonus, games = each.sum_points(individuals, config.draw_points)
            points += bonus
            played += games
        fitness: NDArray[np.float64] = points / played
        return fitness, {}

    def find_champion(
        self, arena: Arena, state: Any, pair: Pair, finalists: int
    ) -> tuple[int, Report]:
        """The row of the winner of a round robin of the fittest, ties being drawn.

        At tables of who does best alone among company; by another fitness, of the fittest.
        """
        if self.tables and not self.plays_nothing:
            return self.tables.find_champion(arena, state)
        before = arena.games
        fitness, _ = self.measure(arena, state, pair, "preliminary matches")
        best = np.argsort(-fitness, kind="stable")[:finalists]
        if self.own:
            figures = {"points": float(fitness[best[0]]), "matches": 0.0}
            return int(best[0]), Report(state.generation, arena.games - before, figures)
        generator = derive_generator(state.seed, state.generation, "champion")
        final = replace(state, population=take_rows(state.population, best))
        pairings = round_robin(len(best))
        results, met = meet(self.config, arena, final, pairings, "champion matches")
        points, played = sum_points(results, met, len(best), self.config.draw_points)
        chosen = int(generator.choice(np.flatnonzero(points == points.max())))
        figures = {"points": float(points[chosen]), "matches": float(played[chosen])}
        return int(best[chosen]), Report(state.generation, arena.games - before, figures)


def take_rows(population: Any, rows: NDArray[np.int64]) -> Any:
    """Some genomes of a population."""
    return population.take(rows) if isinstance(population, NeatPopulation) else population[rows]
