"""Tournaments for the command line: a crosstable, ratings, or a ranking of configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from evolve_arena.arena.crosstable import play_tournament
from evolve_arena.arena.duel_result import (
    DuelResult,
    count_forfeits,
    describe_forfeits,
    list_caveats,
)
from evolve_arena.arena.match import OnMatch
from evolve_arena.arena.ranking import (
    meet_opponent,
    meet_others,
    name_configuration,
    rank_configurations,
)
from evolve_arena.arena.standings import play_at_tables
from evolve_arena.arena.statistics import json_share, wilson_interval
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import default_game, make_game
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player

GAMES, GAMES_RANKED, GAMES_AGAINST, GAMES_AT_TABLES = 200, 2, 2000, 1000
"""Default numbers of games: per pair in a crosstable, among configurations, and against one
opponent; and in all in multiplayer matches."""


def crosstable(
    players: Sequence[Player],
    *,
    games: int | None = None,
    opening_plies: int = 0,
    seed: int = 0,
    on_match: OnMatch | None = None,
) -> JsonObject:
    """Play a round robin, and return its crosstable, ready for JSON; see `play_tournament`.

    Args:
        players: At least two players.
        games: Games of each pair; :data:`GAMES` if None.
        opening_plies: Random plies at the beginning of each game.
        seed: Seed of openings and players.
        on_match: Function that is called with each match and its moves.

    Raises:
        BadValueError: There are fewer than two players, or a number is out of range.
    """
    table = play_tournament(
        find_common_game(players),
        players,
        games=games or GAMES,
        opening_plies=opening_plies,
        seed=seed,
        on_match=on_match,
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
    on_match: OnMatch | None = None,
) -> JsonObject:
    """Play multiplayer matches, and return the ratings, ready for JSON; see `play_at_tables`.

    Args:
        game: Rules; as many players take part in a match as it has seats.
        players: At least two players.
        games: Number of matches in all; :data:`GAMES_AT_TABLES` if None.
        seed: Seed of deals and players.
        on_match: Function that is called with each match and its moves.

    Raises:
        BadValueError: There are fewer than two players, or a number is out of range.
    """
    seats = min(game.seats, len(players))
    standings = play_at_tables(
        game, players, games=games or GAMES_AT_TABLES, seats=seats, seed=seed, on_match=on_match
    )
    return standings.to_dict()


def find_common_game(players: Sequence[Player]) -> AnyGame:
    """Return the game of the first player that is made for one, else the default game."""
    games = (getattr(player, "game", None) for player in players)
    return next((game for game in games if game is not None), make_game(default_game()))


def ranking(
    players: Sequence[Player],
    opponent: Player | None = None,
    *,
    games: int | None = None,
    opening_plies: int = 0,
    seed: int = 0,
) -> JsonObject:
    """Rank the configurations of *players*; the result is ready for JSON.

    See :mod:`evolve_arena.arena.ranking`.

    Args:
        players: The agents. Their configurations are their names without the last number.
        opponent: Opponent of all agents; if None, they play those of other configurations.
        games: Games of each pair, colours balanced; :data:`GAMES_AGAINST` or
            :data:`GAMES_RANKED` if None.
        opening_plies: Random plies at the beginning of each game.
        seed: Seed of openings and players.

    Raises:
        BadValueError: There is no opponent, and fewer than two configurations.
    """
    game = find_common_game(players)
    if opponent is None:
        games = games or GAMES_RANKED
        tallies = meet_others(game, players, games=games, opening_plies=opening_plies, seed=seed)
    else:
        games = games or GAMES_AGAINST
        tallies = meet_opponent(
            game, players, opponent, games=games, opening_plies=opening_plies, seed=seed
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
) -> JsonObject:
    """Describe an agent's games and its forfeits; with an *opponent*, those of both."""
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
