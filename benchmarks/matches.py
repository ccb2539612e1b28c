"""Speed of matches: against DEAP with NumPy, against C, on one core and on two."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks import deap_numpy, native
from benchmarks.line import Line
from benchmarks.native import POLICY, VALUE
from evolve_arena.arena.batch import Batch, Results, make_batch
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.arena.pairings import both_colours, round_robin
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import make_random

__all__ = ["measure"]

PLIES_TARGET = 10e6
RANDOM_TARGET = 4e6
BASELINE_SECONDS = 5.0
POLICY_REPEATS, VALUE_REPEATS, WORKER_REPEATS, RANDOM_GAMES = 10, 4, 40, 1_000_000
ROUNDS, WORKER_ROUNDS = 7, 15
SMALL = {
    "BASELINE_SECONDS": 0.1,
    "POLICY_REPEATS": 1,
    "VALUE_REPEATS": 1,
    "WORKER_REPEATS": 1,
    "RANDOM_GAMES": 1000,
    "ROUNDS": 1,
    "WORKER_ROUNDS": 1,
}


def measure() -> Iterator[Line]:
    """Yield all lines about matches."""
    baseline = deap_numpy.measure(BASELINE_SECONDS)
    plies, games = _speed(_networks(POLICY, POLICY_REPEATS))
    yield Line(
        "42-10-7 policy networks, one core",
        plies / 1e6,
        "million plies/s",
        f"DEAP + NumPy: {baseline:,.0f} plies/s",
        plies / baseline,
        "100x, 10 million",
        plies / baseline >= 100 and plies >= PLIES_TARGET,
    )
    yield Line("the same, games", games / 1e6, "million games/s")
    yield from _against_native("42-10-7", plies, native.measure())
    for stage, nanoseconds in native.measure_stages().items():
        yield Line(f"42-10-7 in C, {stage}", nanoseconds, "ns")
    plies, games = _speed(_networks(VALUE, VALUE_REPEATS))
    yield Line("84-16-1 value networks, one core", plies / 1e6, "million plies/s")
    yield from _against_native("84-16-1", plies, native.measure_value())
    plies, games = _speed(_random(RANDOM_GAMES))
    yield Line(
        "random games, one core",
        games / 1e6,
        "million games/s",
        "4 million",
        games / RANDOM_TARGET,
        "4 million",
        games >= RANDOM_TARGET,
    )
    yield _two_workers()


def _against_native(name: str, plies: float, nanoseconds: float | None) -> Iterator[Line]:
    if nanoseconds is None:
        yield Line(f"{name}, time per ply", 1e9 / plies, "ns", "no C compiler here")
        return
    yield Line(
        f"{name}, time per ply",
        1e9 / plies,
        "ns",
        f"the same loop in hand-tuned C: {nanoseconds:.1f} ns",
        nanoseconds * plies / 1e9,
    )


def _two_workers() -> Line:
    batch = _networks(POLICY, WORKER_REPEATS)
    with ProcessExecutor(1) as one, ProcessExecutor(2) as two:
        one.play(batch), two.play(batch)
        pairs = [(_time(one.play, batch), _time(two.play, batch)) for _ in range(WORKER_ROUNDS)]
    single, seconds = (min(times) for times in zip(*pairs, strict=True))
    ratio = single / seconds
    text = f"one worker: {single:.3f} s; both the best of {WORKER_ROUNDS}"
    return Line(
        f"two workers, {len(batch):,} games", seconds, "s", text, ratio, "1.8x", ratio >= 1.8
    )


def _networks(decoder: NetworkDecoder, repeats: int) -> Batch:
    genomes = decoder.initialise(100, "uniform", np.random.default_rng(1))
    return _batch(decoder.game, decoder.pack(genomes), repeats)


def _random(matches: int) -> Batch:
    pairings = np.zeros((matches, 2), dtype=np.int32)
    seeds = derive_seeds(1, 0, "benchmark", matches)
    game = make_game("connect-four")
    return make_batch(game, make_random(game).packed, pairings, seeds)


def _batch(game: AnyGame, packed: PackedPlayers, repeats: int) -> Batch:
    pairings = np.tile(both_colours(round_robin(len(packed.seats))), (repeats, 1))
    return make_batch(game, packed, pairings, derive_seeds(1, 0, "benchmark", len(pairings)))


def _speed(batch: Batch) -> tuple[float, float]:
    """Return plies and games a second: the best of some rounds, after one to warm up."""
    executor = SerialExecutor()
    results = executor.play(batch)
    seconds = min(_time(executor.play, batch) for _ in range(ROUNDS))
    return float(results.plies.sum()) / seconds, len(batch) / seconds


def _time(play: Callable[[Batch], Results], batch: Batch) -> float:
    start = time.perf_counter()
    play(batch)
    return time.perf_counter() - start
