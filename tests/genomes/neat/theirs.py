"""Genomes of neat-python, grown there, and settings for both."""

from __future__ import annotations

import neat
from neat.innovation import InnovationTracker

from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import to_neat_python

STILL = {
    key: 0.0
    for key in NeatConfig.model_fields
    if key.endswith(("_prob", "_rate", "_rate_to_true_add", "_rate_to_false_add"))
}
"""Settings with which nothing mutates, here or there."""


def make_config(choices: NeatConfig, inputs: int, outputs: int) -> neat.Config:
    """Return neat-python's configuration, with numbers for innovations."""
    config = to_neat_python(choices, inputs, outputs)
    config.genome_config.innovation_tracker = InnovationTracker()
    return config


def grow(
    config: neat.Config, count: int, mutations: int, first_key: int = 0
) -> list[neat.DefaultGenome]:
    """Return so many genomes, each mutated so often."""
    grown = [neat.DefaultGenome(first_key + number) for number in range(count)]
    for genome in grown:
        genome.configure_new(config.genome_config)
        for _ in range(mutations):
            genome.mutate(config.genome_config)
    return grown
