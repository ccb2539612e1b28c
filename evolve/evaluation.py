"""The evaluation of a population: fitness by matches of all kinds, and the champion."""

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
from evolve_arena.evolve.matches import (
    check_openings,
    choose_from_hall,
    measure_signal,
    meet,
    share_points,
    sum_points,
)
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.multiplayer import MultiplayerMatches, find_multiplayer
from evolve_arena.evolve.settings.matches import BreederConfig, MultiplayerMatchesConfig
from evolve_arena.genomes.neat.population import NeatPopulation

Pair = Callable[[Any, str], Pairings]
"""Function of a state and a purpose of seeds that returns the pairings of its individuals."""


class Evaluation:
    """Measures the individuals of a method, in any game.

    Args:
        config: The section ``[method]``.
        matches: The section ``[matches]``.
        game: The game.
        individuals: Size of the population.
        for_pairs: Recipe keys of the method for two-player games only, each with the key that
            replaces it in multiplayer matches.

    Raises:
        BadValueError: A key does not apply to this game, or names no player.
        ArenaError: The recipe's fitness is unknown, or its function has the wrong parameters.
    """

    def __init__(
        self,
        config: BreederConfig,
        matches: MultiplayerMatchesConfig,
        game: AnyGame,
        individuals: int,
        for_pairs: Mapping[str, str] | None = None,
    ) -> None:
        self.config = matches
        self.own = make_fitness(config.fitness, game)
        """Fitness function or payoff that the recipe names; None if fitness is points won."""
        self.fixed = make_fixed(matches, game)
        """The fixed opponents."""
        section = find_multiplayer(config, matches, game, individuals, for_pairs)
        self.multiplayer = (
            MultiplayerMatches(section, game, matches.noise, self.own) if section else None
        )
        """Matches of games of chance or for more than two players; None in other games."""
        if not section:
            check_openings(game, matches.openings.plies, "matches.openings.plies")

    @property
    def plays_nothing(self) -> bool:
        """True if the fitness function takes players only, so that no matches are played."""
        return self.own is not None and not self.own.needs_matches

    def measure(
        self, arena: Arena, state: Any, pair: Pair, purpose: str = "matches"
    ) -> tuple[NDArray[np.float64], dict[str, float]]:
        """Return the fitness of each individual, shape ``(individuals,)``, and statistics of games.

        The fitness is the share of the possible points that an individual wins; in multiplayer
        matches, its mean value per match.

        Args:
            arena: Arena for the matches; its decoder makes players of the individuals.
            state: State of the run, whose population is measured.
            pair: Function that draws the pairings inside the population; multiplayer matches do not
                use it.
            purpose: Purpose of the seeds of two-player matches; see
                :mod:`evolve_arena.core.seeding`.

        Raises:
            UserCodeError: The recipe's own fitness, or a fixed opponent in Python, fails.
        """
        config, individuals = self.config, len(state.population)
        if self.own and self.plays_nothing:
            return self.own.measure(arena, state), {}
        if self.multiplayer:
            rows = choose_from_hall(config, state)
            return self.multiplayer.play(arena, state, take_rows(state.hall, rows))
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
        figures = {"signal_to_noise": measure_signal(fitness, played)}
        if getattr(config, "fitness_sharing", False):
            # Each group of others gets rows of its own
            outcomes, pairings, first = [results.outcomes], [met], individuals
            for each in others:
                shift = np.where(each.pairings >= individuals, first - individuals, 0)
                outcomes.append(each.results.outcomes)
                pairings.append(each.pairings + shift)
                first = int(pairings[-1].max()) + 1
            joined = np.concatenate(outcomes), np.concatenate(pairings)
            fitness = share_points(*joined, config.draw_points)[:individuals]
        return fitness, figures

    def find_champion(
        self, arena: Arena, state: Any, pair: Pair, finalists: int
    ) -> tuple[int, Report]:
        """Return the row of the winner of a round robin of the fittest, ties broken at random.

        In multiplayer matches, the champion is the individual that does best alone among external
        opponents; with a fitness of the recipe's own, it is the fittest individual.

        Args:
            arena: Arena for the matches, which counts them.
            state: State of the run, from whose population the champion comes.
            pair: Function that draws the pairings of preliminary two-player matches.
            finalists: Number of individuals, the fittest of the preliminary matches, that play the
                round robin.

        Returns:
            The row of the champion, and a report with its points and matches.
        """
        if self.multiplayer and not self.plays_nothing:
            return self.multiplayer.find_champion(arena, state)
        before = arena.games_played
        fitness, _ = self.measure(arena, state, pair, "preliminary matches")
        best = np.argsort(-fitness, kind="stable")[:finalists]
        if self.own:
            figures = {"points": float(fitness[best[0]]), "matches": 0.0}
            return int(best[0]), Report(state.generation, arena.games_played - before, figures)
        rng = derive_generator(state.seed, state.generation, "champion")
        final = replace(state, population=take_rows(state.population, best))
        pairings = round_robin(len(best))
        results, met = meet(self.config, arena, final, pairings, "champion matches")
        points, played = sum_points(results, met, len(best), self.config.draw_points)
        chosen = int(rng.choice(np.flatnonzero(points == points.max())))
        figures = {"points": float(points[chosen]), "matches": float(played[chosen])}
        return int(best[chosen]), Report(state.generation, arena.games_played - before, figures)


def take_rows(population: Any, rows: NDArray[np.int64]) -> Any:
    """Return the genomes in the given *rows* of a population."""
    return population.take(rows) if isinstance(population, NeatPopulation) else population[rows]
