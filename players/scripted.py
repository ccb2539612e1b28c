"""Players without weights that can play any game."""

from __future__ import annotations

from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.players.lineup import simple_lineup
from evolve_arena.players.player import CompiledPlayer


def make_random(game: AnyGame) -> CompiledPlayer:
    """A player that picks any legal move, each with the same probability."""
    fields = find_game(game.name).kernel.record_fields
    return CompiledPlayer(game, simple_lineup(fields), "random")
