"""The draws behind attributes: a Gaussian that is one, also far out."""

from __future__ import annotations

import numpy as np

from evolve_arena.genomes.neat.attributes import attribute_rules
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS


def test_rules_hold_the_codes_of_names() -> None:
    config = NeatConfig(
        activation_options=("relu", "cube"),
        activation_default="cube",
        aggregation_options=tuple(AGGREGATIONS),
        aggregation_default="random",
        enabled_default="random",
        enabled_mutate_rate=0.1,
        enabled_rate_to_true_add=0.2,
        enabled_rate_to_false_add=-0.05,
    )
    rules = attribute_rules(config)
    assert [ACTIVATIONS[code] for code in rules.activation.options] == ["relu", "cube"]
    assert ACTIVATIONS[rules.activation.default] == "cube"
    assert rules.aggregation.options.tolist() == list(range(len(AGGREGATIONS)))
    assert rules.aggregation.default == -1
    assert rules.enabled.default == -1
    assert np.allclose([rules.enabled.mutate_true, rules.enabled.mutate_false], [0.05, 0.3])
