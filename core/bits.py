"""Counting and finding bits in 64-bit words, as single instructions."""

from __future__ import annotations

from llvmlite import ir
from numba import types

from evolve_arena.core.compiled import Numba, inlined, instruction
from evolve_arena.core.types import Number


@instruction
def _lowest_bit(typing: Numba, word: Numba) -> Numba:
    """Build the instruction of :func:`lowest_bit`."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@instruction
def _count_bits(typing: Numba, word: Numba) -> Numba:
    """Build the instruction of :func:`count_bits`."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@inlined
def lowest_bit(word: Number) -> Number:
    """Return the place of the lowest set bit of a ``uint64``, 0 to 63; 64 if none is set."""
    return _lowest_bit(word)


@inlined
def count_bits(word: Number) -> Number:
    """Return the number of set bits of a ``uint64``."""
    return _count_bits(word)
