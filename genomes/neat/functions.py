"""The activations and aggregations of neat-python, compiled, with the same bits as in Python.

Every operation is in the order of plain Python, and the functions of :mod:`math` are those of the C
library that Python itself calls, so a program in plain Python can repeat a network's numbers
exactly. Extreme numbers are handled as follows:

- Python raises ``OverflowError`` for squares and cubes beyond the largest float; here they are
  infinite, with the right sign. Nothing else in neat-python raises.
- NaN passes through comparisons as in Python: ``sigmoid``, ``tanh``, ``sin``, ``gauss``,
  ``softplus``, ``clamped`` and ``exp`` take it for their upper bound, ``log`` for its lower one,
  ``relu`` and ``hat`` return 0, and all others return NaN. A maximum or minimum skips it unless it
  comes first. Only the median differs: with a NaN among its numbers it is NaN, whereas the result
  of a Python sort is arbitrary.
- Sums add from left to right, as Python's ``sum`` did up to version 3.11; later versions compensate
  the rounding error.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types

from evolve_arena.core.compiled import Numba, compiled, inlined, instruction
from evolve_arena.core.types import Array, Number
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
"""The names of neat-python's activations; a genome has a name's index in this tuple."""

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
"""The names of neat-python's aggregations; a genome has a name's index in this tuple."""

PRODUCT, SUM, MAX, MIN, MAXABS, MEDIAN, MEAN = range(7)

SELU_SCALE = 1.0507009873554805
SELU_ALPHA = 1.6732632423543772
"""Source: Klambauer et al., "Self-normalizing neural networks", 2017, section 2."""


@inlined
def activate(code: int, x: Number) -> Number:  # noqa: PLR0911, PLR0912 - a table, in effect
    """Apply the activation :data:`ACTIVATIONS` [*code*] to *x*; an unknown code is the identity."""
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
def aggregate(code: int, terms: Array, at: int, count: int) -> Number:
    """Apply the aggregation :data:`AGGREGATIONS` [*code*] to *count* numbers from ``terms[at]`` on.

    Without numbers, the product is 1 and every other aggregation 0.

    Args:
        code: Place of the aggregation in :data:`AGGREGATIONS`.
        terms: Array of ``float64``, in which these numbers may be reordered.
        at: Place of the first number.
        count: How many numbers there are.
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
    # Extremes; the first one of equals stays.
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
def _sum(terms: Array, at: int, count: int) -> Number:
    total = 0.0
    for place in range(at, at + count):
        total += peek(terms, place)
    return total


@inlined
def _median(terms: Array, at: int, count: int) -> Number:
    """Return the middle number, or the mean of both middle ones; uses insertion sort."""
    if count <= 2:
        return _sum(terms, at, count) / count
    for end in range(at, at + count):
        # Insertion sort: the numbers before *end* are in order.
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
def _within(x: Number, bound: float) -> Number:
    """Clip *x* to -bound .. bound; NaN gives *bound*."""
    return _larger(-bound, _smaller(bound, x))


@inlined
def _larger(first: Number, second: Number) -> Number:
    """Return the maximum as Python's ``max``: the first one unless the second is greater."""
    return second if second > first else first


@inlined
def _smaller(first: Number, second: Number) -> Number:
    return second if second < first else first


@inlined
def _power(x: Number, exponent: float) -> Number:
    """Return *x* to a power by the C library, as Python computes ``x ** exponent``.

    A product sometimes differs in the last bit.
    """
    return math.pow(x, _conceal(np.float64(exponent)))


@instruction
def _conceal(typing: Numba, number: Numba) -> Numba:
    """Return *number* as an unknown to the compiler, which would turn a power into a product."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        word = ir.IntType(64)
        nothing = ir.FunctionType(word, [word])
        bits = builder.bitcast(args[0], word)
        bits = builder.asm(nothing, "", "=r,0", [bits], side_effect=False)
        return builder.bitcast(bits, ir.DoubleType())

    return types.float64(types.float64), generate
