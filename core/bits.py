"""Counting and finding bits in 64-bit words, as single instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from evolve_arena.core.compiled import inlined, instruction


@instruction
def _lowest_bit(typing: Any, word: Any) -> Any:
    """The place of the lowest set bit of a ``uint64``, 0 to 63; 64 if none is set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@instruction
def _count_bits(typing: Any, word: Any) -> Any:
    """The number of set bits of a ``uint64``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@inlined
def lowest_bit(word: Any) -> Any:
    """The place of the lowest set bit of a ``uint64``, 0 to 63; 64 if none is set."""
    return _lowest_bit(word)


@inlined
def count_bits(word: Any) -> Any:
    """The number of set bits of a ``uint64``."""
    return _count_bits(word)
