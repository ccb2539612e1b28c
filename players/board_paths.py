"""Cells to click for a move: plain Python, which exported pages run as well.

Pieces are lists of ``[cell, owner, kind]``; an owner below 0 means no player.
"""

from __future__ import annotations

from collections.abc import Sequence


def find_path(before: list[list[int]], after: list[list[int]], seat: int) -> list[int]:
    """Infer the cells of a move of *seat* from the pieces before and after it.

    A new piece gives one cell, a moved piece two. Among several new pieces the one on a cell that
    was empty counts: the others were captured. The list is empty if the move stays ambiguous.

    Args:
        before: Pieces before the move.
        after: Pieces after the move.
        seat: Number of the seat that moved, from 0.
    """
    filled = [piece[0] for piece in before]
    owned = [piece[0] for piece in before if piece[1] == seat]
    later = [piece[0] for piece in after if piece[1] == seat]
    gone = [cell for cell in owned if cell not in later]
    came = [cell for cell in later if cell not in owned]
    if len(came) > 1:
        came = [cell for cell in came if cell not in filled]
    if len(came) != 1 or len(gone) > 1:
        return []
    return [gone[0], came[0]] if gone else [came[0]]


def list_ways(paths: Sequence[list[int]], width: int, cells: int) -> list[list[list[int]]]:
    """List all ways to click each move: its path and, with stacks, any cell of its column.

    Args:
        paths: One path for each move; some may be empty.
        width: Number of columns if pieces are stacked in them, else 0; cells are numbered row by
            row.
        cells: Number of cells.
    """
    ways: list[list[list[int]]] = []
    for path in paths:
        column = range(path[0] % width, cells, width) if width and len(path) == 1 else []
        ways.append([path, *[[cell] for cell in column if cell != path[0]]] if path else [])
    return ways


def tell_apart(paths: Sequence[list[int]]) -> list[list[int]]:
    """Return *paths* where those that equal or begin another one are emptied."""
    kept: list[list[int]] = []
    for place, path in enumerate(paths):
        alike = [
            other
            for number, other in enumerate(paths)
            if number != place and other[: len(path)] == path
        ]
        kept.append([] if alike else path)
    return kept
