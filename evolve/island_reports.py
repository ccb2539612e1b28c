"""Reports that merge those of several islands, and the final matches of their champions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.pairings import longest_opening, random_openings, round_robin
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.matches import sum_points
from evolve_arena.evolve.method import Report, State

FINAL_GAMES = 200
"""Games between each two champions of islands, in two-player games."""
EXTREMES: dict[str, Callable[[list[float]], float]] = {"best": max, "worst": min, "species": sum}
"""Functions that merge a statistic of all islands, by its name; other statistics are averaged."""


def play_final(state: State, arena: Arena, players: int) -> tuple[int, Report]:
    """Return the row of the winner of a round robin from many openings, in both colours.

    Args:
        state: State whose population consists of the champions of islands.
        arena: The arena for the matches.
        players: Number of champions.
    """
    game, pairs = arena.decoder.game, round_robin(players)
    each, plies = FINAL_GAMES // 2, min(4, longest_opening(game))
    seeds = derive_seeds(state.seed, state.generation, "final of islands", each + 1)
    openings = random_openings(game, plies, each, int(seeds[-1]))
    pairings = np.concatenate([np.repeat(pairs, each, 0), np.repeat(pairs[:, ::-1], each, 0)])
    times = 2 * len(pairs)
    results = arena.play(
        state.population, pairings, np.tile(seeds[:-1], times), np.tile(openings, (times, 1))
    )
    points, played = sum_points(results, pairings, players, 0.5)
    best = int(np.argmax(points))
    figures = {"points": float(points[best]), "matches": float(played[best])}
    return best, Report(state.generation, len(pairings), figures)


def merge_reports(reports: Sequence[Report]) -> Report:
    """Return the report of a generation on all islands together, with some figures of each."""
    figures = {}
    for name in reports[0].statistics:
        merge = EXTREMES.get(name, fmean)
        figures[name] = float(merge([report.statistics[name] for report in reports]))
    fittest = max(reports, key=lambda report: report.statistics["best"])
    figures |= {k: v for k, v in fittest.statistics.items() if k.endswith("_of_best")}

    # Species of all islands, with numbers that differ
    species = {
        key * len(reports) + number: size
        for number, report in enumerate(reports)
        for key, size in report.species.items()
    }
    for number, report in enumerate(reports, start=1):
        for name in ("best", "median", "diversity"):
            figures[f"{name} of island {number}"] = report.statistics[name]
    games = sum(report.games for report in reports)
    return Report(reports[0].generation, games, figures, species)


def merge_descriptions(told: Sequence[JsonObject]) -> JsonObject:
    """Return the number of islands, sums of their figures, and averages of network sizes."""
    merged = {key: sum(each[key] for each in told) for key in told[0]}
    for key in merged.keys() & {"genes", "hidden_nodes", "connections"}:
        merged[key] = type(told[0][key])(merged[key] / len(told))
    return {"islands": len(told), **merged}
