"""The state of the method ``neat``: first population, division into species, immigrants."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.seeding import derive_stream
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.numbering import SPANS, Counters, highest_own, number_like
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.neat.species import Species, speciate

_NOTHING = np.zeros(0, dtype=np.int64)
_NO_SPECIES = Species(_NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING.astype(np.int32))


class ExtinctionError(ArenaError):
    """All species have stagnated, and the recipe asks for no new population."""

    def __init__(self, generation: int) -> None:
        super().__init__(
            f"all species have stagnated by generation {generation}, and no new"
            " population takes over: the recipe could set neat.reset_on_extinction, spare"
            " some species (neat.species_elitism) or wait longer (neat.max_stagnation)"
        )


@dataclass(frozen=True, eq=False)
class NeatState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NeatPopulation
    species: Species
    counters: Counters
    """The last numbers of genomes, nodes and innovations that were given out."""
    last_species: int
    """The last number of a species that was given out."""
    species_best: NeatPopulation = field(metadata={"stored": "records"})
    """The best genome that each species had so far."""
    best_scores: NDArray[np.float64] = field(metadata={"finite": False, "stored": "marks"})
    """The best score that each species reached, shape ``(species,)``; see `StagnationConfig`. A new
    species has minus infinity."""
    hall: NeatPopulation
    """The hall of fame, the oldest first."""


class Founder:
    """Makes populations and divides them into species.

    Args:
        config: The section ``[neat]``.
        inputs: Inputs of the networks.
        outputs: Outputs of the networks.
        island: Number of the island, each of which gives out numbers of its own.
    """

    def __init__(self, config: NeatConfig, inputs: int, outputs: int, island: int) -> None:
        self.config = config
        self.inputs, self.outputs = inputs, outputs
        self.island = island

    def found(
        self, seed: int, generation: int = 0, last_genome: int = 0, last_species: int = 0
    ) -> NeatState:
        """Return a random population, divided into species.

        Args:
            seed: The run's seed.
            generation: Number of the generation that the population begins.
            last_genome: The last number of a genome that was given out; 0 for none.
            last_species: The last number of a species that was given out; 0 for none.
        """
        rng = derive_stream(seed, generation, "initialisation")
        first = Counters(*(self.island * span for span in SPANS))
        population, counters = create(
            self.config,
            self.inputs,
            self.outputs,
            int(rng[0]),
            last_genome=max(last_genome, first.genome),
        )
        none = population.take([])
        state = NeatState(
            seed=seed,
            generation=generation,
            population=population,
            species=_NO_SPECIES,
            counters=Counters(*map(max, counters, first)),
            last_species=last_species,
            species_best=none,
            best_scores=np.zeros(0),
            hall=none,
        )
        return self.divide(state, none)

    def found_again(self, state: NeatState) -> NeatState:
        """Return a random population after *state*, whose species have all stagnated.

        Numbers of nodes and connections start over, as older genomes, in the hall of fame, are only
        played against. Numbers of genomes and species continue.

        Raises:
            ExtinctionError: The recipe asks for no new population.
        """
        if not self.config.reset_on_extinction:
            raise ExtinctionError(state.generation)
        return self.found(
            state.seed, state.generation + 1, state.counters.genome, state.last_species
        )

    def divide(self, state: NeatState, representatives: NeatPopulation) -> NeatState:
        """Return the *state* divided into species, which replace those of the generation before."""
        species = speciate(
            state.population,
            representatives,
            state.species,
            generation=state.generation,
            last_key=state.last_species,
            compatibility_threshold=self.config.compatibility_threshold,
            disjoint_coefficient=self.config.compatibility_disjoint_coefficient,
            weight_coefficient=self.config.compatibility_weight_coefficient,
        )
        # A new species begins with its first member as record, and no best figure.
        kept = np.flatnonzero(np.isin(state.species.keys, species.keys))
        founded = species.representative[len(kept) :]
        return replace(
            state,
            species=species,
            last_species=max(state.last_species, int(species.keys[-1])),
            species_best=concatenate(
                [state.species_best.take(kept), state.population.take(founded)]
            ),
            best_scores=np.concatenate([state.best_scores[kept], np.full(len(founded), -np.inf)]),
        )

    def immigrate(
        self, state: NeatState, rows: NDArray[np.int64], immigrants: NeatPopulation
    ) -> NeatState:
        """Return the state with *immigrants*, renumbered for this island, and divided into species.

        Args:
            state: State of the population that they join.
            rows: Rows of the genomes that give way, all different, shape ``(immigrants,)``.
            immigrants: Genomes with the numbers of their own population; see
                `numbering.number_like`.
        """
        population, last = state.population, state.counters
        keys = last.genome + 1 + np.arange(len(immigrants))
        innovation, newest = number_like(population, immigrants, last.innovation)
        order = np.arange(len(population))
        order[rows] = len(population) + np.arange(len(immigrants))
        arrived = replace(immigrants, keys=keys, innovation=innovation)
        changed = replace(
            state,
            population=concatenate([population, arrived]).take(order),
            counters=Counters(int(keys[-1]), last.node, newest),
        )
        return self.divide(changed, population.take(state.species.representative))

    def enter(self, state: NeatState, individuals: NeatPopulation) -> NeatState:
        """Return the initial *state* with *individuals* of other runs, whose numbers it continues.

        Connections between the same nodes get the same number; hidden nodes of several runs with
        the same number are treated as the same node.
        """
        last = state.counters
        node = highest_own(individuals.node_key, last.node, SPANS.node)
        innovation = highest_own(individuals.innovation, last.innovation, SPANS.innovation)
        counters = Counters(last.genome, max(last.node, node), max(last.innovation, innovation))
        rows = np.arange(len(individuals))
        return self.immigrate(replace(state, counters=counters), rows, individuals)
