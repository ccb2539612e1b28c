"""Evaluation of multilayer perceptrons in exported bots, from the sums of the first layer on.

The network here only makes this file a module that tools can check. It must need nothing but
Python 3.8 and its standard library.
"""

from __future__ import annotations

from array import array
from base64 import b64decode
from collections.abc import Iterable
from math import ldexp
from operator import add, mul
from struct import unpack

# --- The network --------------------------------------------------------------------------
HEAD = "policy"
ACTIVATION = "sigmoid"
UNITS = (2,)
LATER_LAYERS = """
"""
SCALE = {"sigmoid": -1.4426950216293335, "tanh": -2.885390043258667}
POLYNOMIAL: tuple[float, ...] = (1.0,)
# --- How the network computes -------------------------------------------------------------

# The arena counts in numbers of 32 bits and rounds after every single operation. This does the
# same, in the same order, and so chooses the same moves.


def rounded(numbers: Iterable[float]) -> list[float]:
    """Round each number to the nearest of 32 bits."""
    return array("f", numbers).tolist()


def evaluate(sums: list[int]) -> list[float]:
    """Return the network's outputs, from the sums of its first layer."""
    wrapped = [(total + 2**31) % 2**32 - 2**31 for total in sums]  # 32 bits hold no more
    return evaluate_later([total / 65536 for total in rounded(wrapped)])


def evaluate_later(values: list[float]) -> list[float]:
    """Return the network's outputs, from the sums of its first layer's units before activation."""
    for number, (biases, rows) in enumerate(LAYERS, start=2):
        inputs = activate(values)
        if HEAD not in ("policy", "kinds") and number == len(UNITS):
            return fold(inputs, biases[0], [row[0] for row in rows])
        terms = rounded([inputs[unit] * weight for unit, row in enumerate(rows) for weight in row])
        values = biases
        for start in range(0, len(terms), len(biases)):
            values = rounded(map(add, values, terms[start : start + len(biases)]))
    return values


def fold(values: list[float], bias: float, weights: list[float]) -> list[float]:
    """Evaluate a layer of one unit: sixteen subtotals, then the upper half added to the lower."""
    totals = [0.0] * 16
    for block in range(0, len(values), 16):
        terms = rounded(map(mul, values[block : block + 16], weights[block : block + 16]))
        totals = rounded(map(add, totals, terms + [0.0] * (16 - len(terms))))
    while len(totals) > 1:
        half = len(totals) // 2
        totals = rounded(map(add, totals[:half], totals[half:]))
    return rounded([totals[0] + bias])


def activate(values: list[float]) -> list[float]:
    """Apply the activation function to each value."""
    if ACTIVATION == "relu":
        return [value if value > 0.0 else 0.0 for value in values]
    # 1 / (1 + 2**power): two to a whole number is exact, the rest comes from a polynomial.
    powers = rounded([value * SCALE[ACTIVATION] for value in values])
    powers = [power if power > -126.0 else -126.0 for power in powers]
    powers = [power if power < 126.0 else 126.0 for power in powers]
    wholes = [round(power) for power in powers]
    rests = [powers[place] - whole for place, whole in enumerate(wholes)]
    raised = [POLYNOMIAL[0]] * len(values)
    for coefficient in POLYNOMIAL[1:]:
        raised = rounded([term + coefficient for term in rounded(map(mul, raised, rests))])
    below = rounded([1.0 + term for term in map(ldexp, raised, wholes)])
    logistic = rounded([1.0 / term for term in below])
    if ACTIVATION == "tanh":
        return rounded([2.0 * value - 1.0 for value in logistic])
    return logistic


def unpack_later_layers() -> list[tuple[list[float], list[list[float]]]]:
    """Return each later layer's biases, and a row of weights per unit of the layer before."""
    data = b64decode(LATER_LAYERS)
    numbers = list(unpack(f"<{len(data) // 4}f", data))
    layers, at = [], 0
    for layer in range(1, len(UNITS)):
        units = UNITS[layer]
        end = at + (1 + UNITS[layer - 1]) * units
        rows = [numbers[i : i + units] for i in range(at, end, units)]
        layers.append((rows[0], rows[1:]))
        at = end
    return layers


LAYERS = unpack_later_layers()
