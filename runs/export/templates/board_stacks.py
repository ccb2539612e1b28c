"""The inside of exported bots that are tuple networks on boards where pieces lie on one another.

See `board`, and `board_tuples` for the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.runs.export.templates.board_tuples import ENTRIES, sum_counts

# --- The network --------------------------------------------------------------------------
TABLES = 1
GRID = [0]
VIEWS = [[0]]
TUPLES = [(0, [(0, 0, 0, 0)])]
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(planes: Sequence[int]) -> list[float]:
    """Return the sum of all entries that these planes of bits select, in units of 1/65536."""
    contents = [(planes[0] >> bit & 1) + 2 * (planes[1] >> bit & 1) for bit in GRID]
    table = planes[2] * (len(ENTRIES) // TABLES) if TABLES > 1 else 0
    total = 0
    for view in VIEWS:
        seen = [contents[cell] for cell in view]
        for first, terms in TUPLES:
            entry = table + first
            for term in terms:
                entry += term[1 + seen[term[0]]]
            total += ENTRIES[entry]
    return [total + sum_counts(planes)]
