"""Genomes of neat-python, grown there."""

from __future__ import annotations

from typing import Any

import neat
from neat.innovation import InnovationTracker

from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import to_neat_python


def make_config(choices: NeatConfig, inputs: int, outputs: int) -> Any:
    """neat-python's configuration, with numbers for innovations."""
    config = to_neat_python(choices, inputs, outputs)
    config.genome_config.innovation_tracker = InnovationTracker()
    return config


def grow(config: Any, count: int, mutations: int, first_key: int = 0) -> list[Any]:
    """So many genomes, each of them mutated so often."""
    grown = [neat.DefaultGenome(first_key + number) for number in range(count)]
    for genome in grown:
        genome.configure_new(config.genome_config)
        for _ in range(mutations):
            genome.mutate(config.genome_config)
    return grown
