"""The method ``neat``: networks whose structure grows, in species that share their fitness.

The loop (Stanley and Miikkulainen 2002, with neat-python's keys and defaults):

1. Evaluation: all genomes play matches; their fitness is the share of points.
2. Stagnation: species that have not improved for ``max_stagnation`` generations are removed.
3. Selection: the mean fitness of a species decides how many children its fittest members have.
4. Crossover and mutation: genes of the same innovation number are crossed; weights, nodes and
   connections change.
5. Elitism: the ``elitism`` fittest of each species live on unchanged.
6. Speciation: genomes are divided by their distance from a member of each species; go to 1.

With ``method.engine = "neat-python"`` that library does steps 2 to 6; see `evolve.neat_python`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.neat_base import NeatBase
from evolve_arena.evolve.neat_checks import find_other_graphs
from evolve_arena.evolve.neat_state import Founder, NeatState
from evolve_arena.evolve.operators import make_selection
from evolve_arena.evolve.reproduction import plan_children
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.evolve.stagnation import assess, make_judges, summarise_species
from evolve_arena.genomes.neat.breeding import breed
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.neat.species import stagnant


class Neat(NeatBase):
    """Evolves weights and structure of networks, in species."""

    name = "neat"
    instead: ClassVar[Mapping[str, str]] = {
        "network.hidden": "neat.num_hidden for the hidden nodes that networks begin with",
        "network.activation": "neat.activation_default and neat.activation_options",
        "method.individuals": "neat.pop_size",
        "method.initialisation": "neat.weight_init_type and neat.weight_init_stdev",
        "variation.elites": "neat.elitism",
        "variation.mutation_probability": "neat.weight_mutate_rate",
        "variation.step_size": "neat.weight_mutate_power",
    }
    state_type: type[Any] = NeatState
    migrates = True
    individuals_type = NeatPopulation

    def __new__(cls, config: NeatMethodConfig, decoder: Any) -> Neat:
        """Make the method, or its subclass if neat-python breeds."""
        if config.engine == "neat-python":
            from evolve_arena.evolve.neat_python import NeatPython

            return object.__new__(NeatPython)
        return object.__new__(cls)

    def __init__(self, config: NeatMethodConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self._select = make_selection(
            config.variation.selection,
            "variation.selection",
            size=config.tournament_size,
            tournsize=config.tournament_size,
            share=config.neat.survival_threshold,
        )
        self.judges = make_judges(config.stagnation, decoder.game)

    @property
    def founder(self) -> Founder:
        """Maker of populations and species on this island."""
        return Founder(self.config.neat, self.decoder.inputs, self.decoder.outputs, self.island)

    def initial(self, seed: int) -> NeatState:
        """Return a random population, divided into species."""
        return self.founder.found(seed)

    def find_mismatch(self, state: NeatState) -> str | None:
        """Compare the arrays with each other and with the configuration."""
        ends = self.decoder.inputs, self.decoder.outputs
        fault = find_other_graphs(state, self.population_size, *ends, state.species_best)
        count = len(state.species)
        if not fault and (len(state.species_best) != count or state.best_scores.shape != (count,)):
            return "its records are not those of its species"
        return fault

    def step(self, state: NeatState, arena: Arena) -> tuple[NeatState, Report]:
        """Play one generation and breed the next."""
        neat, seed, now = self.config.neat, state.seed, state.generation
        games = arena.games_played

        # Evaluation
        fitness, report = self.evaluate(state, arena)
        hall = self.remember(state, fitness)

        # Stagnation
        state = self._note_records(state, fitness, arena)
        report = replace(report, games=arena.games_played - games)
        standing = summarise_species(fitness, state.species.members, neat.species_fitness_func)
        ending = stagnant(state.species, now, standing, neat.max_stagnation, neat.species_elitism)
        if ending.all():
            return replace(self.founder.found_again(state), hall=hall), report

        # Selection
        elites, parents = plan_children(
            *(neat, state.species.take(~ending), state.population.keys, fitness),
            *(standing[~ending], derive_generator(seed, now, "parents"), self._select),
        )

        # Crossover and mutation
        children, counters = breed(
            neat,
            state.population,
            parents,
            fitness,
            inputs=self.decoder.inputs,
            outputs=self.decoder.outputs,
            seed=int(derive_stream(seed, now, "variation")[0]),
            counters=state.counters,
        )

        # Elitism
        population = concatenate([state.population.take(elites), children])

        # Speciation; where there is no room for all species, some have neither elites nor children
        going_on = np.zeros(len(state.species), dtype=np.bool_)
        going_on[state.species.members[np.concatenate([elites, parents.ravel()])]] = True
        species = state.species.take(going_on)
        after = replace(
            state,
            generation=now + 1,
            population=population,
            species=species,
            counters=counters,
            species_best=state.species_best.take(np.flatnonzero(going_on)),
            best_scores=state.best_scores[going_on],
            hall=hall,
        )
        return self.founder.divide(after, state.population.take(species.representative)), report

    def _note_records(
        self, state: NeatState, fitness: NDArray[np.float64], arena: Arena
    ) -> NeatState:
        """Return the *state* with each species' best genome, best score and last improvement."""
        found = assess(
            self.config.stagnation,
            state,
            fitness,
            arena,
            self.judges,
            self.config.neat.species_fitness_func,
        )
        improved = np.where(found.improved, state.generation, state.species.improved)
        species = replace(state.species, improved=improved)
        return replace(
            state, species=species, species_best=found.species_best, best_scores=found.best_scores
        )

    def immigrate(
        self, state: NeatState, rows: NDArray[np.int64], immigrants: NeatPopulation
    ) -> NeatState:
        """Return the state with *immigrants*, renumbered for this island, and divided into species.

        Args:
            state: State of the population that they join.
            rows: Rows of the genomes that give way, shape ``(immigrants,)``.
            immigrants: Genomes numbered as in the populations that they come from.
        """
        return self.founder.immigrate(state, rows, immigrants)

    def enter(self, state: NeatState, individuals: NeatPopulation) -> NeatState:
        """Return the initial *state* with *individuals* of other runs; see `Founder.enter`."""
        return self.founder.enter(state, individuals)
