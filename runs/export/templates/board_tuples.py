"""The inside of exported bots of board games that are tuple networks; see `board`."""

from __future__ import annotations

import sys
from array import array
from base64 import b85decode
from collections.abc import Sequence
from zlib import decompress

# --- The network --------------------------------------------------------------------------
CELLS = 1
VIEWS = [[0]]
TUPLES = [[0]]
NUMBERS = """
c-muNfB*mh2mk>
"""
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(planes: Sequence[int]) -> list[float]:
    """The sum of all entries that tuples read from these planes of bits, in units of 1/65536."""
    kinds = len(planes) + 1
    contents = [0] * CELLS
    for kind, word in enumerate(planes, start=1):
        for cell in range(CELLS):
            if word >> cell & 1:
                contents[cell] = kind
    total = 0
    for view in VIEWS:
        seen = [contents[cell] for cell in view]
        table = 0
        for cells in TUPLES:
            entry = 0
            for cell in reversed(cells):
                entry = kinds * entry + seen[cell]
            total += ENTRIES[table + entry]
            table += kinds ** len(cells)
    return [total]


def unpack_numbers() -> Sequence[int]:
    """The numbers of all tables, one after the other."""
    numbers = array("i")
    numbers.frombytes(decompress(b85decode("".join(NUMBERS.split()))))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


ENTRIES = unpack_numbers()
