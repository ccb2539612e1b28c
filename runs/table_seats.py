"""Tables of games for more than two: how many sit there, and who."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.runs.players import find_game, is_made_for_a_game

__all__ = ["fill_seats", "find_table", "is_table", "with_players"]


def fill_seats(names: Sequence[str], seats: int) -> list[str]:
    """Who sits where: the *names* by turns.

    >>> fill_seats(["run:a", "rule"], 5)
    ['run:a', 'rule', 'run:a', 'rule', 'run:a']
    """
    return [names[seat % len(names)] for seat in range(seats)]


def find_table(names: Sequence[str], players: int | None = None) -> TicketToRide:
    """The table of Ticket to Ride at which players meet who are so named.

    Its options are those of the first who was made for a game.

    Args:
        names: Specifications of players.
        players: How many seats; if None as many as there are *names*, but for a single one.

    Raises:
        BadValueError: A player plays another game, or there are more names than seats.
    """
    made = [name for name in names if is_made_for_a_game(name)]
    game: Any = find_game(made) if made else make_game(TicketToRide.name)
    if not isinstance(game, TicketToRide):
        raise BadValueError(f"player {made[0]} plays {game.name}, and this is {TicketToRide.name}")
    if players is None and len(names) > 1:
        players = max(2, len(names))
    table: TicketToRide = with_players(game, players)
    if len(names) > table.seats:
        raise BadValueError(f"{len(names)} players are named for {table.seats} seats")
    return table


def with_players(game: AnyGame, players: int | None) -> Any:
    """The same game with so many *players*; None changes nothing.

    Raises:
        BadValueError: The game is for two, or not for so many.
    """
    if players is None:
        return game
    if not is_table(game):
        raise BadValueError(f"--players is for {TicketToRide.name}: two play {game.name}")
    return make_game(game.name, **{**game.options, "players": players})


def is_table(game: AnyGame) -> bool:
    """Whether a game is played at tables of two to five."""
    return isinstance(game, TicketToRide)
