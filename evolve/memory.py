"""Memory that the matches of a generation take, estimated before any is played."""

from __future__ import annotations

from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.evolve.settings.matches import (
    MatchesConfig,
    MultiplayerConfig,
    MultiplayerMatchesConfig,
)
from evolve_arena.genomes.limits import BYTES_PER_MATCH


def estimate_pairs(config: MatchesConfig, pairs: int, individuals: int) -> int:
    """Return the bytes of a generation's matches for two, or of the champion's.

    Args:
        config: The section ``[matches]``.
        pairs: Pairs that meet in the population, or with members of the hall of fame.
        individuals: Individuals that meet the fixed opponents.
    """
    colours = 2 if config.colours == "both" else 1
    games = colours * config.games * config.openings.played * pairs
    if fixed := config.fixed_opponents:
        games += individuals * len(fixed.players) * (fixed.games + 1) * config.openings.played
    return BYTES_PER_MATCH * games


def estimate_matches(
    config: MultiplayerMatchesConfig, game: AnyGame, individuals: int, pairs: int
) -> int:
    """Return the bytes of a generation's matches in any game, or of the champion's.

    Args:
        config: The section ``[matches]``.
        game: The game.
        individuals: Size of the population.
        pairs: Pairs of them that meet, in games for two.
    """
    if not find_game(game.name).has_chance:
        hall = individuals * config.hall_of_fame.opponents
        return estimate_pairs(config, pairs + hall, individuals)
    multiplayer = config.multiplayer or MultiplayerConfig()
    sizes = multiplayer.seats or (game.seats,)
    deals = max(
        individuals * max(multiplayer.deals, multiplayer.preliminary_deals),
        min(individuals, multiplayer.finalists) * multiplayer.final_deals,
    )
    seats = sum(sizes) if multiplayer.rotate else len(sizes)
    return find_game(game.name).most_seats * BYTES_PER_MATCH * deals * seats
