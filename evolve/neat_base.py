"""The base of both engines of the method ``neat``: decoder, matches, champion, hall of fame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import inside_groups, random_opponents, round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import keep_members
from evolve_arena.evolve.memory import estimate_matches
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.neat_checks import GraphState
from evolve_arena.evolve.neat_figures import describe_graphs, report_graphs
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.genomes.limits import COPIES
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate

TWO_PLAYER_KEYS = {
    "matches.pairing": "matches.multiplayer.external_seats",
    "matches.opponents": "matches.multiplayer.deals",
    "method.finalists": "matches.multiplayer.finalists",
}
"""Recipe keys for two-player games, each with its replacement in multiplayer matches."""
CONNECTION_BYTES, NODE_BYTES = 25, 28
"""Bytes of a connection gene and of a node gene; see `evolve_arena.genomes.neat.population`."""


class NeatBase(Method[Any]):
    """Base of both engines; measures and compares graphs in matches."""

    config_type = NeatMethodConfig
    genome_kind = "graph"
    sections = ("matches", "variation", "neat")
    config: NeatMethodConfig
    decoder: Any

    def __init__(self, config: NeatMethodConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.evaluation = Evaluation(
            config, config.matches, decoder.game, config.neat.pop_size, TWO_PLAYER_KEYS
        )

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: NeatMethodConfig) -> Any:
        """Return the decoder of feed-forward graphs.

        Args:
            game: The game that graphs play.
            network: An instance of the model of `Method.network_section`.
            config: The settings, the section ``[neat]`` included.

        Raises:
            BadValueError: The recipe asks for recurrent graphs.
        """
        decoder: Any = super().make_decoder(game, network, config)
        if not config.neat.feed_forward:
            raise BadValueError(
                f"neat.feed_forward is false, but in {game.name} {decoder.why_feed_forward}:"
                " leave it out"
            )
        return decoder

    @property
    def population_size(self) -> int:
        """Number of individuals."""
        return self.config.neat.pop_size

    @classmethod
    def estimate_bytes(cls, config: NeatMethodConfig, decoder: Any) -> int:
        """Estimate the bytes of the matches and of a population of graphs of their initial size."""
        neat, count = config.neat, config.neat.pop_size
        hidden, ends = neat.num_hidden, neat.num_hidden + int(decoder.outputs)
        links = int(decoder.inputs) * ends + hidden * int(decoder.outputs) + ends
        graphs = COPIES * count * (links * CONNECTION_BYTES + ends * NODE_BYTES)
        matches, finalists = config.matches, min(config.finalists, count)
        everybody = matches.pairing != "random" or count <= matches.opponents
        pairs = max(count * (count if everybody else matches.opponents), finalists**2)
        return graphs + estimate_matches(matches, decoder.game, count, pairs)

    def pair(self, state: GraphState, purpose: str) -> Pairings:
        """Pair the genomes of a generation, as the recipe says."""
        config = self.config.matches
        individuals = len(state.population)
        if config.pairing == "round-robin":
            return round_robin(individuals)
        rng = derive_stream(state.seed, state.generation, f"pairing of {purpose}")
        pairings = random_opponents(individuals, config.opponents, rng)
        if config.pairing == "species":
            pairings = np.concatenate([pairings, inside_groups(state.species.members)])
        return pairings

    def evaluate(self, state: GraphState, arena: Arena) -> tuple[NDArray[np.float64], Report]:
        """Play the matches of a generation; return its fitness, and a report."""
        before = arena.games_played
        fitness, figures = self.evaluation.measure(arena, state, self.pair)
        games, neat = arena.games_played - before, self.config.neat
        return fitness, report_graphs(state, games, fitness, figures, neat, self.decoder.outputs)

    def find_fitness(self, state: GraphState, arena: Arena) -> NDArray[np.float64]:
        """Play a generation's matches, and return the fitness, shape ``(individuals,)``."""
        return self.evaluation.measure(arena, state, self.pair)[0]

    def remember(self, state: GraphState, fitness: NDArray[np.float64]) -> NeatPopulation:
        """Return the hall of fame after a generation, with its fittest if one is to enter."""
        config, hall = self.config.matches.hall_of_fame, state.hall
        stay = keep_members(config, len(hall), state.seed, state.generation)
        if stay is None:
            return hall
        return concatenate([hall.take(stay), state.population.take([int(np.argmax(fitness))])])

    def emigrants(self, state: GraphState, rows: NDArray[np.int64]) -> NeatPopulation:
        """Return copies of the genomes in these *rows*."""
        return state.population.take(rows)

    def champion(self, state: GraphState, arena: Arena) -> tuple[NeatPopulation, Report]:
        """Return the winner of a round robin of the fittest; see `Evaluation.find_champion`."""
        count = min(self.config.finalists, len(state.population))
        row, report = self.evaluation.find_champion(arena, state, self.pair, count)
        return state.population.take([row]), report

    def find_best(self, state: GraphState, arena: Arena) -> tuple[NeatPopulation, Report]:
        """Return the winner of a round robin of the whole population, without regard to species."""
        everybody = len(state.population)
        row, report = self.evaluation.find_champion(
            arena, state, lambda *_: round_robin(everybody), everybody
        )
        return state.population.take([row]), report

    def describe(self, state: GraphState) -> JsonObject:
        """Return the numbers of individuals and species, and the mean size of the networks."""
        return describe_graphs(state, self.decoder.outputs)
