"""What exported bots that are tuple networks think of each move; see `page`."""

from __future__ import annotations

from collections.abc import Mapping

from evolve_arena.games.connect_four.templates.tuples import READINGS, TABLES, TUPLES, see

# --- What it thinks -----------------------------------------------------------------------


def weigh(board: list[int], mark: int, cells: Mapping[int, int]) -> list[float]:
    """The values of the positions after the open columns."""
    values = []
    for cell in cells.values():
        after = list(board)
        after[cell] = mark
        entries = [0] * (2 * len(TUPLES))
        for column, states in enumerate(see(after, mark)):
            for reading, look, numbers in READINGS[column]:
                entries[reading] += numbers[look(states)]
        total = sum(TABLES[mark - 1][entry] for entry in entries)
        values.append((3 - 2 * mark) * total / 65536)
    return values
