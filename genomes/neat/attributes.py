"""Attributes of genes: initial values and mutations of numbers, choices and switches.

The distributions are those of neat-python; the draws come from a stream of
:mod:`evolve_arena.core.stream`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import Stream, below, chance, gaussian, next_word
from evolve_arena.core.types import Number
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS

RANDOM = -1


class NumberRule(NamedTuple):
    """Settings of a bias, a response or a weight."""

    mean: float
    deviation: float
    uniform: bool
    """True if initial values are uniform from :attr:`first_lowest` to :attr:`first_highest`; else
    they are Gaussian."""
    first_lowest: float
    first_highest: float
    lowest: float
    highest: float
    mutate: float
    """The probability that a Gaussian number of standard deviation ``power`` is added."""
    power: float
    mutate_or_replace: float
    """The probability that either such a number is added or the value is replaced by a new one."""


class ChoiceRule(NamedTuple):
    """Settings of an activation or an aggregation."""

    default: int
    """The code of a new node's function, or -1 to draw one of the options."""
    options: NDArray[np.int32]
    mutate: float
    """The probability that the function is redrawn from the options; it may stay the same."""


class SwitchRule(NamedTuple):
    """Settings of the switch that enables a connection."""

    default: int
    """Initial state: 1 for enabled, 0 for disabled, -1 for a coin toss."""
    mutate_true: float
    """The probability that the switch of an enabled connection is redrawn by a coin toss."""
    mutate_false: float
    """The probability that the switch of a disabled connection is redrawn by a coin toss."""


class AttributeRules(NamedTuple):
    """The rules for all attributes of genes."""

    bias: NumberRule
    response: NumberRule
    activation: ChoiceRule
    aggregation: ChoiceRule
    weight: NumberRule
    enabled: SwitchRule


def attribute_rules(config: NeatConfig) -> AttributeRules:
    """Return the settings of attributes in *config*, for compiled code."""
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
def draw_number(rule: NumberRule, rng: Stream) -> Number:
    """Draw an initial value, or a replacement of a former one."""
    if rule.uniform:
        width = rule.first_highest - rule.first_lowest
        return rule.first_lowest + width * chance(rng)
    return _limit(rule, rule.mean + rule.deviation * gaussian(rng))


@inlined
def mutate_number(rule: NumberRule, value: float, rng: Stream) -> Number:
    """Return *value* perturbed, replaced or unchanged.

    Args:
        rule: Settings of this bias, response or weight.
        value: The number before the mutation.
        rng: Source of random numbers.
    """
    if rule.mutate_or_replace <= 0.0:
        return value
    # One draw decides between a step, a replacement and no change.
    draw = chance(rng)
    if draw < rule.mutate:
        return _limit(rule, value + rule.power * gaussian(rng))
    if draw < rule.mutate_or_replace:
        return draw_number(rule, rng)
    return value


@inlined
def draw_choice(rule: ChoiceRule, rng: Stream) -> Number:
    """Draw the function of a new node."""
    if rule.default == RANDOM:
        return rule.options[below(rng, rule.options.shape[0])]
    return rule.default


@inlined
def mutate_choice(rule: ChoiceRule, value: int, rng: Stream) -> Number:
    """Return *value*, or a random option in its place.

    Args:
        rule: Settings of this activation or aggregation.
        value: The code of the function before the mutation.
        rng: Source of random numbers.
    """
    if rule.mutate > 0.0 and chance(rng) < rule.mutate:
        return rule.options[below(rng, rule.options.shape[0])]
    return value


@inlined
def draw_switch(rule: SwitchRule, rng: Stream) -> Number:
    """Draw the initial state of a connection: True if it is enabled."""
    if rule.default == RANDOM:
        return _toss(rng)
    return rule.default == 1


@inlined
def mutate_switch(rule: SwitchRule, value: bool, rng: Stream) -> Number:
    """Return *value*, or the result of a coin toss.

    Args:
        rule: Settings of the switch.
        value: True if the connection is enabled before the mutation.
        rng: Source of random numbers.
    """
    rate = rule.mutate_true if value else rule.mutate_false
    if rate > 0.0 and chance(rng) < rate:
        return _toss(rng)
    return value


@inlined
def _toss(rng: Stream) -> Number:
    return next_word(rng) >> np.uint64(63) == np.uint64(1)


@inlined
def _limit(rule: NumberRule, value: float) -> float:
    return max(min(value, rule.highest), rule.lowest)
