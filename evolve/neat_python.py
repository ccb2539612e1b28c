"""The engine ``neat-python`` of the method ``neat``: that library breeds, the arena plays.

One step is one generation of ``neat.Population.run`` with the fitness that the matches gave. Its
objects are built from the state before the step, and converted to the next state after it, so that
a run resumed from a checkpoint is identical to one that was never stopped. Nothing is pickled, as
that would use up numbers of nodes and species. Python's global random generator is seeded for each
generation, and restored after it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.logs import LOG
from evolve_arena.core.seeding import derive_generator
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.neat_checks import find_other_graphs
from evolve_arena.evolve.neat_state import ExtinctionError
from evolve_arena.evolve.operators import seeded_global_random
from evolve_arena.genomes.neat.ini import import_neat_python, to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python, to_neat_python_genomes
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.neat.species import Species


@dataclass(frozen=True, eq=False)
class NeatPythonState:
    """Everything that the future of a run depends on.

    All else neat-python makes anew in each generation: the innovations of the generation,
    distances, fitness, and the order of a species' members.
    """

    seed: int
    generation: int
    population: NeatPopulation
    """The genomes in the order of neat-python's dictionary."""
    species: Species
    counters: Counters
    """The last numbers of genomes, nodes and innovations that were given out."""
    last_species: int
    """The last number of a species that was given out."""
    histories: NDArray[np.float64]
    """The fitness of each species in all generations so far, one species after the other."""
    history_start: NDArray[np.int64]
    """Where the history of each species begins, and the end; shape ``(species + 1,)``."""
    hall: NeatPopulation
    """The hall of fame, the oldest first."""


class NeatPython(Neat):
    """Lets neat-python breed graphs."""

    name = "neat-python"
    state_type = NeatPythonState
    migrates = False

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self._reporters: list[Any] = []
        self._config: Any = None

    def check_ready(self) -> None:
        """Make sure that neat-python is installed."""
        import_neat_python()

    def report_to(self, reporters: Sequence[Any]) -> None:
        """Report all generations that follow to *reporters* of neat-python."""
        self._reporters = list(reporters)

    def initial(self, seed: int) -> Any:
        """Return a random population, divided into species."""
        neat, config = import_neat_python(), self._make_config()
        config.genome_config.node_indexer = _Counter(self.decoder.outputs - 1)
        with seeded_global_random(derive_generator(seed, 0, "initialisation by neat-python")):
            population = neat.Population(config)
        population.reproduction.genome_indexer = _Counter(max(population.population))
        population.species.indexer = _Counter(max(population.species.species))
        return self._take_apart(seed, population, from_neat_python([]))

    def enter(self, state: Any, individuals: NeatPopulation) -> Any:
        """Refuse individuals of other runs, as neat-python manages species itself.

        Raises:
            BadValueError: Always.
        """
        raise BadValueError(
            "run.population: neat-python takes no players of other runs, method.engine = 'own' does"
        )

    def find_mismatch(self, state: Any) -> str | None:
        """Compare the arrays with each other and with the configuration."""
        ends = self.decoder.inputs, self.decoder.outputs
        fault = find_other_graphs(state, self.population_size, *ends)
        start, count = state.history_start, len(state.species)
        if not fault and (
            start.shape != (count + 1,)
            or start[0] != 0
            or start[-1] != len(state.histories)
            or np.any(np.diff(start) < 0)
        ):
            return "its histories are not those of its species"
        return fault

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Play one generation and let neat-python breed the next."""
        fitness, report = self.evaluate(state, arena)
        return self._breed(state, fitness), report

    def _breed(self, state: Any, fitness: NDArray[np.float64]) -> Any:
        neat, values = import_neat_python(), fitness.tolist()

        def assign(genomes: list[tuple[int, Any]], config: Any) -> None:
            for (_, genome), value in zip(genomes, values, strict=True):
                genome.fitness = value

        population = self._put_together(state)
        try:
            with seeded_global_random(derive_generator(state.seed, state.generation, self.name)):
                population.run(assign, 1)
        except neat.CompleteExtinctionException:
            raise ExtinctionError(state.generation) from None
        except (RuntimeError, ValueError) as error:
            raise ArenaError(
                f"neat-python can't breed generation {state.generation + 1} with"
                f" {len(state.species)} species: {' '.join(str(error).split())} (fewer species"
                " come of a higher neat.compatibility_threshold, and more room of smaller"
                " neat.min_species_size and neat.elitism)"
            ) from error
        return self._take_apart(state.seed, population, self.remember(state, fitness))

    def _make_config(self) -> Any:
        """Return the ``neat.Config``, whose counters the caller sets for each generation."""
        if self._config is None:
            config = to_neat_python(self.config.neat, self.decoder.inputs, self.decoder.outputs)
            config.no_fitness_termination, config.fitness_threshold = False, math.inf
            self._config = config
        return self._config

    def _put_together(self, state: Any) -> Any:
        """Return the ``neat.Population`` of a *state*."""
        neat, config = import_neat_python(), self._make_config()
        config.genome_config.node_indexer = _Counter(state.counters.node)
        genomes = to_neat_python_genomes(state.population)
        species_set = config.species_set_type(config.species_set_config, None)
        species_set.indexer = _Counter(state.last_species)
        for row, key in enumerate(state.species.keys.tolist()):
            species = neat.species.Species(key, int(state.species.created[row]))
            species.last_improved = int(state.species.improved[row])
            first, end = state.history_start[row : row + 2]
            species.fitness_history = state.histories[first:end].tolist()
            chosen = genomes[state.species.representative[row]]
            members = [genomes[place] for place in np.flatnonzero(state.species.members == row)]
            members.sort(key=lambda genome: (genome is not chosen, genome.key))
            species.update(chosen, {genome.key: genome for genome in members})
            species_set.species[key] = species
            species_set.genome_to_species |= dict.fromkeys(species.members, key)
        everybody = {genome.key: genome for genome in genomes}
        population = neat.Population(config, (everybody, species_set, state.generation))
        reproduction = population.reproduction
        reproduction.genome_indexer = _Counter(state.counters.genome)
        reproduction.innovation_tracker.global_counter = state.counters.innovation
        counters = config.genome_config.node_indexer, species_set.indexer
        for reporter in (_Log(), *self._reporters):
            population.add_reporter(_Shielded(reporter, counters))
        return population

    def _take_apart(self, seed: int, population: Any, hall: NeatPopulation) -> NeatPythonState:
        """Return the state of a ``neat.Population`` after its step."""
        rows = {key: row for row, key in enumerate(population.population)}
        species = [each for _, each in sorted(population.species.species.items())]
        members = np.full(len(rows), -1, dtype=np.int32)
        for place, each in enumerate(species):
            members[[rows[key] for key in each.members]] = place
        histories = [each.fitness_history for each in species]
        return NeatPythonState(
            seed=seed,
            generation=population.generation,
            population=from_neat_python(list(population.population.values())),
            species=Species(
                keys=np.array([each.key for each in species], dtype=np.int64),
                created=np.array([each.created for each in species], dtype=np.int64),
                improved=np.array([each.last_improved for each in species], dtype=np.int64),
                representative=np.array([rows[each.representative.key] for each in species]),
                members=members,
            ),
            counters=Counters(
                genome=population.reproduction.genome_indexer.last,
                node=population.config.genome_config.node_indexer.last,
                innovation=population.reproduction.innovation_tracker.global_counter,
            ),
            last_species=population.species.indexer.last,
            histories=np.array([value for each in histories for value in each], dtype=np.float64),
            history_start=np.array([0, *accumulate(map(len, histories))], dtype=np.int64),
            hall=hall,
        )


class _Counter:
    """An iterator over the numbers after *last*, which can be read and set."""

    def __init__(self, last: int) -> None:
        self.last = last

    def __next__(self) -> int:
        self.last += 1
        return self.last


class _Log:
    """A reporter that writes to the log."""

    def info(self, text: str) -> None:
        LOG.info("neat-python: %s", text)

    def species_stagnant(self, key: int, species: Any) -> None:
        LOG.info("neat-python: species %d with %d members stagnated", key, len(species.members))

    def complete_extinction(self) -> None:
        LOG.info("neat-python: all species are extinct")

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


class _Shielded:
    """A reporter that can't change the run, even if it draws or pickles (`neat.Checkpointer`)."""

    def __init__(self, reporter: Any, counters: Sequence[_Counter]) -> None:
        self._reporter = reporter
        self._counters = counters

    def __getattr__(self, name: str) -> Callable[..., None]:
        call = getattr(self._reporter, name)

        def report(*values: Any) -> None:
            chance, numbers = random.getstate(), [counter.last for counter in self._counters]
            try:
                call(*values)
            finally:
                random.setstate(chance)
                for counter, number in zip(self._counters, numbers, strict=True):
                    counter.last = number

        return report
