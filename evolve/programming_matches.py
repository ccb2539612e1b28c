"""The matches of the method ``evolutionary-programming``, and their points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings, Results
from evolve_arena.arena.pairings import round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_generator
from evolve_arena.evolve.fitness import make_fitness, make_fixed, meet_others
from evolve_arena.evolve.matches import check_openings, meet, sum_points
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.settings.evolutionary_programming import EvolutionaryProgrammingConfig
from evolve_arena.evolve.vectors import VectorPopulation
from evolve_arena.players.evolved import Decoder

Points = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The points and the number of matches of each player, both of shape ``(players,)``."""


class ProgrammingMatches:
    """Plays the matches of parents and children.

    Args:
        config: The section ``[method]``.
        decoder: Makes players of genomes.

    Raises:
        BadValueError: An opening or a depth is impossible in this game, or an opponent unknown.
    """

    def __init__(self, config: EvolutionaryProgrammingConfig, decoder: Decoder) -> None:
        self.config = config.matches
        self.decoder = decoder
        check_openings(decoder.game, self.config.openings.plies, "matches.openings.plies")
        self.fitness = make_fitness(config.fitness, decoder.game)
        self.fixed = make_fixed(self.config, decoder.game)
        depths = self.config.training_depths
        self._decoders = [_change_depth(decoder, depth) for depth in depths] or [decoder]

    def play(self, state: VectorPopulation, everybody: Any, arena: Arena) -> Points:
        """Return the points and the number of matches of each of *everybody*.

        Args:
            state: The run's state.
            everybody: Parents and children, shape ``(players, genes)``.
            arena: The arena, which counts the games.
        """
        changed: Any = replace(state, population=everybody)  # type: ignore[type-var]
        config, count = self.config, len(everybody)
        inside = self._enter(state, arena)

        # Matches against opponents drawn from all
        rng = derive_generator(state.seed, state.generation, "opponents")
        pairings = draw_opponents(count, config.opponents, rng)
        results, met = meet(config, inside, changed, pairings, "matches")

        # Matches against the hall of fame and fixed opponents
        others = meet_others(config, inside, changed, self.fixed, self.decoder)
        arena.games_played += inside.games_played
        if self.fitness:
            own = [(each.results, each.pairings) for each in others]
            fitness = self.fitness.measure(inside, changed, [(results, met), *own])
            return fitness, np.ones(count)
        points, played = self._sum(results, met, count)
        for each in others:
            players = max(count, int(each.pairings.max(initial=0)) + 1)
            bonus, games = self._sum(each.results, each.pairings, players)
            points += bonus[:count]
            played += games[:count]
        return points, played

    def find_best(self, state: VectorPopulation, arena: Arena) -> tuple[int, Report]:
        """Return the row of the winner of a round robin of the parents in both colours.

        Of equals, the one with the lowest row wins, which ranked highest in its generation.
        """
        individuals = len(state.population)
        config = self.config.model_copy(update={"colours": "both"})
        inside = self._enter(state, arena)
        results, met = meet(config, inside, state, round_robin(individuals), "champion matches")
        arena.games_played += inside.games_played
        points, played = self._sum(results, met, individuals)
        if self.fitness:
            points = self.fitness.measure(inside, state, [(results, met)])
        chosen = int(np.argmax(points))
        figures = {"points": float(points[chosen]), "matches": float(played[chosen])}
        return chosen, Report(state.generation, len(met), figures)

    def scale(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points per match as a share, from 0 for losing all to 1 for winning all."""
        loss = self.config.loss_points
        return (mean - loss) / (1.0 - loss)

    def _enter(self, state: VectorPopulation, arena: Arena) -> Arena:
        """Return the arena for this generation's matches, at its depth of search."""
        return Arena(self._decoders[state.generation % len(self._decoders)], arena.executor)

    def _sum(self, results: Results, met: Pairings, players: int) -> Points:
        """Return each player's points as the recipe counts them, and its number of matches."""
        config = self.config
        won, played = sum_points(results, met, players, 0.0)
        not_lost, _ = sum_points(results, met, players, 1.0)
        points = won + config.draw_points * (not_lost - won)
        return points + config.loss_points * (played - not_lost), played


def draw_opponents(players: int, opponents: int, rng: np.random.Generator) -> Pairings:
    """Pair each of *players*, moving first, with random others, shape ``(matches, 2)``.

    A player may draw the same one twice, but never itself.

    Args:
        players: Number of players, at least 2.
        opponents: Number of opponents that each player draws.
        rng: Source of random numbers.
    """
    first = np.repeat(np.arange(players), opponents)
    drawn = rng.integers(players - 1, size=len(first))
    drawn += drawn >= first
    return np.stack([first, drawn], axis=1).astype(np.int32)


def rank_by_merit(merit: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return rows from the best to the worst; equals come in random order."""
    order = rng.permutation(len(merit))
    ranking: NDArray[np.int64] = order[np.argsort(-merit[order], kind="stable")]
    return ranking


def _change_depth(decoder: Any, depth: int) -> Any:
    """Return a copy of *decoder* with this search *depth*, in plies."""
    if not hasattr(decoder, "depth"):
        raise BadValueError(
            "matches.training_depths: these players do not look ahead, so leave it out"
        )
    try:
        return replace(decoder, depth=depth)
    except BadValueError as error:
        raise BadValueError(f"matches.training_depths: {error}") from None
