"""Evaluation of NEAT graphs in exported bots: nodes, in the order in which they are computed.

The network here only makes this file a module that tools can check. It must need nothing but
Python 3.8 and its standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, isnan, log, sin, tanh

# --- The network --------------------------------------------------------------------------
NODES: list[tuple[int, str, str, float, float, list[tuple[int, float]]]] = [
    (2, "tanh", "sum", 0.0, 1.0, [(0, 1.0)]),
    (3, "tanh", "sum", 0.0, 1.0, [(1, 1.0)]),
]
# --- How the network computes -------------------------------------------------------------

# Numbers have 64 bits, as in the arena, and are added in the same order, which sum() does not
# promise. A plane is a list of numbers: the inputs, then the values of all nodes.


def activate(plane: list[float]) -> list[float]:
    """Return the plane after the evaluation of all nodes."""
    after = list(plane)
    for slot, activation, aggregation, bias, response, connections in NODES:
        terms = [after[place] * weight for place, weight in connections]
        total = AGGREGATIONS[aggregation](terms)
        after[slot] = ACTIVATIONS[activation](bias + response * total)
    return after


def comparable(value: float) -> float:
    """Return the value, or minus infinity if it is not a number."""
    return -inf if isnan(value) else value


def within(x: float, bound: float) -> float:
    """Clamp x to -bound .. bound."""
    return max(-bound, min(bound, x))


def power(x: float, exponent: float) -> float:
    """Raise x to a power; the result is infinite where Python would raise an error."""
    try:
        result: float = x**exponent
    except OverflowError:
        return -inf if x < 0.0 and exponent == 3.0 else inf
    return result


def selu(x: float) -> float:
    """Compute the scaled exponential linear unit."""
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return scale * x if x > 0.0 else scale * alpha * (exp(x) - 1.0)


ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "sigmoid": lambda x: 1.0 / (1.0 + exp(-within(5.0 * x, 60.0))),
    "tanh": lambda x: tanh(within(2.5 * x, 60.0)),
    "sin": lambda x: sin(within(5.0 * x, 60.0)),
    "gauss": lambda x: exp(-5.0 * power(within(x, 3.4), 2.0)),
    "relu": lambda x: x if x > 0.0 else 0.0,
    "elu": lambda x: x if x > 0.0 else exp(x) - 1.0,
    "lelu": lambda x: x if x > 0.0 else 0.005 * x,
    "selu": selu,
    "softplus": lambda x: 0.2 * log(1.0 + exp(within(5.0 * x, 60.0))),
    "identity": lambda x: x,
    "clamped": lambda x: within(x, 1.0),
    "inv": lambda x: 0.0 if x == 0.0 else 1.0 / x,
    "log": lambda x: log(max(1e-7, x)),
    "exp": lambda x: exp(within(x, 60.0)),
    "abs": abs,
    "hat": lambda x: max(0.0, 1.0 - abs(x)),
    "square": lambda x: power(x, 2.0),
    "cube": lambda x: power(x, 3.0),
}


def product(terms: list[float]) -> float:
    """Multiply the terms from left to right."""
    result = 1.0
    for term in terms:
        result *= term
    return result


def add_up(terms: list[float]) -> float:
    """Add the terms from left to right."""
    result = 0.0
    for term in terms:
        result += term
    return result


def mean(terms: list[float]) -> float:
    """Return the arithmetic mean."""
    return add_up(terms) / len(terms) if terms else 0.0


def median(terms: list[float]) -> float:
    """Return the middle term, or the mean of both middle ones; not a number if any term is none."""
    if len(terms) <= 2 or any(map(isnan, terms)):
        return mean(terms)
    ordered, middle = sorted(terms), len(terms) // 2
    if len(terms) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2.0


AGGREGATIONS: dict[str, Callable[[list[float]], float]] = {
    "product": product,
    "sum": add_up,
    "max": lambda terms: max(terms, default=0.0),
    "min": lambda terms: min(terms, default=0.0),
    "maxabs": lambda terms: max(terms, key=abs, default=0.0),
    "median": median,
    "mean": mean,
}
