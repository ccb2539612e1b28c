"""Limits of the sizes of networks and populations, checked before any memory is taken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral

from evolve_arena.core.errors import BadValueError

MAX_WEIGHTS = 2**23
"""Most weights of one network: 32 MiB, and some thousand times as many as any recipe has."""
MAX_BYTES = 4 * 2**30
"""Most bytes of a generation: a recipe that needs more than a laptop has is probably a mistake."""
COPIES = 6
"""Copies of a population in memory: parents, children, random numbers, packed networks."""
BYTES_PER_MATCH = 64
"""Bytes of a match: its players, opening, seed and result."""


def check_sizes(sizes: Sequence[int]) -> None:
    """Make sure that a network with layers of these *sizes*, from inputs to outputs, is allowed.

    Raises:
        BadValueError: A size is no whole number, or there are more than :data:`MAX_WEIGHTS`
            weights.
    """
    for size in sizes:
        if not isinstance(size, Integral) or isinstance(size, bool):
            raise BadValueError(f"hidden: {str(size)[:40]!r} is no whole number of units")
    if max(sizes) > MAX_WEIGHTS or sum((a + 1) * b for a, b in pairwise(sizes)) > MAX_WEIGHTS:
        shown = ", ".join(_show(size) for size in list(sizes)[:8])
        raise BadValueError(
            f"hidden: a network with layers of {shown} units has more than {MAX_WEIGHTS:,} weights"
        )


def check_bytes(count: int, what: str) -> None:
    """Make sure that a recipe asks for no more memory than is allowed, before any of it is taken.

    Args:
        count: Approximate number of bytes.
        what: Name of what needs them, for the message.

    Raises:
        BadValueError: The bytes are more than :data:`MAX_BYTES`.
    """
    if count > MAX_BYTES:
        raise BadValueError(
            f"{what} would take {_show(count // 2**20)} MiB of memory, more than"
            f" {MAX_BYTES // 2**20:,}: take fewer individuals, smaller networks or fewer matches"
        )


def _show(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"
