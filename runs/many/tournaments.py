"""Tournaments for the command line: a crosstable, ratings, or a ranking of configurations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.crosstable import play_tournament
from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import (
    DuelResult,
    Score,
    count_forfeits,
    describe_forfeits,
    list_caveats,
)
from evolve_arena.arena.executors import Executor, make_executor
from evolve_arena.arena.match import OnMatch
from evolve_arena.arena.ranking import (
    meet_opponent,
    meet_others,
    name_configuration,
    rank_configurations,
)
from evolve_arena.arena.standings import play_at_tables
from evolve_arena.arena.statistics import json_share, wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import default_game, load, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player, distinct_names
from evolve_arena.runs.players import find_player
from evolve_arena.runs.run import Run

LESSONS = 1000
"""Default number of games from which players learn in a tournament."""
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


def learning(
    runs: Sequence[Run],
    *,
    games: int | None = None,
    lessons: int = LESSONS,
    opening_plies: int = 0,
    seed: int = 0,
    workers: int | None = None,
) -> JsonObject:
    """Play a round robin in which the champions of *runs* learn; the result is ready for JSON.

    Each pair plays, both learn from games against each other, and they play again. Every pair
    begins with the players as they are in their runs, which do not change.

    Args:
        runs: At least two runs of methods that learn from games.
        games: Games of each pair before and after; :data:`GAMES` if None.
        lessons: Games from which each of two players learns.
        opening_plies: Random plies at the beginning of each game that counts.
        seed: Seed of openings and players.
        workers: Number of processes that play; one per core if None.

    Raises:
        BadValueError: There are fewer than two runs, or a method can't learn from others.
    """
    if len(runs) < 2:
        raise BadValueError("a tournament needs two players")
    for run in runs:
        if not run.method.meeting and "opponents" not in run.method.config_type.model_fields:
            raise BadValueError(
                f"{run.path}: the method {run.method.name!r} can't learn from games against others;"
                " td, td-tuples and q-learning of games in one file can"
            )
    games = games or GAMES
    names = distinct_names([run.path.resolve().name for run in runs])
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    pairs = []
    seeds = iter(derive_seeds(seed, 0, "learning tournament", len(runs) ** 2).tolist())
    with make_executor(None, workers) as executor:
        for (one, first), (two, second) in itertools.combinations(zip(runs, names, strict=True), 2):
            rules: JsonObject = {"games": games, "lessons": lessons, "plies": opening_plies}
            before, after = _meet(one, two, **rules, seed=next(seeds), executor=executor)
            points[first].append((before.score, after.score))
            points[second].append((1 - before.score, 1 - after.score))
            told: JsonObject = {"players": [first, second], "games": before.games}
            for key, result in (("before", before), ("after", after)):
                told |= {key: result.score, f"{key}_wilson_95": list(result.score_interval)}
            pairs.append(told)
    players: list[JsonObject] = [
        {"name": name, "before": fmean(one for one, _ in all_), "after": fmean(b for _, b in all_)}
        for name, all_ in points.items()
    ]
    ranked = sorted(players, key=lambda row: -row["after"])
    return {"games_per_pair": games, "lessons": lessons, "players": ranked, "pairs": pairs}


def _meet(
    one: Run,
    two: Run,
    *,
    games: int,
    lessons: int,
    plies: int,
    seed: int,
    executor: Executor,
) -> tuple[Score, Score]:
    """Return the results of *one* against *two* before and after both have learned."""
    if one.method.meeting and one.method.meeting == two.method.meeting:
        found: tuple[Score, Score] = load(one.method.meeting)(
            one, two, games=games, lessons=lessons, seed=seed, executor=executor
        )
        return found
    options: JsonObject = {"games": games, "opening_plies": plies, "executor": executor}
    game = one.method.decoder.game
    champions = [find_player(f"run:{run.path}", game) for run in (one, two)]
    before = duel(game, *champions, **options, seed=seed)
    learned = [_learn(run, rival, lessons, executor) for run, rival in ((one, two), (two, one))]
    return before, duel(game, *learned, **options, seed=seed + 1)


def _learn(run: Run, rival: Run, lessons: int, executor: Executor) -> Player:
    """Return the champion of a *run* after games against that of a *rival*."""
    changes = {"method.opponents": [f"run:{rival.path}"], "method.games": lessons}
    method = run.recipe.change(changes).make_method()
    arena = Arena(method.decoder, executor)
    state, _ = method.step(run.state(), arena)
    genome, _ = method.champion(state, arena)
    player: Player = method.decoder.player(genome, run.path.resolve().name)
    return player


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
