"""The matches of the method ``tournament``: a generation's tournaments, and the champion's."""

from __future__ import annotations

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import round_robin, tournaments
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.fitness import meet_others
from evolve_arena.evolve.matches import (
    TournamentResults,
    draw_members,
    measure_signal,
    meet,
    sum_members,
    sum_points,
    sum_tournaments,
)
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.settings.tournament import TournamentConfig
from evolve_arena.evolve.vectors import VectorPopulation


class TournamentMatches:
    """Plays the tournaments of generations.

    Args:
        config: The section ``[method]``.
        evaluation: Measures fitness where a tournament is not played by its members alone.
    """

    def __init__(self, config: TournamentConfig, evaluation: Evaluation) -> None:
        self.config = config
        self.evaluation = evaluation

    def play(
        self, arena: Arena, state: VectorPopulation
    ) -> tuple[TournamentResults, dict[str, float]]:
        """Return the tournaments of a generation, and statistics of multiplayer games."""
        matches, individuals = self.config.matches, self.config.individuals
        members = draw_members(
            individuals,
            2 * individuals,
            self.config.tournament_size,
            derive_stream(state.seed, state.generation, "members"),
        )
        if self.evaluation.multiplayer or self.evaluation.plays_nothing:
            fitness, figures = self.evaluation.measure(arena, state, pair_all)
            return TournamentResults(members, fitness[members], fitness), figures

        # Matches inside the population: of all pairs, or of those in each tournament
        all_meet = matches.pairing == "round-robin"
        pairings = pair_all(state) if all_meet else tournaments(members)
        results, met = meet(matches, arena, state, pairings, "matches")
        if all_meet:
            points, played = sum_points(results, met, individuals, matches.draw_points)
            won = points[members]
        else:
            won = sum_tournaments(results, met, members, matches.draw_points)
            points, played = sum_members(members, won, len(met), individuals)

        # Matches against the hall of fame and fixed opponents count for all members alike
        others = meet_others(matches, arena, state, self.evaluation.fixed)
        if self.evaluation.own:
            more = [(each.results, each.pairings) for each in others]
            fitness = self.evaluation.own.measure(arena, state, [(results, met), *more])
            return TournamentResults(members, fitness[members], fitness), {}
        for each in others:
            bonus, games = each.sum_points(individuals, matches.draw_points)
            won += bonus[members]
            points += bonus
            played += games
        with np.errstate(invalid="ignore"):  # an individual may be in no tournament
            fitness = points / played
            figures = {"signal_to_noise": measure_signal(fitness, played)}
            return TournamentResults(members, won, fitness), figures

    def find_champion(self, arena: Arena, state: VectorPopulation) -> tuple[int, Report]:
        """Return the row of the winner of a round robin of all, and a report about it.

        In multiplayer matches, it is the individual that does best alone among external opponents;
        see `Evaluation.find_champion`.
        """
        if self.evaluation.multiplayer or self.evaluation.plays_nothing:
            return self.evaluation.find_champion(arena, state, pair_all, 1)
        individuals = len(state.population)
        rng = derive_generator(state.seed, state.generation, "champion")
        order = rng.permutation(individuals).astype(np.int32)
        pairings = order[round_robin(individuals)]
        matches = self.config.matches
        results, met = meet(matches, arena, state, pairings, "champion matches")
        points, played = sum_points(results, met, individuals, matches.draw_points)
        if self.evaluation.own:
            points = self.evaluation.own.measure(arena, state, [(results, met)])
        chosen = int(rng.choice(np.flatnonzero(points == points.max())))
        figures = {"points": float(points[chosen]), "matches": float(played[chosen])}
        return chosen, Report(state.generation, len(met), figures)


def pair_all(state: VectorPopulation, purpose: str = "") -> Pairings:
    """Pair every two individuals once, in random order; each moves first in about half of them."""
    individuals = len(state.population)
    order = derive_generator(state.seed, state.generation, "pairing").permutation(individuals)
    pairs = round_robin(individuals)
    odd = (pairs.sum(axis=1) % 2 == 1)[:, None]
    return order[np.where(odd, pairs, pairs[:, ::-1])].astype(np.int32)
