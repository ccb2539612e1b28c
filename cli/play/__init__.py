"""Games at the terminal, between people and programs."""

from __future__ import annotations

from evolve_arena.cli.play.options import PlayOptions, newest_opponent
from evolve_arena.cli.play.screen import Screen
from evolve_arena.cli.play.session import Plan, Session

__all__ = ["Plan", "PlayOptions", "Screen", "Session", "newest_opponent"]
