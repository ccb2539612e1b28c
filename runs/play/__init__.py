"""Games at the terminal: a person against anyone, or anyone against anyone."""

from __future__ import annotations

from evolve_arena.games.ticket_to_ride.play_invitation import TicketInvitation
from evolve_arena.runs.play.invitation import Invitation, choose_table, newest_opponent
from evolve_arena.runs.play.screen import Screen, draw_board
from evolve_arena.runs.play.sitting import Plan, Sitting

__all__ = [
    "Invitation",
    "Plan",
    "Screen",
    "Sitting",
    "TicketInvitation",
    "choose_table",
    "draw_board",
    "newest_opponent",
]
