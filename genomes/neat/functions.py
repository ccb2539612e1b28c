"""The activations and aggregations of neat-python, compiled, equal to Python's bit for bit.

Every operation stands in the order in which plain Python would do it, and the functions of
:mod:`math` are those of the C library that Python itself calls, so a program in plain Python
can repeat a network's numbers exactly. Where numbers get out of hand:

- Python raises ``OverflowError`` for squares and cubes beyond the largest float; here they
  are infinite, with the sign that they should have. Nothing else in neat-python raises.
- NaN passes through comparisons as it does in Python: ``sigmoid``, ``tanh``, ``sin``,
  ``gauss``, ``softplus``, ``clamped`` and ``exp`` take it for their upper bound, ``log`` for
  its lower one, ``relu`` and ``hat`` give 0, and all others give NaN. A maximum or minimum
  skips it unless it comes first. Only the median differs: with a NaN among its numbers it is
  NaN, whereas a Python sort leaves it to chance.
- Sums add from left to right, as Python's ``sum`` did up to version 3.11; later versions
  carry the rounding error along.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from evolve_arena.core.compiled import compiled, inlined, instruction
from evolve_arena.genomes.simd import peek, poke

ACTIVATIONS = (
    "sigmoid",
    "tanh",
    "sin",
    "gauss",
    "relu",
    "elu",
    "lelu",
    "selu",
    "softplus",
    "identity",
    "clamped",
    "inv",
    "log",
    "exp",
    "abs",
    "hat",
    "square",
    "cube",
)
"""The names of neat-python's activations; a genome holds a name's place in this row."""

(
    SIGMOID,
    TANH,
    SIN,
    GAUSS,
    RELU,
    ELU,
    LELU,
    SELU,
    SOFTPLUS,
    IDENTITY,
    CLAMPED,
    INV,
    LOG,
    EXP,
    ABS,
    HAT,
    SQUARE,
    CUBE,
) = range(18)

AGGREGATIONS = ("product", "sum", "max", "min", "maxabs", "median", "mean")
"""The names of neat-python's aggregations; a genome holds a name's place in this row."""

PRODUCT, SUM, MAX, MIN, MAXABS, MEDIAN, MEAN = range(7)

SELU_SCALE = 1.0507009873554805
SELU_ALPHA = 1.6732632423543772
"""Source: Klambauer et al., "Self-normalizing neural networks", 2017, section 2."""


@inlined
def activate(code: int, x: Any) -> Any:  # noqa: PLR0911, PLR0912 - a table, in effect
    """The activation :data:`ACTIVATIONS` [*code*] of *x*; with any other code, *x* itself."""
    if code == SIGMOID:
        return 1.0 / (1.0 + math.exp(-_within(5.0 * x, 60.0)))
    if code == TANH:
        return math.tanh(_within(2.5 * x, 60.0))
    if code == RELU:
        return x if x > 0.0 else 0.0
    if code == SIN:
        return math.sin(_within(5.0 * x, 60.0))
    if code == GAUSS:
        return math.exp(-5.0 * _power(_within(x, 3.4), 2.0))
    if code == ELU:
        return x if x > 0.0 else math.exp(x) - 1.0
    if code == LELU:
        return x if x > 0.0 else 0.005 * x
    if code == SELU:
        return SELU_SCALE * x if x > 0.0 else SELU_SCALE * SELU_ALPHA * (math.exp(x) - 1.0)
    if code == SOFTPLUS:
        return 0.2 * math.log(1.0 + math.exp(_within(5.0 * x, 60.0)))
    if code == CLAMPED:
        return _within(x, 1.0)
    if code == INV:
        return 0.0 if x == 0.0 else 1.0 / x
    if code == LOG:
        return math.log(_larger(1e-7, x))
    if code == EXP:
        return math.exp(_within(x, 60.0))
    if code == ABS:
        return abs(x)
    if code == HAT:
        return _larger(0.0, 1.0 - abs(x))
    if code == SQUARE:
        return _power(x, 2.0)
    if code == CUBE:
        return _power(x, 3.0)
    return x


@compiled
def aggregate(code: int, terms: Any, at: int, count: int) -> Any:
    """The aggregation :data:`AGGREGATIONS` [*code*] of *count* numbers from ``terms[at]`` on.

    Of no numbers the product is 1 and everything else 0. The numbers may be left in another
    order.
    """
    if code == PRODUCT:
        product = 1.0
        for place in range(at, at + count):
            product *= peek(terms, place)
        return product
    if count == 0:
        return 0.0
    if code == SUM:
        return _sum(terms, at, count)
    if code == MEAN:
        return _sum(terms, at, count) / count
    if code == MEDIAN:
        return _median(terms, at, count)
    best = peek(terms, at)
    for place in range(at + 1, at + count):
        term = peek(terms, place)
        if code == MAX:
            best = _larger(best, term)
        elif code == MIN:
            best = _smaller(best, term)
        elif abs(term) > abs(best):
            best = term
    return best


@inlined
def _sum(terms: Any, at: int, count: int) -> Any:
    total = 0.0
    for place in range(at, at + count):
        total += peek(terms, place)
    return total


@inlined
def _median(terms: Any, at: int, count: int) -> Any:
    """The middle number, or the mean of both middle ones; sorts by insertion."""
    if count <= 2:
        return _sum(terms, at, count) / count
    for end in range(at, at + count):
        term = peek(terms, end)
        if np.isnan(term):
            return term
        place = end
        while place > at and peek(terms, place - 1) > term:
            poke(terms, place, peek(terms, place - 1))
            place -= 1
        poke(terms, place, term)
    middle = at + count // 2
    if count % 2 == 1:
        return peek(terms, middle)
    return (peek(terms, middle - 1) + peek(terms, middle)) / 2.0


@inlined
def _within(x: Any, bound: float) -> Any:
    """*x*, moved to the nearer end if it lies outside -bound .. bound; NaN gives *bound*."""
    return _larger(-bound, _smaller(bound, x))


@inlined
def _larger(first: Any, second: Any) -> Any:
    """What Python's ``max`` gives: the first one unless the second is greater."""
    return second if second > first else first


@inlined
def _smaller(first: Any, second: Any) -> Any:
    return second if second < first else first


@inlined
def _power(x: Any, exponent: float) -> Any:
    """*x* to a power by the C library, as Python's ``x ** exponent`` computes it.

    It differs from a product in the last bit now and then.
    """
    return math.pow(x, _conceal(np.float64(exponent)))


@instruction
def _conceal(typing: Any, number: Any) -> Any:
    """*number*, of which the compiler then knows nothing: else it makes a power a product."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        nothing = ir.FunctionType(word, [word])
        bits = builder.bitcast(args[0], word)
        bits = builder.asm(nothing, "", "=r,0", [bits], side_effect=False)
        return builder.bitcast(bits, ir.DoubleType())

    return types.float64(types.float64), generate
