"""A player's strength at tables of Ticket to Ride: alone with its like, and against others.

The first is what Łabno (2018) measured: all seats of a table are taken by the same player.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from evolve_arena.arena.duel import duel
from evolve_arena.arena.mirror import play_mirror
from evolve_arena.arena.seated_duel import LIMITS
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.players.player import Player
from evolve_arena.runs.caveats import list_caveats
from evolve_arena.runs.check_points import format_margin
from evolve_arena.runs.output import format_interval, print_table
from evolve_arena.runs.players import find_player
from evolve_arena.runs.table_results import format_points

__all__ = ["check_no_boards", "evaluate_at_tables", "print_table_evaluation"]

OPPONENTS = ("rule", "rule:code", "random")
COUNTS = (2, 3, 4, 5)


def evaluate_at_tables(
    player: Player,
    game: TicketToRide,
    *,
    games: int = 1000,
    opponents: Sequence[str] | None = None,
    players: int | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Measures *player*, ready for JSON.

    Args:
        player: Who is measured.
        game: The rules; duels are played at tables of so many seats.
        games: Games at each table of its like, and against each opponent.
        opponents: Specifications of whom it meets; those of :data:`OPPONENTS` that are somebody
            else if None.
        players: How many are its like; 2, 3, 4 and 5 in turn if None.
        seed: Seeds decks and players.

    Raises:
        ArenaError: An opponent is none, or plays by other rules.
    """
    names = list(dict.fromkeys(OPPONENTS if opponents is None else opponents))
    counts = COUNTS if players is None else (players,)
    seeds = [int(word) for word in derive_seeds(seed, 0, "evaluation", 1 + len(names))]
    duels = {}
    with ExitStack() as stack:
        entered = []
        for name in names:
            entered.append(find_player(name, game))
            stack.callback(entered[-1].close)
        for name, opponent, word in zip(names, entered, seeds[1:], strict=True):
            if opponents is None and opponent.name == player.name:
                continue
            told = duel(game, player, opponent, games=games, seed=word).to_dict()
            told["warnings"] = list_caveats(told, where=f"{name}: ", hint=False)
            duels[name] = told
    mirrors = {
        str(count): play_mirror(game, player, players=count, games=games, seed=seeds[0]).to_dict()
        for count in counts
    }
    return {"player": player.name, "tables": mirrors, "opponents": duels}


def check_no_boards(opening_plies: int, positions: Sequence[Any]) -> None:
    """Refuses what is not for games of hidden cards.

    Raises:
        BadValueError: It was asked for.
    """
    if opening_plies:
        raise BadValueError("openings are not for ticket-to-ride: games begin with shuffled cards")
    if positions:
        raise BadValueError("files of positions are for connect-four, not for ticket-to-ride")


def print_table_evaluation(content: dict[str, Any]) -> None:
    """Prints what :func:`evaluate_at_tables` gave."""
    rows = [
        (
            count,
            str(result["games"]),
            format_points(_known(result["mean"]), result["mean_95"]),
            *(_number(result[name]) for name in ("deviation", "median", "minimum", "maximum")),
            *(_percent(result["above"][str(limit)]["share"]) for limit in LIMITS),
            f"{_number(result['tickets_done'], 2)} {_number(result['tickets_failed'], 2)}",
            _number(result["rounds"]),
            str(result["aborted_games"]),
        )
        for count, result in content["tables"].items()
    ]
    columns = ["players", "games", "mean points, 95 %", "SD", "median", "min", "max"]
    columns += [f"% > {limit}" for limit in LIMITS]
    columns += ["tickets done, failed", "rounds", "aborted"]
    print_table(f"{content['player']} at all seats", columns, rows, left=0)
    rows = [
        (
            name,
            f"{result['wins']} {result['draws']} {result['losses']}",
            format_interval(result["score"], tuple(result["wilson_95"])),
            *(format_points(side["points"], side["points_95"]) for side in result["sides"]),
            format_margin(result["margin"], result["margin_95"]),
            str(result["sides"][0]["forbidden_moves"]),
        )
        for name, result in content["opponents"].items()
    ]
    columns = ["against", "won drawn lost", "score, 95 % interval", "points", "its points"]
    columns += ["margin, 95 %", "forbidden moves"]
    seats = next((result["seats"] for result in content["opponents"].values()), 0)
    if rows:
        print_table(f"{content['player']} at every other seat of {seats}", columns, rows)


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def _number(value: float | None, decimals: int = 1) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
