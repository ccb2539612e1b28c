"""Simulations per second of Monte Carlo tree search, against OpenSpiel's in C++.

Both search the first position of each game, on one core and by turns, with random rollouts, a
solver and the same exploration. Small games are left out: a position that is solved ends a search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from benchmarks.line import Line
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.specification import make_player

__all__ = ["measure"]

GAMES: dict[str, tuple[str, dict[str, int], str]] = {
    "Connect Four": ("connect-four", {}, "connect_four"),
    "Hex 7x7": ("hex", {}, "hex(board_size=7)"),
    "Gomoku 9x9": ("gomoku", {"size": 9}, "mnk(m=9,n=9,k=5)"),
    "Breakthrough": ("breakthrough", {}, "breakthrough"),
    "Othello": ("othello", {}, "othello"),
    "Kalah": ("kalah", {}, "mancala"),
    "Pig": ("pig", {}, "pig"),
}
"""By name: our game, its options, and OpenSpiel's name of the game with its parameters."""
SIMULATIONS, ROUNDS = 2000, 7
EXPLORATION = 0.7
"""Constant of UCT for scores from 0 to 1; it is doubled for OpenSpiel's returns from -1 to 1."""
MEMORY = 1000
"""MiB for OpenSpiel's tree, more than it needs."""
TARGETS = {"Hex 7x7": 5.0}
DEFAULT_TARGET = 2.0
SMALL = {"GAMES": {"Pig": GAMES["Pig"]}, "SIMULATIONS": 50, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """Yield a line for each game."""
    for name, (ours, options, theirs) in GAMES.items():
        own, other = _search(ours, options), _search_openspiel(theirs)
        own(0), other(0)  # compiles, and takes memory
        best = [0.0, 0.0]
        for number in range(ROUNDS):
            for place, search in enumerate((own, other)):
                for _ in range(2):  # the first has to bring its memory back into the cache
                    begun = time.process_time()
                    search(1 + number)
                    spent = time.process_time() - begun
                    best[place] = max(best[place], SIMULATIONS / spent)
        ratio, target = best[0] / best[1], TARGETS.get(name, DEFAULT_TARGET)
        yield Line(
            f"MCTS, {name}, one core",
            best[0],
            "simulations/s",
            f"OpenSpiel's MCTSBot (C++): {best[1]:,.0f}",
            ratio,
            f"{target:g}x",
            ratio >= target,
        )


def _search(name: str, options: dict[str, int]) -> Callable[[int], object]:
    game = make_game(name, **options)
    player = make_player(f"mcts:rollouts={SIMULATIONS},exploration={EXPLORATION}", game)
    position = game.initial()
    return lambda seed: player.choose(position, new_stream(seed))


def _search_openspiel(name: str) -> Callable[[int], object]:
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def search(seed: int) -> object:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(
            game, evaluator, 2 * EXPLORATION, SIMULATIONS, MEMORY, True, seed, False
        )
        return bot.mcts_search(state)

    return search
