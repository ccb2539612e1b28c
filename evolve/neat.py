"""The method ``neat``: networks whose structure grows, in species that share their fitness.

Genomes, species and reproduction are those of Stanley and Miikkulainen (2002) with
neat-python's configuration keys and defaults; fitness comes from matches in the arena. Who
would rather have neat-python itself breed them sets `method.engine`; see
:mod:`evolve_arena.evolve.neat_python`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import inside_groups, random_opponents, round_robin
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import (
    describe_fitness,
    keep_members,
)
from evolve_arena.evolve.memory import estimate_matches
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.operators import make_selection
from evolve_arena.evolve.reproduction import plan_children
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.evolve.stagnation import judge, make_judges, summarise_species
from evolve_arena.genomes.limits import COPIES
from evolve_arena.genomes.neat.breeding import breed
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.faults import find_faults
from evolve_arena.genomes.neat.numbering import (
    MOST_ISLANDS,
    SPANS,
    Counters,
    highest_own,
    number_like,
)
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.neat.species import Species, speciate, stagnant

_NOTHING = np.zeros(0, dtype=np.int64)
_NO_SPECIES = Species(_NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING.astype(np.int32))
FOR_PAIRS = {
    "matches.pairing": "matches.multiplayer.external_seats",
    "matches.opponents": "matches.multiplayer.deals",
    "method.finalists": "matches.multiplayer.finalists",
}
"""Keys of games for two, and the ones that say the like in multiplayer matches."""
CONNECTION_BYTES, NODE_BYTES = 25, 28
"""What genes take; see `evolve_arena.genomes.neat.population`."""
SAMPLE = 16
"""How many genomes the diversity is measured among."""


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
    records: NeatPopulation
    """The best genome that each species had so far."""
    marks: NDArray[np.float64] = field(metadata={"finite": False})
    """The best figure that each species reached, shape ``(species,)``; see `StagnationConfig`.
    That of a new one is minus infinity."""
    hall: NeatPopulation
    """The hall of fame, the oldest first."""


class Neat(Method[NeatState]):
    """Breeds graphs."""

    name = "neat"
    config_type = NeatMethodConfig
    genome_kind = "graph"
    sections = ("matches", "variation", "neat")
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
    migrates: ClassVar[bool] = True
    individuals_type = NeatPopulation
    config: NeatMethodConfig
    decoder: Any

    def __new__(cls, config: NeatMethodConfig, decoder: Any) -> Neat:
        """The method, or its subclass if neat-python breeds."""
        if config.engine == "neat-python":
            from evolve_arena.evolve.neat_python import NeatPython

            return object.__new__(NeatPython)
        return object.__new__(cls)

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: NeatMethodConfig) -> Any:
        """Feed-forward graphs.

        Raises:
            BadValueError: Recurrent graphs are asked for.
        """
        decoder: Any = super().make_decoder(game, network, config)
        if not config.neat.feed_forward:
            raise BadValueError(
                f"neat.feed_forward is false, but in {game.name} {decoder.why_feed_forward}:"
                " leave it out"
            )
        return decoder

    def __init__(self, config: NeatMethodConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.evaluation = Evaluation(
            config, config.matches, decoder.game, config.neat.pop_size, FOR_PAIRS
        )
        self._select = make_selection(
            config.variation.selection,
            "variation.selection",
            size=config.tournament_size,
            tournsize=config.tournament_size,
            share=config.neat.survival_threshold,
        )
        self.judges = make_judges(config.stagnation, decoder.game)

    @property
    def population_size(self) -> int:
        """Number of individuals."""
        return self.config.neat.pop_size

    @classmethod
    def estimate_bytes(cls, config: NeatMethodConfig, decoder: Any) -> int:
        """A population of graphs as large as the first ones are, and the matches."""
        neat, count = config.neat, config.neat.pop_size
        hidden, ends = neat.num_hidden, neat.num_hidden + int(decoder.outputs)
        links = int(decoder.inputs) * ends + hidden * int(decoder.outputs) + ends
        matches, finalists = config.matches, min(config.finalists, count)
        everybody = matches.pairing != "random" or count <= matches.opponents
        pairs = max(count * (count if everybody else matches.opponents), finalists**2)
        bred = COPIES * count * (links * CONNECTION_BYTES + ends * NODE_BYTES)
        return bred + estimate_matches(matches, decoder.game, count, pairs)

    def initial(self, seed: int) -> NeatState:
        """A random population, divided into species."""
        return self._found(seed, 0, 0, 0)

    def find_mismatch(self, state: NeatState) -> str | None:
        """Compares the arrays with each other and with the configuration."""
        count = len(state.species)
        fault = self._find_mismatch(state, state.records)
        if not fault and (len(state.records) != count or state.marks.shape != (count,)):
            return "its records are not those of its species"
        return fault

    def _find_mismatch(self, state: Any, *more: NeatPopulation) -> str | None:
        """What is wrong with what the states of all engines have, and with *more* genomes."""
        genomes = state.population, *more, state.hall
        fault: str | None = state.species.find_fault(len(state.population))
        fault = next(filter(None, (each.find_fault() for each in genomes)), fault)
        if not fault and state.species.members.min(initial=0) < 0:
            fault = "a genome belongs to no species"
        if fault:
            return fault
        if len(state.population) != self.config.neat.pop_size:
            return f"it has {len(state.population)} genomes, not {self.config.neat.pop_size}"
        unfit = map(self._find_unfit, genomes)
        return next(filter(None, unfit), None) or _find_wrong_numbers(state)

    def _find_unfit(self, population: NeatPopulation) -> str | None:
        """Why the genomes can't be those of the decoder; None if they can."""
        inputs, outputs = self.decoder.inputs, self.decoder.outputs
        if population.source.min(initial=0) < -inputs:
            return f"its genomes have more than {inputs} inputs"
        first = population.node_start[:-1, None] + np.arange(outputs)
        if np.any(np.diff(population.node_start) < outputs) or np.any(
            population.node_key[first] != np.arange(outputs)
        ):
            return f"its genomes do not have {outputs} outputs"
        return find_faults(population, inputs, outputs, feed_forward=True)

    def step(self, state: NeatState, arena: Arena) -> tuple[NeatState, Report]:
        """Plays one generation and breeds the next."""
        before = arena.games
        fitness, figures = self.evaluation.measure(arena, state, self._pair)
        judgement = judge(
            self.config.stagnation,
            state,
            fitness,
            arena,
            self.judges,
            self.config.neat.species_fitness_func,
        )
        improved = np.where(judgement.improved, state.generation, state.species.improved)
        judged = replace(
            state,
            species=replace(state.species, improved=improved),
            records=judgement.records,
            marks=judgement.marks,
        )
        report = self._report(state, arena.games - before, fitness, figures)
        return self._breed(judged, fitness), report

    def champion(self, state: Any, arena: Arena) -> tuple[NeatPopulation, Report]:
        """The winner of a round robin of the fittest; see `Evaluation.find_champion`."""
        count = min(self.config.finalists, len(state.population))
        row, report = self.evaluation.find_champion(arena, state, self._pair, count)
        return state.population.take([row]), report

    def find_best(self, state: Any, arena: Arena) -> tuple[NeatPopulation, Report]:
        """The winner of a round robin; they are of no species here."""
        everybody = len(state.population)
        row, report = self.evaluation.find_champion(
            arena, state, lambda *_: round_robin(everybody), everybody
        )
        return state.population.take([row]), report

    def describe(self, state: Any) -> dict[str, Any]:
        """Individuals, species, and how large the networks are."""
        nodes, connections = _measure_sizes(state.population, self.decoder.outputs)
        return {
            "individuals": len(state.population),
            "species": len(state.species),
            "hidden_nodes": float(nodes.mean()),
            "connections": float(connections.mean()),
        }

    def take(self, state: NeatState, rows: NDArray[np.int64]) -> NeatPopulation:
        """Copies of these genomes."""
        return state.population.take(rows)

    def settle(
        self, state: NeatState, rows: NDArray[np.int64], newcomers: NeatPopulation
    ) -> NeatState:
        """The state with *newcomers*, who get numbers as genomes here, and species."""
        population, last = state.population, state.counters
        keys = last.genome + 1 + np.arange(len(newcomers))
        innovation, newest = number_like(population, newcomers, last.innovation)
        order = np.arange(len(population))
        order[rows] = len(population) + np.arange(len(newcomers))
        arrived = replace(newcomers, keys=keys, innovation=innovation)
        changed = replace(
            state,
            population=concatenate([population, arrived]).take(order),
            counters=Counters(int(keys[-1]), last.node, newest),
        )
        return self._divide(changed, population.take(state.species.representative))

    def enter(self, state: NeatState, individuals: NeatPopulation) -> NeatState:
        """The initial *state* with *individuals* of other runs, above whose numbers it counts on.

        Connections between the same nodes get the same number; hidden nodes of several runs that
        have the same one are taken for the same.
        """
        last, numbers = state.counters, individuals
        node = highest_own(numbers.node_key, last.node, SPANS.node)
        innovation = highest_own(numbers.innovation, last.innovation, SPANS.innovation)
        counters = Counters(last.genome, max(last.node, node), max(last.innovation, innovation))
        return self.settle(
            replace(state, counters=counters), np.arange(len(individuals)), individuals
        )

    def find_fitness(self, state: NeatState, arena: Arena) -> NDArray[np.float64]:
        """As in a generation's matches."""
        return self.evaluation.measure(arena, state, self._pair)[0]

    def _report(
        self, state: Any, games: int, fitness: NDArray[np.float64], figures: dict[str, float]
    ) -> Report:
        sizes = zip(state.species.keys.tolist(), state.species.sizes.tolist(), strict=True)
        statistics = self._measure(state, fitness) | figures
        return Report(state.generation, games, statistics, dict(sizes), fitness)

    def _pair(self, state: Any, purpose: str) -> Pairings:
        config = self.config.matches
        individuals = len(state.population)
        if config.pairing == "round-robin":
            return round_robin(individuals)
        stream = derive_stream(state.seed, state.generation, f"pairing of {purpose}")
        pairings = random_opponents(individuals, config.opponents, stream)
        if config.pairing == "species":
            pairings = np.concatenate([pairings, inside_groups(state.species.members)])
        return pairings

    def _breed(self, state: NeatState, fitness: NDArray[np.float64]) -> NeatState:
        """The next generation of a state whose species are judged."""
        neat = self.config.neat
        seed, now = state.seed, state.generation
        standing = summarise_species(fitness, state.species.members, neat.species_fitness_func)
        ending = stagnant(state.species, now, standing, neat.max_stagnation, neat.species_elitism)
        hall = self._remember(state, fitness)
        if ending.all():
            return replace(self._found_again(state), hall=hall)
        elites, parents = plan_children(
            neat,
            state.species.take(~ending),
            state.population.keys,
            fitness,
            standing[~ending],
            derive_generator(seed, now, "parents"),
            self._select,
        )
        # Where there is no room for all species, some have neither elites nor children.
        going_on = np.zeros(len(state.species), dtype=np.bool_)
        going_on[state.species.members[np.concatenate([elites, parents.ravel()])]] = True
        species = state.species.take(going_on)
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
        bred = NeatState(
            seed=seed,
            generation=now + 1,
            population=concatenate([state.population.take(elites), children]),
            species=species,
            counters=counters,
            last_species=state.last_species,
            records=state.records.take(np.flatnonzero(going_on)),
            marks=state.marks[going_on],
            hall=hall,
        )
        return self._divide(bred, state.population.take(species.representative))

    def _found(self, seed: int, generation: int, last_genome: int, last_species: int) -> NeatState:
        """A random population."""
        stream = derive_stream(seed, generation, "initialisation")
        first = Counters(*(self.island * span for span in SPANS))  # each island has its numbers
        population, counters = create(
            self.config.neat,
            self.decoder.inputs,
            self.decoder.outputs,
            int(stream[0]),
            last_genome=max(last_genome, first.genome),
        )
        counters = Counters(*map(max, counters, first))
        nobody = population.take([])
        state = NeatState(
            seed=seed,
            generation=generation,
            population=population,
            species=_NO_SPECIES,
            counters=counters,
            last_species=last_species,
            records=nobody,
            marks=np.zeros(0),
            hall=nobody,
        )
        return self._divide(state, nobody)

    def _found_again(self, state: NeatState) -> NeatState:
        """A random population after *state*, whose species have all stagnated.

        Nodes and connections are numbered from the beginning: older genomes, in the hall of
        fame, are only played against. Genomes and species count on.
        """
        if not self.config.neat.reset_on_extinction:
            raise ExtinctionError(state.generation)
        return self._found(
            state.seed, state.generation + 1, state.counters.genome, state.last_species
        )

    def _divide(self, state: NeatState, representatives: NeatPopulation) -> NeatState:
        """*state*, whose species are those of the generation before, with its own."""
        neat = self.config.neat
        species = speciate(
            state.population,
            representatives,
            state.species,
            generation=state.generation,
            last_key=state.last_species,
            compatibility_threshold=neat.compatibility_threshold,
            disjoint_coefficient=neat.compatibility_disjoint_coefficient,
            weight_coefficient=neat.compatibility_weight_coefficient,
        )
        kept = np.flatnonzero(np.isin(state.species.keys, species.keys))
        founded = species.representative[len(kept) :]
        return replace(
            state,
            species=species,
            last_species=max(state.last_species, int(species.keys[-1])),
            records=concatenate([state.records.take(kept), state.population.take(founded)]),
            marks=np.concatenate([state.marks[kept], np.full(len(founded), -np.inf)]),
        )

    def _remember(self, state: Any, fitness: NDArray[np.float64]) -> NeatPopulation:
        hall: NeatPopulation = state.hall
        stay = keep_members(
            self.config.matches.hall_of_fame, len(hall), state.seed, state.generation
        )
        if stay is None:
            return hall
        fittest = state.population.take([int(np.argmax(fitness))])
        return concatenate([hall.take(stay), fittest])

    def _measure(self, state: Any, fitness: NDArray[np.float64]) -> dict[str, float]:
        nodes, connections = _measure_sizes(state.population, self.decoder.outputs)
        fittest = int(np.argmax(fitness))
        step = max(1, len(state.population) // SAMPLE)
        sample = state.population.take(np.arange(0, len(state.population), step)[:SAMPLE])
        apart = distances(
            sample,
            sample,
            disjoint_coefficient=self.config.neat.compatibility_disjoint_coefficient,
            weight_coefficient=self.config.neat.compatibility_weight_coefficient,
        )
        pairs = max(1, len(sample) * (len(sample) - 1))
        return describe_fitness(fitness) | {
            "diversity": float(apart.sum() / pairs),
            "species": float(len(state.species)),
            "hidden_nodes": float(nodes.mean()),
            "connections": float(connections.mean()),
            "hidden_nodes_of_best": float(nodes[fittest]),
            "connections_of_best": float(connections[fittest]),
        }


def _measure_sizes(
    population: NeatPopulation, outputs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hidden nodes and enabled connections of each genome, both of shape ``(genomes,)``."""
    nodes = np.diff(population.node_start) - outputs
    working = np.concatenate([[0], np.cumsum(population.enabled)])
    return nodes, np.diff(working[population.connection_start])


def _find_wrong_numbers(state: Any) -> str | None:
    """Why the numbers given out last can't be that; None if they can."""
    given: tuple[tuple[str, NDArray[Any], int, int], ...] = (
        ("genome", state.population.keys, state.counters.genome, SPANS.genome),
        ("node", state.population.node_key, state.counters.node, SPANS.node),
        ("innovation", state.population.innovation, state.counters.innovation, SPANS.innovation),
        ("species", state.species.keys, state.last_species, 2**62),
    )
    for name, numbers, last, span in given:
        if not (highest_own(numbers, last, span) <= last < span * MOST_ISLANDS):
            return f"the last number of a {name} is {last}"
    return None
