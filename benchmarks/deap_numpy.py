"""The baseline: four-in-a-row evolution as a good user of DEAP and NumPy would write it.

One individual is one NumPy vector of 507 genes, a 42-10-7 policy network. A generation holds
200 tournaments of 7, each a round robin of single games; the winners of two successive ones
are crossed (uniformly) and mutated (Gaussian). Boards are Python integers, the forward pass
reuses its arrays, inputs are changed by one number a ply, and nothing is looked up twice.
"""

from __future__ import annotations

import random
import time

import numpy as np
from deap import base, creator, tools

from benchmarks.native import POLICY
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.pairings import round_robin
from evolve_arena.core.types import Array

__all__ = ["evolve", "measure", "measure_games"]

INDIVIDUALS = 100
TOURNAMENT_SIZE = 7
GENES = 507
CROSSOVER = 0.35
MUTATION = 0.015
STRENGTH = 0.5

COLUMNS, ROWS = 7, 6
CELLS = COLUMNS * ROWS
HEIGHT = ROWS + 1
FNV_START, FNV_PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF

Network = tuple[Array, Array, Array, Array]


def measure(seconds: float) -> float:
    """Return plies per second, on one core, matches alone; measured for about *seconds*."""
    return _measure(seconds)[0]


def measure_games(seconds: float) -> float:
    """Return games per second, on one core, matches alone; measured for about *seconds*."""
    return _measure(seconds)[1]


def _measure(seconds: float) -> tuple[float, float]:
    """Return plies and games per second of the first generations."""
    _check_games()
    counter = evolve(seconds)
    return counter.plies / counter.seconds, counter.games / counter.seconds


class Counter:
    """Totals over the matches of a run."""

    def __init__(self) -> None:
        self.games = 0
        self.plies = 0
        self.seconds = 0.0


def evolve(seconds: float, seed: int = 1) -> Counter:
    """Run generations until their matches have taken *seconds* together."""
    before = random.getstate()
    random.seed(seed)
    try:
        toolbox = _make_toolbox()
        counter = Counter()
        population = toolbox.population(n=INDIVIDUALS)
        while counter.seconds < seconds:
            population = _next_generation(population, toolbox, counter)
        return counter
    finally:
        random.setstate(before)


def _make_toolbox() -> base.Toolbox:
    if not hasattr(creator, "BoardPlayer"):
        creator.create("BoardFitness", base.Fitness, weights=(1.0,))
        creator.create("BoardPlayer", np.ndarray, fitness=creator.BoardFitness)
    toolbox = base.Toolbox()
    toolbox.register("gene", random.uniform, -1.0, 1.0)
    toolbox.register("individual", tools.initRepeat, creator.BoardPlayer, toolbox.gene, GENES)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("mate", tools.cxUniform, indpb=CROSSOVER)
    toolbox.register("mutate", tools.mutGaussian, mu=0.0, sigma=STRENGTH, indpb=MUTATION)
    return toolbox


def _next_generation(
    population: list[Array], toolbox: base.Toolbox, counter: Counter
) -> list[Array]:
    networks = [_make_network(individual) for individual in population]
    winners = []
    start = time.perf_counter()
    for _ in range(2 * INDIVIDUALS):
        members = random.sample(range(INDIVIDUALS), TOURNAMENT_SIZE)
        points = dict.fromkeys(members, 0.0)
        for place, first in enumerate(members):
            for second in members[place + 1 :]:
                outcome, plies, _ = play(networks[first], networks[second])
                points[first] += 0.5 + 0.5 * outcome
                points[second] += 0.5 - 0.5 * outcome
                counter.plies += plies
                counter.games += 1
        winners.append(max(members, key=points.__getitem__))
    counter.seconds += time.perf_counter() - start
    children = []
    for mother, father in zip(winners[::2], winners[1::2], strict=True):
        child, other = toolbox.clone(population[mother]), toolbox.clone(population[father])
        toolbox.mate(child, other)
        toolbox.mutate(child)
        children.append(child)
    return children


def _make_network(genome: Array) -> Network:
    """Return the weights and biases of both layers."""
    genes = np.asarray(genome, dtype=np.float32)
    return (
        np.ascontiguousarray(genes[:420].reshape(CELLS, 10)),
        np.ascontiguousarray(genes[420:430]),
        np.ascontiguousarray(genes[430:500].reshape(10, COLUMNS)),
        np.ascontiguousarray(genes[500:507]),
    )


_HIDDEN = np.zeros(10, dtype=np.float32)
_OUTPUT = np.zeros(COLUMNS, dtype=np.float32)
_ONE = np.float32(1.0)
_LOWEST = np.float32(-np.inf)


def play(first: Network, second: Network) -> tuple[int, int, int]:
    """Play a game; return 1, 0 or -1 for the first player, the plies, and a hash of the moves."""
    dot, exp, add, negative, divide = np.dot, np.exp, np.add, np.negative, np.divide
    hidden, output = _HIDDEN, _OUTPUT
    # What each player sees: 1 on its own discs, 2 on the other's, the top row first.
    own_view, other_view = np.zeros((2, CELLS), dtype=np.float32)
    mover, waiter = first, second
    own_discs = other_discs = 0
    free = [(ROWS - 1) * COLUMNS + column for column in range(COLUMNS)]
    full: list[int] = []
    game = FNV_START
    for ply in range(CELLS):
        weights, biases, last_weights, last_biases = mover
        dot(own_view, weights, out=hidden)
        add(hidden, biases, out=hidden)
        negative(hidden, out=hidden)
        exp(hidden, out=hidden)
        add(hidden, _ONE, out=hidden)
        divide(_ONE, hidden, out=hidden)
        dot(hidden, last_weights, out=output)
        add(output, last_biases, out=output)
        for column in full:
            output[column] = _LOWEST
        column = int(output.argmax())
        cell = free[column]
        free[column] = cell - COLUMNS
        if cell < COLUMNS:
            full.append(column)
        own_view[cell] = 1.0
        other_view[cell] = 2.0
        own_discs |= 1 << (column * HEIGHT + ROWS - 1 - cell // COLUMNS)
        game = (game ^ (column + 1)) * FNV_PRIME & WORD
        if _has_line(own_discs):
            return (-1 if ply & 1 else 1), ply + 1, game
        own_view, other_view = other_view, own_view
        own_discs, other_discs = other_discs, own_discs
        mover, waiter = waiter, mover
    return 0, CELLS, game


def _has_line(discs: int) -> bool:
    pairs = discs & discs >> 7
    if pairs & pairs >> 14:
        return True
    pairs = discs & discs >> 1
    if pairs & pairs >> 2:
        return True
    pairs = discs & discs >> 8
    if pairs & pairs >> 16:
        return True
    pairs = discs & discs >> 6
    return bool(pairs & pairs >> 12)


def _check_games() -> None:
    """Check that the baseline plays our kernel's games, but for sums that round differently."""
    genomes = POLICY.initialise(20, "uniform", np.random.default_rng(1))
    pairings = round_robin(len(genomes))
    seeds = np.zeros(len(pairings), dtype=np.uint64)
    ours = run_kernel(make_batch(POLICY.game, POLICY.pack(genomes), pairings, seeds)).game_hashes
    networks = [_make_network(genome) for genome in genomes]
    theirs = [play(networks[one], networks[other])[2] for one, other in pairings.tolist()]
    share = float(np.mean(ours == np.array(theirs, dtype=np.uint64)))
    if share < 0.95:
        raise RuntimeError(f"only {share:.0%} of the baseline's games are those of the kernel")
