"""Results of games at tables, as the command line prints them: duels, ratings, points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.arena.seated_duel import LIMITS, SeatedDuelResult
from evolve_arena.arena.seated_ratings import seated_tournament
from evolve_arena.core.game import AnyGame
from evolve_arena.players.player import Player
from evolve_arena.runs.check_points import format_margin
from evolve_arena.runs.output import format_interval, print_json, print_line, print_table

__all__ = ["format_points", "print_ratings", "print_seated_duel", "rate_at_tables"]

GAMES = 1000
"""Games of a tournament at tables, unless somebody says otherwise."""


def print_seated_duel(result: SeatedDuelResult) -> None:
    """Prints what :func:`evolve_arena.arena.seated_duel.seated_duel` gave."""
    counts = [
        (result.wins, result.draws, result.losses),
        (result.losses, result.draws, result.wins),
    ]
    rows = [
        (
            name,
            " ".join(map(str, won)),
            format_points(side.points, side.points_interval),
            *(f"{100 * side.above[limit]:.1f}" for limit in LIMITS),
            f"{side.done:.2f} {side.failed:.2f}",
            str(side.forbidden),
        )
        for name, won, side in zip(result.names, counts, result.sides, strict=True)
    ]
    columns = ["player", "won drawn lost", "points, 95 % interval"]
    columns += [f"% > {limit}" for limit in LIMITS] + ["tickets done, failed", "forbidden moves"]
    title = f"Duel: {result.games} games of {result.seats} players"
    print_table(title, columns, rows)
    margin = format_margin(result.margin, result.margin_interval)
    score = format_interval(result.score, result.wilson_95)
    print_line(f"{result.names[0]} scores {margin} points more a seat; score {score}")
    print_line(
        f"{result.rounds:.1f} rounds a game, {result.distinct_games} distinct games; ended by "
        + ", ".join(f"{name}: {n}" for name, n in result.terminations.items())
    )


def rate_at_tables(
    game: AnyGame, players: Sequence[Player], *, games: int | None = None, seed: int = 0
) -> dict[str, Any]:
    """A tournament at tables, ready for JSON; see `seated_tournament`."""
    seats = min(game.seats, len(players))
    standings = seated_tournament(game, players, games=games or GAMES, seats=seats, seed=seed)
    return standings.to_dict()


def print_ratings(content: dict[str, Any], *, json: bool = False) -> None:
    """Prints what :func:`rate_at_tables` gave."""
    if json:
        print_json(content)
        return
    rows = [
        (
            str(row["rank"]),
            row["name"],
            f"{row['mu']:.2f} ± {2 * row['sigma']:.2f}",
            format_interval(row["share"], tuple(row["wilson_95"])),
            format_points(row["points"], row["points_95"]),
            f"{row['tickets_done']:.2f} {row['tickets_failed']:.2f}",
            str(row["forbidden_moves"]),
        )
        for row in content["players"]
    ]
    columns = ["rank", "player", "rating ± 2σ", "share of wins, 95 % interval"]
    columns += ["points, 95 % interval", "tickets done, failed", "forbidden moves"]
    title = f"Tournament: {content['games']} games of {content['seats']} players"
    print_table(title, columns, rows, left=2)


def format_points(points: float, interval: Sequence[float] | None) -> str:
    """Mean points and their 95 % interval, if there is one.

    >>> format_points(97.54, (96.0, 99.08)), format_points(97.54, None)
    ('97.5 [96.0, 99.1]', '97.5')
    """
    if interval is None or abs(interval[0]) == float("inf"):
        return f"{points:.1f}"
    return f"{points:.1f} [{interval[0]:.1f}, {interval[1]:.1f}]"
