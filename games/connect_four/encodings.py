"""How a network reads the board of Connect Four."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.genomes.encoding import Encoding


def with_moves(board: Encoding, columns: int) -> Encoding:
    """*board* and one more input, the last one: the number of a column, 0 to *columns* - 1.

    It has a feature for each column, after those of the board; one of them is on at a time.
    """
    return Encoding(
        board.inputs + 1,
        np.concatenate([board.index, np.full(columns, board.inputs)]),
        np.concatenate([board.factor, np.arange(columns)]),
        board.active + 1,
        board.most + columns - 1,
    )


def _encode(rules: Rules, factors: tuple[int, int], planes: int) -> Encoding:
    """Features are bits of the board, twice: own discs, then the opponent's."""
    columns, rows, _ = rules
    bits = columns * (rows + 1)
    cells = columns * rows
    index = np.full(2 * bits, -1, dtype=np.int64)
    factor = np.zeros(2 * bits, dtype=np.int64)
    for owner in range(2):
        for column in range(columns):
            for row in range(rows):
                feature = owner * bits + column * (rows + 1) + row
                cell = (rows - 1 - row) * columns + column
                index[feature] = cell + (cells * owner if planes == 2 else 0)
                factor[feature] = factors[owner]
    return Encoding(planes * cells, index, factor, cells)


ENCODINGS: dict[str, Callable[[Rules], Encoding]] = {
    "0/1/2": lambda rules: _encode(rules, (1, 2), 1),
    "0/1/-1": lambda rules: _encode(rules, (1, -1), 1),
    "two-planes": lambda rules: _encode(rules, (1, 1), 2),
}
"""Encodings by name. Inputs are cells, the top row first.

``0/1/2`` and ``0/1/-1`` give the number of an empty cell, of one's own disc and of the
opponent's. ``two-planes`` has an input for each cell and owner that is 0 or 1.
"""
