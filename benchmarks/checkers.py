"""Speed of move counting and random games in checkers, against OpenSpiel and pydraughts."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import make_random

__all__ = ["measure"]

GAME = make_game("checkers")
START = GAME.initial()
LEAVES_TARGET, GAMES_TARGET = 20e6, 100_000.0
PERFT = {5: 7361, 6: 36768, 8: 838248, 10: 17570330}
"""Number of leaves by depth in plies; each single jump is a ply, as in OpenSpiel."""
GAMES, OPENSPIEL_GAMES, PYDRAUGHTS_GAMES, PYTHON_GAMES = 20_000, 300, 5, 60
DEPTHS = {8: 15, 10: 3}
"""Number of rounds by depth of perft, in plies."""
OPENSPIEL_DEPTH, ROUNDS = 5, 7
SMALL = {
    "GAMES": 20,
    "OPENSPIEL_GAMES": 1,
    "PYDRAUGHTS_GAMES": 1,
    "PYTHON_GAMES": 1,
    "DEPTHS": {5: 1, 6: 1},
    "OPENSPIEL_DEPTH": 2,
    "ROUNDS": 1,
}


def measure() -> Iterator[Line]:
    """Yield all lines about the rules of checkers."""
    (depth, rounds), (deeper, fewer) = DEPTHS.items()
    speed = _perft_speed(depth, rounds)
    theirs = _best_of(3, _count_with_openspiel, OPENSPIEL_DEPTH)
    yield Line(
        f"checkers perft {depth}, one core, no table, last ply counted",
        speed / 1e6,
        "million leaves/s",
        f"OpenSpiel from Python, perft {OPENSPIEL_DEPTH}: {theirs:,.0f} leaves/s",
        speed / theirs,
        "20",
        speed >= LEAVES_TARGET,
    )
    speed = _perft_speed(deeper, fewer)
    yield Line(f"checkers perft {deeper}, the same", speed / 1e6, "million leaves/s")
    speed = _best_of(ROUNDS, _play_compiled, GAMES)
    theirs = _best_of(3, _play_openspiel, OPENSPIEL_GAMES)
    yield Line(
        "checkers random games, one core",
        speed,
        "games/s",
        f"OpenSpiel from Python: {theirs:,.0f} games/s",
        speed / theirs,
        "100,000",
        speed >= GAMES_TARGET,
    )
    theirs = _best_of(1, _play_pydraughts, PYDRAUGHTS_GAMES)
    text = f"pydraughts: {theirs:,.1f} games/s"
    yield Line("the same", speed, "games/s", text, speed / theirs)
    speed = _best_of(3, _play_in_python, PYTHON_GAMES)
    yield Line("random games by the rules in plain Python", speed, "games/s", text, speed / theirs)


def _best_of(rounds: int, work: Callable[[int], int], count: int) -> float:
    """Return the highest rate per second of *work* in so many rounds, after a warm-up."""
    work(1)
    best = 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        done = work(count)
        best = max(best, done / (time.perf_counter() - start))
    return best


def _perft_speed(depth: int, rounds: int) -> float:
    def count(plies: int) -> int:
        leaves: int = GAME.perft(START, plies)
        assert leaves == PERFT.get(plies, leaves)
        return leaves

    return _best_of(rounds, count, depth)


def _count_with_openspiel(depth: int) -> int:
    import pyspiel

    def count(state: pyspiel.State, left: int) -> int:
        actions = state.legal_actions()
        if left <= 1:
            return len(actions)
        return sum(count(state.child(action), left - 1) for action in actions)

    leaves = count(pyspiel.load_game("checkers").new_initial_state(), depth)
    assert leaves == PERFT.get(depth, leaves)
    return leaves


def _play_compiled(games: int) -> int:
    players = combine_players([make_random(GAME).packed] * 2)
    seats = np.tile(np.array([[0, 1]], dtype=np.int32), (games, 1))
    run_kernel(make_batch(GAME, players, seats, derive_seeds(1, 0, "benchmark", games)))
    return games


def _play_openspiel(games: int) -> int:
    import pyspiel

    game, choices = pyspiel.load_game("checkers"), random.Random(1)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choices.choice(state.legal_actions()))
    return games


def _play_pydraughts(games: int) -> int:
    import draughts

    choices = random.Random(1)
    for _ in range(games):
        board = draughts.Board(variant="english")
        while not board.is_over():
            board.push(choices.choice(board.legal_moves()))
    return games


def _play_in_python(games: int) -> int:
    choices = random.Random(1)
    for _ in range(games):
        position = START
        while moves := GAME.legal_moves(position):
            position = GAME.play(position, choices.choice(moves))
    return games
