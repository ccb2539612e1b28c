"""Statistics of a generation of graphs: species, sizes of networks, diversity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.matches import describe_fitness
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.neat_checks import GraphState
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.population import NeatPopulation

SAMPLE = 16
"""Number of genomes in the sample whose diversity is measured."""


def report_graphs(
    state: GraphState,
    games: int,
    fitness: NDArray[np.float64],
    figures: dict[str, float],
    config: NeatConfig,
    outputs: int,
) -> Report:
    """Return the report of a generation.

    Args:
        state: State of the generation.
        games: Number of matches that it played.
        fitness: Fitness of each genome, shape ``(genomes,)``.
        figures: Statistics of its games, by name.
        config: The section ``[neat]``.
        outputs: Outputs of the networks.
    """
    sizes = zip(state.species.keys.tolist(), state.species.sizes.tolist(), strict=True)
    nodes, connections = measure_sizes(state.population, outputs)
    fittest = int(np.argmax(fitness))
    statistics = describe_fitness(fitness) | {
        "diversity": _measure_diversity(state.population, config),
        "species": float(len(state.species)),
        "hidden_nodes": float(nodes.mean()),
        "connections": float(connections.mean()),
        "hidden_nodes_of_best": float(nodes[fittest]),
        "connections_of_best": float(connections[fittest]),
    }
    return Report(state.generation, games, statistics | figures, dict(sizes), fitness)


def describe_graphs(state: GraphState, outputs: int) -> JsonObject:
    """Return the numbers of individuals and species, and the mean size of the networks."""
    nodes, connections = measure_sizes(state.population, outputs)
    return {
        "individuals": len(state.population),
        "species": len(state.species),
        "hidden_nodes": float(nodes.mean()),
        "connections": float(connections.mean()),
    }


def measure_sizes(
    population: NeatPopulation, outputs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return hidden nodes and enabled connections of each genome, both of shape ``(genomes,)``."""
    nodes = np.diff(population.node_start) - outputs
    working = np.concatenate([[0], np.cumsum(population.enabled)])
    return nodes, np.diff(working[population.connection_start])


def _measure_diversity(population: NeatPopulation, config: NeatConfig) -> float:
    """Return the mean compatibility distance of two genomes, in a sample."""
    step = max(1, len(population) // SAMPLE)
    sample = population.take(np.arange(0, len(population), step)[:SAMPLE])
    apart = distances(
        sample,
        sample,
        disjoint_coefficient=config.compatibility_disjoint_coefficient,
        weight_coefficient=config.compatibility_weight_coefficient,
    )
    return float(apart.sum() / max(1, len(sample) * (len(sample) - 1)))
