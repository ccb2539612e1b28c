"""Players without weights: chance, and the test bot that checks a run from outside."""

from __future__ import annotations

from evolve_arena.core.game import AnyGame
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.players.lineup import RANDOM, TEST_BOT, simple_lineup
from evolve_arena.players.player import CompiledPlayer

__all__ = ["make_random", "make_test_bot"]


def make_random(game: AnyGame) -> CompiledPlayer:
    """A player that picks any legal move, each with the same probability."""
    return CompiledPlayer(game, simple_lineup(RANDOM), "random")


def make_test_bot(game: ConnectFour) -> CompiledPlayer:
    """The test bot of Dragan and Izert (2016).

    If discs of one colour lie on top of each other, one short of a line, with a free cell
    above, it completes a stack of its own, else it blocks one of the other player. Otherwise
    it plays at random. Of several such columns it takes the leftmost.
    """
    return CompiledPlayer(game, simple_lineup(TEST_BOT), "test-bot")
