"""The numbers, choices and switches of a gene: how they are first drawn, and how they mutate.

The distributions are those of neat-python; the draws come from a stream of
:mod:`evolve_arena.core.stream`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import below, chance, gaussian, next_word
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS

RANDOM = -1


class NumberRule(NamedTuple):
    """What holds for a bias, a response or a weight."""

    mean: float
    deviation: float
    uniform: bool
    """Whether first numbers are drawn evenly between the next two; else from a Gaussian."""
    first_lowest: float
    first_highest: float
    lowest: float
    highest: float
    mutate: float
    """The probability that a Gaussian number of standard deviation ``power`` is added."""
    power: float
    mutate_or_replace: float
    """The probability of that or else of a new number."""


class ChoiceRule(NamedTuple):
    """What holds for an activation or an aggregation."""

    default: int
    """The code of what a new node has, or -1 for any option."""
    options: NDArray[np.int32]
    mutate: float
    """The probability that an option, perhaps the same, is drawn."""


class SwitchRule(NamedTuple):
    """What holds for whether a connection is enabled."""

    default: int
    """1, 0, or -1 for either."""
    mutate_true: float
    """The probability that an enabled connection throws a coin to decide what it is."""
    mutate_false: float
    """The same for a disabled one."""


class AttributeRules(NamedTuple):
    """The rules for all attributes of genes."""

    bias: NumberRule
    response: NumberRule
    activation: ChoiceRule
    aggregation: ChoiceRule
    weight: NumberRule
    enabled: SwitchRule


def attribute_rules(config: NeatConfig) -> AttributeRules:
    """What *config* says of attributes, as compiled code takes it."""
    default = config.enabled_default
    rate = config.enabled_mutate_rate
    return AttributeRules(
        bias=_number_rule(config, "bias"),
        response=_number_rule(config, "response"),
        activation=_choice_rule(config, "activation", ACTIVATIONS),
        aggregation=_choice_rule(config, "aggregation", AGGREGATIONS),
        weight=_number_rule(config, "weight"),
        enabled=SwitchRule(
            default=RANDOM if default == "random" else int(default),
            mutate_true=rate + config.enabled_rate_to_false_add,
            mutate_false=rate + config.enabled_rate_to_true_add,
        ),
    )


def _number_rule(config: NeatConfig, name: str) -> NumberRule:
    def setting(key: str) -> float:
        return float(getattr(config, f"{name}_{key}"))

    mean, deviation = setting("init_mean"), setting("init_stdev")
    lowest, highest = setting("min_value"), setting("max_value")
    return NumberRule(
        mean=mean,
        deviation=deviation,
        uniform=getattr(config, f"{name}_init_type") == "uniform",
        first_lowest=max(lowest, mean - 2 * deviation),
        first_highest=min(highest, mean + 2 * deviation),
        lowest=lowest,
        highest=highest,
        mutate=setting("mutate_rate"),
        power=setting("mutate_power"),
        mutate_or_replace=setting("mutate_rate") + setting("replace_rate"),
    )


def _choice_rule(config: NeatConfig, name: str, known: tuple[str, ...]) -> ChoiceRule:
    default = getattr(config, f"{name}_default")
    options = [known.index(option) for option in getattr(config, f"{name}_options")]
    return ChoiceRule(
        default=RANDOM if default == "random" else known.index(default),
        options=np.array(options, dtype=np.int32),
        mutate=float(getattr(config, f"{name}_mutate_rate")),
    )


@inlined
def draw_number(rule: Any, stream: Any) -> Any:
    """A first number, or one that replaces another."""
    if rule.uniform:
        width = rule.first_highest - rule.first_lowest
        return rule.first_lowest + width * chance(stream)
    return _limit(rule, rule.mean + rule.deviation * gaussian(stream))


@inlined
def mutate_number(rule: Any, value: float, stream: Any) -> Any:
    """*value*, moved, replaced or left."""
    if rule.mutate_or_replace <= 0.0:
        return value
    draw = chance(stream)
    if draw < rule.mutate:
        return _limit(rule, value + rule.power * gaussian(stream))
    if draw < rule.mutate_or_replace:
        return draw_number(rule, stream)
    return value


@inlined
def draw_choice(rule: Any, stream: Any) -> Any:
    """What a new node has."""
    if rule.default == RANDOM:
        return rule.options[below(stream, rule.options.shape[0])]
    return rule.default


@inlined
def mutate_choice(rule: Any, value: int, stream: Any) -> Any:
    """*value*, or an option drawn in its place."""
    if rule.mutate > 0.0 and chance(stream) < rule.mutate:
        return rule.options[below(stream, rule.options.shape[0])]
    return value


@inlined
def draw_switch(rule: Any, stream: Any) -> Any:
    """Whether a new connection is enabled."""
    if rule.default == RANDOM:
        return _toss(stream)
    return rule.default == 1


@inlined
def mutate_switch(rule: Any, value: bool, stream: Any) -> Any:
    """*value*, or the throw of a coin."""
    rate = rule.mutate_true if value else rule.mutate_false
    if rate > 0.0 and chance(stream) < rate:
        return _toss(stream)
    return value


@inlined
def _toss(stream: Any) -> Any:
    return next_word(stream) >> np.uint64(63) == np.uint64(1)


@inlined
def _limit(rule: Any, value: float) -> Any:
    return max(min(value, rule.highest), rule.lowest)
