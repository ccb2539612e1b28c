"""Games at the terminal: a person against anyone, or anyone against anyone."""

from __future__ import annotations

from evolve_arena.runs.play.invitation import Invitation, choose_table, newest_opponent
from evolve_arena.runs.play.screen import Screen
from evolve_arena.runs.play.sitting import Plan, Sitting

__all__ = ["Invitation", "Plan", "Screen", "Sitting", "choose_table", "newest_opponent"]
