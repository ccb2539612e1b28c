"""The draws behind attributes: a Gaussian that is one, also far out."""

from __future__ import annotations

import numpy as np
from scipy import stats

from games.stream import new_stream
from genomes.neat.attributes import attribute_rules, gaussian
from genomes.neat.config import NeatConfig
from genomes.neat.functions import ACTIVATIONS, AGGREGATIONS


def test_gaussian_numbers_are_gaussian() -> None:
    stream = new_stream(1)
    draws = np.array([gaussian(stream) for _ in range(40_000)])
    assert stats.kstest(draws, "norm").pvalue > 0.001
    assert abs(draws.mean()) < 4 / np.sqrt(len(draws))
    assert abs(draws.var() - 1) < 4 * np.sqrt(2 / len(draws))
    assert abs(stats.kurtosis(draws)) < 4 * np.sqrt(24 / len(draws))
    far = int(np.sum(np.abs(draws) > 3))
    assert stats.binomtest(far, len(draws), 2 * stats.norm.sf(3)).pvalue > 0.001
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / np.sqrt(len(draws))


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
