"""The square parts of a checkers board, each of which a unit of a network may see.

Source: Chellapilla and Fogel, "Evolving an expert checkers playing program without using human
expertise", IEEE Transactions on Evolutionary Computation 5 (2001).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SQUARES = 32


def list_sub_squares() -> list[tuple[int, ...]]:
    """The squares, 1 to 32, in each square part of the board, from 3 by 3 to 8 by 8 cells.

    The small parts come first, those of a size row by row. There are 36 of 3 by 3 cells, 25 of
    4 by 4, and so on to the whole board: 91 with 854 squares.

    >>> [len(part) for part in list_sub_squares()][:3]
    [4, 5, 4]
    """
    parts = []
    for size in range(3, 9):
        for top in range(9 - size):
            for left in range(9 - size):
                cells = (
                    (row, column)
                    for row in range(top, top + size)
                    for column in range(left, left + size)
                )
                parts.append(
                    tuple(
                        row * 4 + column // 2 + 1
                        for row, column in cells
                        if _is_square(row, column)
                    )
                )
    return parts


def connect_sub_squares() -> NDArray[np.bool_]:
    """Which part of the board has which square in it, shape ``(parts, 32)``."""
    parts = list_sub_squares()
    connections = np.zeros((len(parts), SQUARES), dtype=bool)
    for row, part in enumerate(parts):
        connections[row, np.array(part) - 1] = True
    return connections


def _is_square(row: int, column: int) -> bool:
    """Whether pieces may stand there; row 0 has the squares 1 to 4, square 1 in column 1."""
    return (row + column) % 2 == 1
