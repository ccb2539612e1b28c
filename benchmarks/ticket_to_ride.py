"""Speed and length of Ticket to Ride: against plain Python, on one core and on two."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator

import numpy as np
import psutil

from benchmarks.line import Line
from benchmarks.ticket_to_ride_plain import Options, Randomness
from benchmarks.ticket_to_ride_plain_player import CODE, TEXT, Reading, play_game
from evolve_arena.arena.batch import Batch, Results, make_batch, seat_players
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player

__all__ = ["measure"]

SEATS = 4
GAME = make_game("ticket-to-ride", seats=SEATS)
GAMES, MANY_GAMES, PLAIN_GAMES = 2000, 100_000, 6
ROUNDS, PLAIN_ROUNDS = 5, 3
SMALL = {"GAMES": 10, "MANY_GAMES": 100, "PLAIN_GAMES": 1, "ROUNDS": 1, "PLAIN_ROUNDS": 1}
GAMES_TARGET, PLAIN_TARGET, WORKERS_TARGET = 2000.0, 100.0, 1.8
READINGS = {"text": TEXT, "code": CODE}
GROWTH_TARGET = 8.0
"""MiB by which the process may grow over MANY_GAMES beside the results themselves."""


def measure() -> Iterator[Line]:
    """Yield all lines about Ticket to Ride."""
    for name, reading in READINGS.items():
        speed = _speed(_batch(_rule_players(name), GAMES))
        theirs = _plain_speed(reading, PLAIN_GAMES)
        yield Line(
            f"Ticket to Ride, four rule players ({name}), one core",
            speed,
            "games/s",
            f"plain Python: {theirs:,.2f} games/s",
            speed / theirs,
            "2,000, 100x",
            speed >= GAMES_TARGET and speed >= PLAIN_TARGET * theirs,
        )
    speed = _speed(_batch(make_random(GAME).packed, 10 * GAMES))
    yield Line("Ticket to Ride, four random players, one core", speed, "games/s")
    yield _memory()
    yield _two_workers()


def _rule_players(reading: str) -> PackedPlayers:
    return make_player(f"rule:{reading}", GAME).packed  # type: ignore[attr-defined,no-any-return]


def _batch(packed: PackedPlayers, games: int) -> Batch:
    pairings = seat_players(np.zeros((games, SEATS)), find_game(GAME.name).most_seats)
    return make_batch(GAME, packed, pairings, derive_seeds(1, 0, "benchmark", games))


def _speed(batch: Batch) -> float:
    """Return games a second: the best of some rounds, after one to warm up."""
    executor = SerialExecutor()
    executor.play(batch)
    return len(batch) / min(_time(executor.play, batch) for _ in range(ROUNDS))


def _plain_speed(reading: Reading, games: int) -> float:
    """Return the games per second of the rules in plain Python: the best of some rounds."""
    options = Options(players=SEATS)
    best = 0.0
    for _ in range(PLAIN_ROUNDS):
        start = time.perf_counter()
        for seed in range(games):
            play_game(options, seed, reading, Randomness(seed))
        best = max(best, games / (time.perf_counter() - start))
    return best


def _memory() -> Line:
    """Measure how much this process grows while it plays many games in one batch."""
    executor, process = SerialExecutor(), psutil.Process()
    packed = _rule_players("text")
    executor.play(_batch(packed, GAMES))
    gc.collect()
    before = process.memory_info().rss
    batch = _batch(packed, MANY_GAMES)
    results = executor.play(batch)
    growth = (process.memory_info().rss - before) / 2**20
    own = sum(array.nbytes for array in (*results.arrays, batch.pairings, batch.seeds))
    beside = growth - own / 2**20
    return Line(
        f"memory that {MANY_GAMES:,} games of rule players add",
        growth,
        "MiB",
        f"seats, seeds and results themselves: {own / 2**20:.1f} MiB",
        None,
        f"{GROWTH_TARGET:g} MiB beside",
        beside <= GROWTH_TARGET,
    )


def _two_workers() -> Line:
    games = 10 * GAMES
    batch = _batch(_rule_players("text"), games)
    with ProcessExecutor(1) as one, ProcessExecutor(2) as two:
        one.play(batch), two.play(batch)
        pairs = [(_time(one.play, batch), _time(two.play, batch)) for _ in range(ROUNDS)]
    single, seconds = (min(times) for times in zip(*pairs, strict=True))
    ratio = single / seconds
    text = f"one worker: {single:.3f} s; both the best of {ROUNDS}"
    name = f"two workers, {games:,} games of rule players"
    return Line(name, seconds, "s", text, ratio, "1.8x", ratio >= WORKERS_TARGET)


def _time(play: Callable[[Batch], Results], batch: Batch) -> float:
    start = time.perf_counter()
    play(batch)
    return time.perf_counter() - start
