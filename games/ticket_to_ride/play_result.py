"""How a game of Ticket to Ride ended, as a table of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.arena.match import Match
from evolve_arena.games.ticket_to_ride.drawing import name_ticket
from evolve_arena.games.ticket_to_ride.layout import HELD_TICKETS, POINTS, TICKETS_AT, player_at
from evolve_arena.games.ticket_to_ride.scoring import is_done, ticket_points

__all__ = ["describe_result"]


def describe_result(position: Any, match: Match, names: Sequence[str]) -> str:
    """The table: places, points, where these come from; and everybody's tickets.

    Args:
        position: The last position, with all tickets.
        match: The finished match.
        names: The players, seat by seat.
    """
    state = position.array.copy()  # compiled code takes no array that is read-only
    order = sorted(range(len(names)), key=lambda seat: (match.places[seat], seat))
    width = max(6, *(len(name) for name in names))
    lines = [f"{match.sentence}", ""]
    bonuses = [
        match.columns["points"][seat]
        - int(state[player_at(seat) + POINTS])
        - int(ticket_points(state, seat))
        for seat in range(len(names))
    ]
    longest = " + longest path" * any(bonuses)
    lines.append(f"  place  {'':{width}}  points = routes + tickets{longest}")
    for seat in order:
        routes = int(state[player_at(seat) + POINTS])
        tickets = int(ticket_points(state, seat))
        forfeit = "  forfeited" * (match.offender == seat)
        lines.append(
            f"  {match.places[seat]:5}  {names[seat]:{width}}  {match.columns['points'][seat]:6}"
            f"   {routes:6}   {tickets:+7}   {bonuses[seat] or '':>12}{forfeit}".rstrip()
        )
    lines += ["", "Tickets:"]
    for seat in order:
        texts = []
        at = player_at(seat)
        for ticket in state[at + TICKETS_AT :][: state[at + HELD_TICKETS]]:
            done = is_done(state, seat, ticket)
            texts.append(f"{name_ticket(int(ticket))} {'done' if done else 'NOT done'}")
        lines.append(f"  {names[seat]:{width}}  {texts[0] if texts else 'none'}")
        lines += [f"  {'':{width}}  {text}" for text in texts[1:]]
    return "\n".join(lines)
