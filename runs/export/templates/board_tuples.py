"""Tuple networks of exported bots of board games; see `board`."""

from __future__ import annotations

import sys
from array import array
from base64 import b85decode
from collections.abc import Sequence
from zlib import decompress

# --- The network --------------------------------------------------------------------------
READ, CONTENTS, READ_PLANES = 1, 2, 1
BITS = [0]
PLANE_STEP, BIT_STEP, KIND_STEP = 0, 1, 1
PLANES, TABLES, COUNTS = 1, 1, 0
VIEWS = [[0]]
TUPLES = [[0]]
KIND, UNIT, NUMBER_COUNT, GIVEN = "i", 1, 2, 0
NUMBERS = """
c-jL100001
"""
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(planes: Sequence[int]) -> list[float]:
    """Return the sum of all entries that these planes of bits select, in units of 1/65536."""
    contents = [0] * READ
    for plane, word in enumerate(planes[:READ_PLANES]):
        for bit in BITS:
            if word >> bit & 1:
                contents[PLANE_STEP * plane + BIT_STEP * bit] += 1 + KIND_STEP * plane
    total = 0
    for view in VIEWS:
        seen = [contents[cell] for cell in view]
        table = planes[PLANES] * (len(ENTRIES) // TABLES) if TABLES > 1 else 0
        for cells in TUPLES:
            entry = 0
            for cell in reversed(cells):
                entry = CONTENTS * entry + seen[cell]
            total += ENTRIES[table + entry]
            table += CONTENTS ** len(cells)
    return [total + sum_counts(planes)]


# --- How numbers are kept -----------------------------------------------------------------


def unpack_numbers() -> Sequence[int]:
    """Return the numbers of all entries, one tuple after the other."""
    data, given = decompress(b85decode("".join(NUMBERS.split()))), array(KIND)
    given.frombytes(data[: GIVEN * given.itemsize])
    if sys.byteorder == "big":
        given.byteswap()
    numbers, place, left = array("i", [0]) * NUMBER_COUNT, 0, iter(given)
    for zeros in data[GIVEN * given.itemsize :]:
        place += zeros
        if zeros < 255:
            numbers[place] = UNIT * next(left)
            place += 1
    return numbers


ENTRIES = unpack_numbers()


def sum_counts(planes: Sequence[int]) -> int:
    """Return the sum of the last numbers of a table, those for the number of bits in each plane."""
    total = 0
    place = len(ENTRIES) // TABLES * (planes[PLANES] + 1 if TABLES > 1 else 1) - COUNTS * PLANES
    for word in planes[:PLANES] if COUNTS else []:
        total += ENTRIES[place + bin(word).count("1")]
        place += COUNTS
    return total
