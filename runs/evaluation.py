"""Evaluation of a player against fixed opponents, and in positions with known answers.

In games that count points, the player also plays matches against itself, taking all seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import list_caveats
from evolve_arena.arena.self_play import play_mirror
from evolve_arena.arena.statistics import json_share
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, study_ladder
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player
from evolve_arena.runs.players import find_player
from evolve_arena.runs.positions import (
    find_own_positions,
    read_positions,
    solve_positions,
)

MAX_PLIES = 4
"""Default random plies at the beginning of a game; very short games have fewer."""


def evaluate_player(
    player: Player,
    game: AnyGame,
    *,
    games: int = 1000,
    opening_plies: int | None = None,
    opponents: Sequence[str] | None = None,
    positions: Sequence[Path] = (),
    seats: int | None = None,
    seed: int = 0,
) -> JsonObject:
    """Measure *player* against opponents and in positions with known answers; return JSON data.

    Args:
        player: Player to be measured.
        game: Rules; duels have as many seats as *game*.
        games: Games against each opponent, colours balanced, and per number of seats in matches
            against itself.
        opening_plies: Random plies at the beginning of each game; :func:`usual_plies` if None.
        opponents: Specifications of the opponents; repetitions are left out. If None, the game's
            benchmark opponents, without *player* itself where it plays against itself anyway.
        positions: Files of positions with known answers, beside the game's own.
        seats: Number of seats in matches against itself; every possible number if None.
        seed: Seed of openings, deals and players.

    Raises:
        ArenaError: There is no such opponent, an opponent can't play on the player's board, or a
            file of *positions* is missing or wrong.
    """
    spec = find_game(game.name)
    named = find_own_positions(game) | {str(path): path for path in positions}
    files = {name: read_positions(game, path) for name, path in named.items()}
    counts_points = "points" in spec.columns
    if opening_plies is None:
        opening_plies = usual_plies(game)
    ladder = (*spec.ladder, *study_ladder(game.name))
    names = list(dict.fromkeys(ladder if opponents is None else opponents))
    words = [int(word) for word in derive_seeds(seed, 0, "evaluation", counts_points + len(names))]
    results = {}
    # Duels: all opponents are loaded first, so that a wrong one is reported before any game.
    with ExitStack() as stack:
        entered = []
        for name in names:
            entered.append(find_player(name, game))
            stack.callback(entered[-1].close)
            entered[-1].check_ready()
        for name, opponent, word in zip(names, entered, words[counts_points:], strict=True):
            if counts_points and opponents is None and opponent.name == player.name:
                continue
            result = duel(
                game, player, opponent, games=games, opening_plies=opening_plies, seed=word
            )
            told = result.to_dict()
            del told["players"]
            told["won"] = json_share(result.won)
            told["won_wilson_95"] = list(result.win_interval)
            hint = not opening_plies and not spec.has_chance
            told["warnings"] = list_caveats(told, where=f"{name}: ", hint=hint)
            results[name] = told
    content: JsonObject = {
        "player": player.name,
        "opening_plies": opening_plies,
        "opponents": results,
    }
    if counts_points:
        content["tables"] = {
            str(count): play_mirror(
                game, player, players=count, games=games, seed=words[0]
            ).to_dict()
            for count in ([seats] if seats else range(2, spec.most_seats + 1))
        }
    content["positions"] = {
        name: solve_positions(player, game, file, seed=seed) for name, file in files.items()
    }
    return content


def usual_plies(game: AnyGame) -> int:
    """Return the default number of random plies at the beginning of measured games.

    It is four, or fewer in very short games. It is 0 in games of chance, which differ without
    random plies, and in games of more than two seats.
    """
    spec = find_game(game.name)
    if spec.has_chance or game.seats > 2:
        return 0
    return min(MAX_PLIES, spec.kernel.longest_opening(game.rules))
