"""How large networks and populations may be, so that none is refused by the system half-way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral

from evolve_arena.core.errors import BadValueError

MOST_WEIGHTS = 2**23
"""Weights of one network: 32 MiB, and some thousand times what has ever been bred here."""
MOST_BYTES = 4 * 2**30
"""What a generation may take: more than a laptop spares is more likely a slip than a plan."""
COPIES = 6
"""Of a population: parents, children, what random numbers are drawn in, what plays."""
BYTES_PER_MATCH = 64
"""Who meets, from where, the seed, and what came of it."""


def check_sizes(sizes: Sequence[int]) -> None:
    """Makes sure that a network with so many units a layer, inputs and outputs included, can be.

    Raises:
        BadValueError: A number is none, or there are more than :data:`MOST_WEIGHTS` weights.
    """
    for size in sizes:
        if not isinstance(size, Integral) or isinstance(size, bool):
            raise BadValueError(f"hidden: {str(size)[:40]!r} is no whole number of units")
    if max(sizes) > MOST_WEIGHTS or sum((a + 1) * b for a, b in pairwise(sizes)) > MOST_WEIGHTS:
        shown = ", ".join(_show(size) for size in list(sizes)[:8])
        raise BadValueError(
            f"hidden: a network with layers of {shown} units has more than {MOST_WEIGHTS:,} weights"
        )


def check_bytes(count: int, what: str) -> None:
    """Makes sure that there is memory for what a recipe asks for, before any of it is taken.

    Args:
        count: How many bytes it would take, roughly.
        what: What asks for so many, in words.

    Raises:
        BadValueError: There are more than :data:`MOST_BYTES`.
    """
    if count > MOST_BYTES:
        raise BadValueError(
            f"{what} would take {_show(count // 2**20)} MiB of memory, more than"
            f" {MOST_BYTES // 2**20:,}: take fewer individuals, smaller networks or fewer matches"
        )


def _show(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"
