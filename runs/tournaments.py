"""Tournaments as the command line shows them: a crosstable, or a ranking of configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evolve_arena.arena.crosstable import play_tournament
from evolve_arena.arena.duel_result import DuelResult, count_forfeits, describe_forfeits
from evolve_arena.arena.match import Keep
from evolve_arena.arena.ranking import (
    meet_opponent,
    meet_others,
    name_configuration,
    rank_configurations,
)
from evolve_arena.arena.standings import play_at_tables
from evolve_arena.arena.statistics import json_share, wilson_interval
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game, usual_game
from evolve_arena.players.player import Player
from evolve_arena.runs.check_points import format_margin
from evolve_arena.runs.output import (
    forfeit_cells,
    format_interval,
    list_caveats,
    print_line,
    print_table,
)

GAMES, GAMES_RANKED, GAMES_AGAINST, GAMES_AT_TABLES = 200, 2, 2000, 1000
"""Games of each pair: in a crosstable, among configurations, and against one opponent; and how
many in all at tables of more than two."""


def crosstable(
    players: Sequence[Player],
    *,
    games: int | None = None,
    opening_plies: int = 0,
    seed: int = 0,
    keep: Keep | None = None,
) -> dict[str, Any]:
    """Everybody against everybody, ready for JSON; see `play_tournament`."""
    table = play_tournament(
        find_common_game(players),
        players,
        games=games or GAMES,
        opening_plies=opening_plies,
        seed=seed,
        keep=keep,
    )
    content = table.to_dict()
    caveats = []
    for told in content["duels"]:
        where = " - ".join(told["players"]) + ": "
        caveats += list_caveats(told, where=where, hint=not opening_plies)
    return {**content, "warnings": caveats}


def ratings(
    game: AnyGame,
    players: Sequence[Player],
    *,
    games: int | None = None,
    seed: int = 0,
    keep: Keep | None = None,
) -> dict[str, Any]:
    """A tournament at tables, ready for JSON; see `play_at_tables`."""
    seats = min(game.seats, len(players))
    standings = play_at_tables(
        game, players, games=games or GAMES_AT_TABLES, seats=seats, seed=seed, keep=keep
    )
    return standings.to_dict()


def find_common_game(players: Sequence[Player]) -> AnyGame:
    """The game of the first player who was made for one, else the usual one."""
    games = (getattr(player, "game", None) for player in players)
    return next((game for game in games if game is not None), make_game(usual_game()))


def ranking(
    players: Sequence[Player],
    opponent: Player | None = None,
    *,
    games: int | None = None,
    opening_plies: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """The configurations of *players*, ready for JSON; see :mod:`evolve_arena.arena.ranking`.

    Args:
        players: The agents. Their configurations are their names without the last number.
        opponent: Whom all of them meet; if None, they meet those of other configurations.
        games: Of each pair, colours balanced; :data:`GAMES_AGAINST` or :data:`GAMES_RANKED` if
            None.
        opening_plies: Random plies at the beginning of each game.
        seed: Seeds everything.

    Raises:
        BadValueError: There is no opponent, and fewer than two configurations.
    """
    options: dict[str, Any] = {"opening_plies": opening_plies, "seed": seed}
    if opponent is None:
        games = games or GAMES_RANKED
        tallies = meet_others(find_common_game(players), players, games=games, **options)
    else:
        games = games or GAMES_AGAINST
        tallies = meet_opponent(
            find_common_game(players), players, opponent, games=games, **options
        )
    shares = {name: tally.share for name, tally in tallies.items() if tally.games}
    told = {name: _describe_duels(name, row.results, opponent) for name, row in tallies.items()}
    return {
        "against": opponent.name if opponent else None,
        "games_per_pair": games + games % 2,
        "configurations": [asdict(row) for row in rank_configurations(shares, name_configuration)],
        "agents": [
            {
                "name": name,
                "configuration": name_configuration(name),
                "won": tally.won,
                "counted_games": tally.games,
                "share": json_share(tally.share),
                "wilson_95": list(wilson_interval(tally.won, tally.games)),
                **told[name],
            }
            for name, tally in tallies.items()
        ],
        "warnings": [
            line
            for name, duels in told.items()
            for line in list_caveats(duels, where=f"{name}: ", hint=not opening_plies)
        ],
    }


def _describe_duels(
    name: str, results: Sequence[DuelResult], opponent: Player | None
) -> dict[str, Any]:
    """What shares of an agent are of. Forfeits of other agents stand with these."""
    forfeits = count_forfeits(
        (forfeit.player, forfeit.kind, forfeit.sentence, forfeit.errors)
        for result in results
        for forfeit in result.forfeits
        for _ in range(forfeit.games if opponent or forfeit.player == 0 else 0)
    )
    return {
        "games": sum(result.games for result in results),
        "finished_games": sum(result.finished for result in results),
        "distinct_games": sum(result.distinct_games for result in results),
        "forfeits": describe_forfeits((name, opponent.name if opponent else ""), forfeits),
    }


def print_duel(result: DuelResult) -> None:
    """Prints what :func:`evolve_arena.arena.duel.duel` gave."""
    if result.sides:
        _print_points(result)
        return
    row = [
        *result.names,
        str(result.games),
        f"{result.wins} {result.draws} {result.losses}",
        format_interval(result.score, result.wilson_95),
        str(result.distinct_games),
    ]
    columns = ["player", "opponent", "games", "won drawn lost", "score, 95 % interval", "distinct"]
    if result.forfeits:
        row += forfeit_cells(result.to_dict()["forfeits"])
        columns += ["forfeited", "by opponent"]
    print_table("Duel", columns, [row], left=2)
    print("ended by " + ", ".join(f"{name}: {n}" for name, n in result.terminations.items()))


def _print_points(result: DuelResult) -> None:
    assert result.sides
    limits, names = list(result.sides[0].above), list(result.sides[0].columns)[1:]
    counts = [
        (result.wins, result.draws, result.losses),
        (result.losses, result.draws, result.wins),
    ]
    rows = [
        (
            name,
            " ".join(map(str, won)),
            format_points(side.points, side.points_interval),
            *(f"{100 * side.above[limit]:.1f}" for limit in limits),
            *(f"{side.columns[name]:.2f}" for name in names),
            str(side.forbidden),
        )
        for name, won, side in zip(result.names, counts, result.sides, strict=True)
    ]
    columns = ["player", "won drawn lost", "points, 95 % interval"]
    columns += [f"% > {limit}" for limit in limits]
    columns += [*(name.replace("_", " ") for name in names), "forbidden moves"]
    title = f"Duel: {result.games} games of {result.seats} players"
    print_table(title, columns, rows)
    margin = format_margin(result.margin, result.margin_interval)
    score = format_interval(result.score, result.wilson_95)
    print_line(f"{result.names[0]} scores {margin} points more a seat; score {score}")
    means = "".join(f"{value:.1f} {name} a game, " for name, value in result.columns.items())
    print_line(
        f"{means}{result.distinct_games} distinct games; ended by "
        + ", ".join(f"{name}: {n}" for name, n in result.terminations.items())
    )


def print_crosstable(content: dict[str, Any]) -> None:
    """Prints what :func:`crosstable` gave."""
    order = [player["name"] for player in content["players"]]
    forfeited = any(player["forfeited_games"] for player in content["players"])
    rows = []
    for player in content["players"]:
        against = content["crosstable"][player["name"]]
        rows.append(
            (
                str(player["rank"]),
                player["name"],
                _format_elo(player),
                format_interval(player["score"], tuple(player["wilson_95"])),
                f"{player['distinct_games']} of {player['finished_games']}",
                *([str(player["forfeited_games"])] if forfeited else []),
                *(f"{against[name]:.3f}" if name in against else "" for name in order),
            )
        )
    numbers = [str(number) for number in range(1, len(order) + 1)]
    columns = ["rank", "player", "Elo", "score, 95 % interval", "distinct games"]
    columns += ["forfeited"] * forfeited + numbers
    print_table("Tournament", columns, rows, left=2)


def _format_elo(player: dict[str, Any]) -> str:
    if player["elo"] is None:
        return "-"
    return f"{player['elo']:+.0f} ± {player['elo_error_95']:.0f}"


def print_ranking(content: dict[str, Any]) -> None:
    """Prints what :func:`ranking` gave."""
    rows = [
        (
            str(row["rank"]),
            row["name"],
            str(row["agents"]),
            *(f"{row[share]:.4f}" for share in ("mean", "best", "worst")),
        )
        for row in content["configurations"]
    ]
    against = content["against"] or "agents of other configurations"
    title = f"Share of games won against {against}, {content['games_per_pair']} games each"
    columns = ["rank", "configuration", "agents", "mean", "best", "worst"]
    print_table(title, columns, rows, left=2)


def print_ratings(content: dict[str, Any]) -> None:
    """Prints what :func:`ratings` gave."""
    names = content["columns"]
    rows = [
        (
            str(row["rank"]),
            row["name"],
            f"{row['mu']:.2f} ± {2 * row['sigma']:.2f}",
            format_interval(row["share"], tuple(row["wilson_95"])),
            format_points(row["points"], row["points_95"]),
            *(f"{row[name]:.2f}" for name in names),
            str(row["forbidden_moves"]),
        )
        for row in content["players"]
    ]
    columns = ["rank", "player", "rating ± 2σ", "share of wins, 95 % interval"]
    columns += ["points, 95 % interval", *(name.replace("_", " ") for name in names)]
    columns += ["forbidden moves"]
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
