"""Speed of NEAT on Connect Four: against neat-python playing the same pairings.

The baseline is what a good user of neat-python would write: its `Population` does all that it
can, and its fitness function lets the individuals play each other with its own networks, on
boards that are Python integers.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import neat
import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.arena import Arena, run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.pairings import both_colours, random_opponents
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.settings.neat import NeatMatchesConfig, NeatMethodConfig
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python

__all__ = ["measure"]

TARGET = 5.0
OPPONENTS = 10
GENERATIONS = 3
OUR_GENERATIONS = 30
SMALL = {"OPPONENTS": 2, "GENERATIONS": 2, "OUR_GENERATIONS": 1}
COLUMNS, ROWS = 7, 6
CELLS = COLUMNS * ROWS
HEIGHT = ROWS + 1
FNV_START, FNV_PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF

CONFIG = NeatConfig(pop_size=150)
DECODER = find_game("connect-four").networks["graph"].decoder_type(head="policy", encoding="signed")


def measure() -> Iterator[Line]:
    """Yield all lines about generations."""
    before = random.getstate()
    random.seed(1)
    try:
        theirs = _TheirRun()
        theirs.population.run(theirs.play, GENERATIONS)
    finally:
        random.setstate(before)
    method = Neat(
        NeatMethodConfig(neat=CONFIG, matches=NeatMatchesConfig(opponents=OPPONENTS)), DECODER
    )
    arena = Arena(DECODER, SerialExecutor())
    state = method.step(method.initial(1), arena)[0]
    arena.executor.seconds = 0.0
    start = time.perf_counter()
    for _ in range(OUR_GENERATIONS):
        state, _ = method.step(state, arena)
    each = (time.perf_counter() - start) / OUR_GENERATIONS
    matches = arena.executor.seconds / OUR_GENERATIONS
    yield Line(
        "NEAT, 150 individuals, one generation",
        1e3 * each,
        "ms",
        f"neat-python: {theirs.seconds:.2f} s",
        theirs.seconds / each,
        "5x",
        theirs.seconds / each >= TARGET,
    )
    rest = theirs.seconds - theirs.playing
    yield Line(
        "the same without the matches",
        1e3 * (each - matches),
        "ms",
        f"neat-python: {1e3 * rest:.0f} ms",
        rest / (each - matches),
    )


class _TheirRun:
    """A run of neat-python, and how long its generations take."""

    def __init__(self) -> None:
        config = to_neat_python(CONFIG, DECODER.inputs, DECODER.outputs)
        self.population = neat.Population(config)
        self.generation = 0
        self.starts: list[float] = []
        self.played: list[float] = []

    @property
    def seconds(self) -> float:
        """Seconds of a generation, from the start of its matches to that of the next ones."""
        return (self.starts[-1] - self.starts[0]) / (len(self.starts) - 1)

    @property
    def playing(self) -> float:
        """Seconds of a generation's matches."""
        return sum(self.played[:-1]) / (len(self.played) - 1)

    def play(self, genomes: list[tuple[int, neat.DefaultGenome]], config: neat.Config) -> None:
        """Set each genome's fitness: its share of points against random others, in both colours."""
        self.starts.append(time.perf_counter())
        networks = [neat.nn.FeedForwardNetwork.create(genome, config) for _, genome in genomes]
        pairings = random_opponents(len(genomes), OPPONENTS, new_stream(self.generation))
        met = both_colours(pairings).tolist()
        points, hashes = [0.0] * len(genomes), []
        for first, second in met:
            outcome, game = _play(networks[first], networks[second])
            points[first] += 0.5 + 0.5 * outcome
            points[second] += 0.5 - 0.5 * outcome
            hashes.append(game)
        for (_, genome), won in zip(genomes, points, strict=True):
            genome.fitness = won / (2 * OPPONENTS)
        self.played.append(time.perf_counter() - self.starts[-1])
        _check_games([genome for _, genome in genomes], met, hashes)
        self.generation += 1


def _check_games(
    genomes: list[neat.DefaultGenome], met: list[list[int]], hashes: list[int]
) -> None:
    """Check that our kernel plays the very games of the baseline."""
    packed = DECODER.pack(from_neat_python(genomes))
    seeds = np.zeros(len(met), dtype=np.uint64)
    batch = make_batch(DECODER.game, packed, np.array(met, dtype=np.int32), seeds)
    if run_kernel(batch).game_hashes.tolist() != hashes:
        raise RuntimeError("the kernel does not play the games of neat-python's networks")


def _play(first: neat.nn.FeedForwardNetwork, second: neat.nn.FeedForwardNetwork) -> tuple[int, int]:
    """Play a game; return 1, 0 or -1 for the first player, and a hash of the moves."""
    own_view, other_view = [0.0] * CELLS, [0.0] * CELLS
    mover, waiter = first, second
    own_discs = other_discs = 0
    free = [(ROWS - 1) * COLUMNS + column for column in range(COLUMNS)]
    game = FNV_START
    for ply in range(CELLS):
        outputs = mover.activate(own_view)
        open_columns = [column for column in range(COLUMNS) if free[column] >= 0]
        column = max(open_columns, key=outputs.__getitem__)
        cell = free[column]
        free[column] = cell - COLUMNS
        own_view[cell], other_view[cell] = 1.0, -1.0
        own_discs |= 1 << (column * HEIGHT + ROWS - 1 - cell // COLUMNS)
        game = (game ^ (column + 1)) * FNV_PRIME & WORD
        if _has_line(own_discs):
            return (-1 if ply & 1 else 1), game
        own_view, other_view = other_view, own_view
        own_discs, other_discs = other_discs, own_discs
        mover, waiter = waiter, mover
    return 0, game


def _has_line(discs: int) -> bool:
    for step in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False
