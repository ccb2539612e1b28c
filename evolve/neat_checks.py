"""Checks of NEAT states that were read from files, against the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.faults import find_faults
from evolve_arena.genomes.neat.numbering import MAX_ISLANDS, SPANS, highest_own
from evolve_arena.genomes.neat.population import NeatPopulation

if TYPE_CHECKING:
    from evolve_arena.evolve.neat_python import NeatPythonState
    from evolve_arena.evolve.neat_state import NeatState


GraphState: TypeAlias = "NeatState | NeatPythonState"
"""A state of either engine."""


def find_other_graphs(
    state: GraphState, size: int, inputs: int, outputs: int, *more: NeatPopulation
) -> str | None:
    """Return what is wrong with a *state*, or with *more* genomes; None if nothing is.

    Args:
        state: The state.
        size: The expected number of genomes.
        inputs: Inputs of their networks.
        outputs: Outputs of their networks.
        more: Genomes beside the population and the hall of fame.
    """
    genomes = state.population, *more, state.hall
    fault = state.species.find_fault(len(state.population))
    fault = next(filter(None, (each.find_fault() for each in genomes)), fault)
    if not fault and state.species.members.min(initial=0) < 0:
        fault = "a genome belongs to no species"
    if fault:
        return fault
    if len(state.population) != size:
        return f"it has {len(state.population)} genomes, not {size}"
    unfit = (_find_unfit(each, inputs, outputs) for each in genomes)
    return next(filter(None, unfit), None) or _find_wrong_numbers(state)


def _find_unfit(population: NeatPopulation, inputs: int, outputs: int) -> str | None:
    """Return why genomes do not fit networks with these inputs and outputs; None if they do."""
    if population.source.min(initial=0) < -inputs:
        return f"its genomes have more than {inputs} inputs"
    first = population.node_start[:-1, None] + np.arange(outputs)
    if np.any(np.diff(population.node_start) < outputs) or np.any(
        population.node_key[first] != np.arange(outputs)
    ):
        return f"its genomes do not have {outputs} outputs"
    return find_faults(population, inputs, outputs, feed_forward=True)


def _find_wrong_numbers(state: GraphState) -> str | None:
    """Return why the counters of a *state* contradict its numbers; None if they do not."""
    given: tuple[tuple[str, Array, int, int], ...] = (
        ("genome", state.population.keys, state.counters.genome, SPANS.genome),
        ("node", state.population.node_key, state.counters.node, SPANS.node),
        ("innovation", state.population.innovation, state.counters.innovation, SPANS.innovation),
        ("species", state.species.keys, state.last_species, 2**62),
    )
    for name, numbers, last, span in given:
        if not (highest_own(numbers, last, span) <= last < span * MAX_ISLANDS):
            return f"the last number of a {name} is {last}"
    return None
