"""A player's strength from outside: fixed opponents, and positions with known answers.

Among these are, for Connect Four on the ordinary board, the concept states.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from evolve_arena.arena.duel import duel
from evolve_arena.arena.statistics import json_share
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.connect_four.concepts import CONCEPTS, concept_groups, fits_concepts
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.positions import solve_positions
from evolve_arena.players.player import Player
from evolve_arena.runs.caveats import forfeit_cells, list_caveats
from evolve_arena.runs.output import format_interval, print_line, print_table
from evolve_arena.runs.players import find_player
from evolve_arena.runs.tournaments import find_common_game

__all__ = ["LADDER", "OPPONENTS", "evaluate_player", "print_evaluation"]

LADDER = tuple(f"minimax:depth={depth},noise=0.2" for depth in range(1, 5))
"""The players MM1 to MM4 of Löfroth and Dalenius (2011)."""
OPPONENTS = {
    ConnectFour.name: ("random", "test-bot", *LADDER),
    Checkers.name: (
        "random",
        *(f"minimax:depth={depth}" for depth in range(1, 7)),
        "piotrowski:rafalmore",
        "piotrowski:rafalmmore",
    ),
}
"""Whom a player of each game meets. Of Piotrowski's players those are left out that look seven
plies ahead: the strongest, rafalmmored, takes a third of a second for a game."""


def evaluate_player(
    player: Player,
    *,
    games: int = 1000,
    opening_plies: int = 0,
    opponents: Sequence[str] | None = None,
    positions: Sequence[Path] = (),
    seed: int = 0,
) -> dict[str, Any]:
    """Measures *player*, ready for JSON.

    Args:
        player: Who is measured.
        games: Games against each opponent, colours balanced.
        opening_plies: Random plies at the beginning of each game.
        opponents: Specifications of whom it meets; one that occurs again is left out. If None,
            those in :data:`OPPONENTS`.
        positions: Files that `evolve_arena.games.connect_four.positions.solve_positions` reads.
        seed: Seeds openings and players.

    Raises:
        ArenaError: An opponent is none, or can't play on the player's board, or there are
            *positions* and the game is not Connect Four.
    """
    game = find_common_game([player])
    if positions and not isinstance(game, ConnectFour):
        raise BadValueError(f"files of positions are for connect-four, not for {game.name}")
    names = list(dict.fromkeys(OPPONENTS[game.name] if opponents is None else opponents))
    seeds = derive_seeds(seed, 0, "evaluation", len(names))
    results = {}
    with ExitStack() as stack:
        entered = []
        for name in names:
            entered.append(find_player(name, game))
            stack.callback(entered[-1].close)
            entered[-1].rehearse()
        for name, opponent, word in zip(names, entered, seeds, strict=True):
            result = duel(
                game, player, opponent, games=games, opening_plies=opening_plies, seed=int(word)
            )
            told = result.to_dict()
            del told["players"]
            told["won"] = json_share(result.won)
            told["won_wilson_95"] = list(result.win_interval)
            told["warnings"] = list_caveats(told, where=f"{name}: ", hint=not opening_plies)
            results[name] = told
    content: dict[str, Any] = {"player": player.name, "opponents": results}
    if isinstance(game, ConnectFour):
        concepts = concept_groups(player, game, seed=seed) if fits_concepts(game) else {}
        content["concepts"] = {name: group.to_dict() for name, group in concepts.items()}
        content["positions"] = {
            str(path): solve_positions(player, game, path) for path in positions
        }
    return content


def print_evaluation(content: dict[str, Any]) -> None:
    """Prints what :func:`evaluate_player` gave."""
    forfeited = any(result["forfeits"] for result in content["opponents"].values())
    rows = [
        (
            name,
            str(result["games"]),
            format_interval(result["won"], tuple(result["won_wilson_95"])),
            str(result["draws"]),
            str(result["losses"]),
            str(result["distinct_games"]),
            *(forfeit_cells(result["forfeits"]) if forfeited else ()),
        )
        for name, result in content["opponents"].items()
    ]
    columns = ["against", "games", "won, 95 % interval", "draws", "losses", "distinct games"]
    columns += ["forfeited", "by opponent"] if forfeited else []
    print_table(content["player"], columns, rows)
    if "concepts" in content:
        _print_concepts(content["concepts"])
    for path, result in content.get("positions", {}).items():
        _print_positions(path, result)


def _print_concepts(content: dict[str, Any]) -> None:
    if not content:
        print_line("concept states: left out, they are for a board of 7 by 6, 4 in a row")
        return
    rows = [
        (
            f"{name} ({CONCEPTS[name][1]})",
            str(group["states"]),
            format_interval(group["share"], tuple(group["wilson_95"])),
        )
        for name, group in content.items()
    ]
    print_table("Concept states: wins at once", ["", "states", "solved, 95 % interval"], rows)


def _print_positions(path: str, result: dict[str, Any]) -> None:
    if "solved" not in result:
        rows = [
            (
                name.replace("_", " "),
                format_interval(result[name], tuple(result[f"{name}_wilson_95"])),
            )
            for name in ("value_preserving", "distance_optimal")
        ]
    else:
        solved = result["solved"]
        rows = [("solved", format_interval(solved["overall"], tuple(solved["wilson_95"])))]
        for group in ("by_theme", "by_line"):
            rows += [(f"  {name}", f"{share:.3f}") for name, share in solved[group].items()]
    print_table(f"{path}: {result['count']} positions", ["", "share"], rows)
