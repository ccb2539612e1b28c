"""Pictures of games of Ticket to Ride: one is played, and its board drawn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.arena.match import Match, play_match
from evolve_arena.games.ticket_to_ride.board import LINES
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    HELD_TICKETS,
    OVER,
    OWNER_AT,
    PHASE,
    POINTS,
    ROUND,
    TICKETS_AT,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.plot_board import BoardSeat, draw_board
from evolve_arena.games.ticket_to_ride.scoring import is_done
from evolve_arena.players.player import Player, distinct_names
from evolve_arena.runs.players import fill_seats, find_player, find_table, name_player
from evolve_arena.runs.plots.style import check_format, save
from evolve_arena.runs.store.directory import find_run, is_run
from evolve_arena.runs.store.files import explain_storage_errors

COMPANY = "rule"
"""Who sits beside a single champion."""
RUN = "run:"


def plot_board(
    names: Sequence[str] = (), to: Path | None = None, *, players: int | None = None, seed: int = 0
) -> Path:
    """Lets players finish one game of Ticket to Ride and draws its board.

    Args:
        names: Run directories, for their champions, or specifications of players; they sit at
            the table by turns until all seats are taken. A single run meets the rule player; of
            nobody, all are rule players.
        to: A file that ends in ``.png``, ``.svg`` or ``.pdf``. If None, ``plots/board.png`` in
            the directory of a run that stands first, else ``board.png`` in this folder.
        players: How many seats the table has; as many as the first run's, or as there are names.
        seed: Seeds decks and players.

    Returns:
        Where the picture is.

    Raises:
        BadValueError: The file's name ends in no known format, or the game is another one.
        ArenaError: There is no such player.
        StorageError: The picture can't be written.
    """
    if to is not None:
        check_format(to)
    named = [name_player(name) for name in names] or [COMPANY]
    game = find_table(named, TicketToRide.name, players)
    if len(named) == 1 and named[0].startswith(RUN):
        named.append(COMPANY)
    with ExitStack() as stack:
        seated: list[Player] = []
        for name in fill_seats(named, game.seats):
            seated.append(find_player(name, game))
            stack.callback(seated[-1].close)
        positions: list[Any] = []
        match = play_match(
            game, seated, seed=seed, watch=lambda position, move: positions.append(position)
        )
    called = distinct_names([player.name for player in seated])
    return save(_draw(positions[-1], called, seed, match), to or _choose_file(names))


def plot_table(position: Any, names: Sequence[str], to: Path) -> Path:
    """Draws the board of a game that goes on, as who was shown the *position* sees it."""
    array = position.array.copy()
    remark = f"round {array[ROUND]}; points of routes" if array[PHASE] != OVER else ""
    seats = [_describe_seat(array, seat, name) for seat, name in enumerate(names)]
    return save(draw_board(_owners(array), seats, "Ticket to Ride", remark), to)


def _choose_file(names: Sequence[str]) -> Path:
    first = find_run(names[0]) if names else Path()
    if not is_run(first):
        return Path("board.png")
    folder = first / "plots"
    with explain_storage_errors(folder):
        folder.mkdir(exist_ok=True)
    return folder / "board.png"


def _draw(position: Any, names: Sequence[str], seed: int, match: Match) -> Any:
    array = position.array.copy()  # compiled code takes no array that is read-only
    remark = f"seed {seed}, {array[ROUND]} rounds. {match.sentence}"
    seats = [_describe_seat(array, seat, name, match) for seat, name in enumerate(names)]
    return draw_board(_owners(array), seats, "A game of Ticket to Ride", remark)


def _describe_seat(array: Any, seat: int, name: str, match: Match | None = None) -> BoardSeat:
    """A player for the legend; of tickets those that can be seen."""
    at = player_at(seat)
    held = [int(ticket) for ticket in array[at + TICKETS_AT :][: array[at + HELD_TICKETS]]]
    routes = int(array[at + POINTS])
    return BoardSeat(
        name=name,
        points=routes if match is None else match.columns["points"][seat],
        route_points=routes,
        trains=int(array[at + TRAINS]),
        tickets=tuple(
            (ticket, bool(is_done(array, seat, ticket))) for ticket in held if ticket >= 0
        ),
        remark="forfeited" if match is not None and match.offender == seat else "",
    )


def _owners(array: Any) -> Any:
    return np.asarray(array[OWNER_AT : OWNER_AT + LINES])
