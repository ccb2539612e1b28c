"""Matches between groups of players, such as the champions of all runs of a setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evolve_arena.arena.duel import duel
from evolve_arena.arena.intervals import Sample, mean_share
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player
from evolve_arena.studies.study import Row


def meet(
    table: str,
    groups: Mapping[str, Sequence[Player]],
    named: Sequence[str],
    *,
    games: int,
    plies: int,
    purpose: str,
) -> list[Row]:
    """Return a row for each pair of groups of players of Connect Four: the score of the first.

    Every player meets every one of the other group.

    Args:
        table: Name of the table.
        groups: Players by the name of their group.
        named: Groups that have rows, of which each meets all that come later in *groups*.
        games: Number of games of each pair, colours balanced.
        plies: Number of random plies at the beginning of each pair of games.
        purpose: Purpose of the random numbers.
    """
    game = make_game("connect-four")
    seed = int(derive_seeds(0, 0, purpose, 1)[0])
    names, rows = list(groups), []
    for name in named:
        for other in names[names.index(name) + 1 :]:
            samples = []
            for player in groups[name]:
                results = [
                    duel(game, player, rival, games=games, opening_plies=plies, seed=seed)
                    for rival in groups[other]
                ]
                pairs = ((result.wins + result.draws / 2, result.games) for result in results)
                samples.append(Sample.pool(pairs))
            rows.append(Row(table, name, f"score against {other}", None, *mean_share(samples)))
    return rows
