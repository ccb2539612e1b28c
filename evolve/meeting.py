"""How a generation meets: what methods with matches among individuals have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from deap import tools
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings, Results
from evolve_arena.arena.pairings import both_colours, gauntlet, over_openings, random_openings
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.contest import HallOfFame, sum_points
from evolve_arena.genomes.limits import BYTES_PER_MATCH


class OpeningsConfig(Config):
    """How matches begin: random plies, the same ones for every pair of a generation."""

    plies: int = Field(default=0, ge=0, le=20)
    count: int = Field(default=1, ge=1, le=1000)


class MeetingConfig(Config):
    """The keys of ``[method]`` that say how matches are played."""

    name: str
    colours: Literal["one", "both"] = "one"
    """``both``: every pair meets twice, each moving first once."""
    draw_points: float = Field(default=0.0, ge=0.0, le=1.0)
    """What a draw counts, a win being 1."""
    noise: float = Field(default=0.0, ge=0.0, le=1.0)
    """How often both players of a match play a random move instead of their own, so that they
    also learn what to do in positions which they would not have chosen."""
    games: int = Field(default=1, ge=1, le=1000)
    """How often each pair meets from each opening and in each colour; of use with noise."""
    openings: OpeningsConfig = OpeningsConfig()
    hall_of_fame: HallOfFame = HallOfFame()


def estimate_matches(config: MeetingConfig, pairs: int) -> int:
    """How many bytes a generation's matches take, or the champion's, if so many *pairs* meet."""
    colours = 2 if config.colours == "both" else 1
    games = colours * config.games * config.openings.count
    return BYTES_PER_MATCH * games * pairs


def check_openings(game: AnyGame, plies: int, key: str) -> None:
    """Makes sure that openings of so many *plies* can be drawn.

    Raises:
        BadValueError: They can't; *key* is where the recipe asks for them.
    """
    try:
        random_openings(game, plies, 0, 0)
    except BadValueError as error:
        raise BadValueError(f"{key}: {error}") from None


def meet(
    config: MeetingConfig,
    arena: Arena,
    state: Any,
    pairings: Pairings,
    purpose: str,
    others: Any = (),
) -> tuple[Results, Pairings]:
    """Plays *pairings* as the recipe says.

    Args:
        config: How matches are played.
        arena: Where.
        state: The run's state; the first rows of the lineup are its population.
        pairings: Who meets whom, shape ``(pairs, 2)``.
        purpose: What the seeds of the matches are for; see :mod:`evolve_arena.core.seeding`.
        others: Lineups beside the population. Then the pairings have both colours already.

    Returns:
        The results, and who met whom in each of the matches.
    """
    if config.colours == "both" and not others:
        pairings = both_colours(pairings)
    openings = None
    if config.games > 1:
        pairings = np.repeat(pairings, config.games, axis=0)
    if config.openings.plies:
        openings = random_openings(
            arena.design.game,
            config.openings.plies,
            config.openings.count,
            state.seed,
            generation=state.generation,
        )
        pairings, openings = over_openings(pairings, openings)
    seeds = derive_seeds(state.seed, state.generation, purpose, len(pairings))
    results = arena.play(state.population, pairings, seeds, openings, others, noise=config.noise)
    return results, pairings


def choose_from_hall(config: MeetingConfig, state: Any) -> NDArray[np.int64]:
    """The members of the hall of fame whom everybody meets in this generation."""
    generator = derive_generator(state.seed, state.generation, "hall of fame")
    count = min(config.hall_of_fame.opponents, len(state.hall))
    chosen: NDArray[np.int64] = generator.permutation(len(state.hall))[:count]
    return chosen


def meet_hall(
    config: MeetingConfig, arena: Arena, state: Any, chosen: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each individual wins against *chosen* members, and in how many games.

    Args:
        config: How matches are played; here always in both colours.
        arena: Where.
        state: The run's state.
        chosen: Genomes, as the design packs them.
    """
    individuals = len(state.population)
    everybody = np.arange(individuals, dtype=np.int32)
    opponents = np.arange(individuals, individuals + len(chosen), dtype=np.int32)
    pairings = both_colours(gauntlet(everybody, opponents))
    others = (arena.design.pack(chosen),)
    results, met = meet(config, arena, state, pairings, "hall matches", others)
    count = individuals + len(chosen)
    points, played = sum_points(results, met, count, config.draw_points)
    return points[:individuals], played[:individuals]


def describe_fitness(fitness: NDArray[np.float64]) -> dict[str, float]:
    """Best, worst and quartiles of those who have a fitness, by DEAP's statistics."""
    ordered = np.sort(fitness)
    known = ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))]
    figures: dict[str, float] = _STATISTICS.compile([known])
    return figures


_QUANTILES = {
    "best": 1.0,
    "upper_quartile": 0.75,
    "median": 0.5,
    "lower_quartile": 0.25,
    "worst": 0.0,
}


def _quantile(rows: Sequence[NDArray[np.float64]], share: float) -> float:
    """The value below which *share* of the only one of *rows*, in order, lie; no interpolation."""
    (ordered,) = rows
    return float(ordered[round(share * (len(ordered) - 1))])


_STATISTICS = tools.Statistics()
for _name, _share in _QUANTILES.items():
    _STATISTICS.register(_name, _quantile, share=_share)
