"""Players of every kind of network that is exported, with random weights.

``POSITIONS=10000`` in the environment compares them in so many positions at least, in hours.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

import numpy as np

from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import Game
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Move, State
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.networks import GraphDecoder
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.packed import combine_players


def make_evolved(game: str, network: str, seed: int = 0, **settings: object) -> EvolvedPlayer:
    """Make a player of *game* with the *network* of that name in its `GameSpec`."""
    decoder = find_game(game).networks[network].decoder_type(**settings)
    rng = np.random.default_rng(seed)
    if hasattr(decoder, "why_feed_forward"):
        return decoder.player(grow(decoder, seed), "grown")  # type: ignore[no-any-return]
    if hasattr(decoder, "draw"):
        cells = decoder.draw(rng)
        numbers = rng.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
        tables = TuplePopulation(cells[None], numbers[None])
        return decoder.player(tables, "tables")  # type: ignore[no-any-return]
    genome = decoder.initialise(1, "uniform", rng)[0]
    return decoder.player(genome, "weights")  # type: ignore[no-any-return]


def compile_together(players: Sequence[EvolvedPlayer]) -> None:
    """Compile the kernel once for all *players* of a game, instead of for each kind of them."""
    game = players[0].game
    find_variant(
        find_game(game.name), game.rules, combine_players([each.packed for each in players])
    )


def grow(decoder: GraphDecoder, seed: int, config: NeatConfig | None = None) -> NeatPopulation:
    """Return a genome after fifty mutations."""
    config = config or NeatConfig(pop_size=2, num_hidden=3)
    sizes = {"inputs": decoder.inputs, "outputs": decoder.outputs}
    population, counters = create(config, **sizes, seed=seed)
    for number in range(50):
        population, counters = mutate(
            config, population, **sizes, seed=1000 * seed + number, counters=counters
        )
    return population.take([0])


LEAST_POSITIONS = int(os.environ.get("POSITIONS", "0"))
"""Least number of positions to compare, from the environment."""


def random_positions(game: Game[State, Move], count: int, seed: int = 0) -> list[State]:
    """Return unfinished positions of random games, shuffled."""
    count = max(count, LEAST_POSITIONS)
    chance = random.Random(seed)
    positions: list[State] = []
    while len(positions) < 2 * count:
        position = game.initial(chance.randrange(1 << 30))
        while moves := game.legal_moves(position):
            positions.append(position)
            position = game.play(position, chance.choice(moves))
    chance.shuffle(positions)
    return positions[:count]
