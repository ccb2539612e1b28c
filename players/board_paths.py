"""Which cells people click to play a move: plain Python, which exported pages run as well.

Pieces are lists of ``[cell, owner, kind]``; an owner below 0 is nobody.
"""

from __future__ import annotations

from collections.abc import Sequence


def find_path(before: list[list[int]], after: list[list[int]], seat: int) -> list[int]:
    """The cells of a move of *seat*, by what it changes in the pieces; none if they do not tell.

    A piece that comes is one cell, one that goes and comes elsewhere is two. Where several come,
    the only one of them that was empty counts: the others changed their owners.
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
    """All ways to click each move: by its path; where pieces lie in stacks, anywhere in its column.

    Args:
        paths: One for each move; some may be empty.
        width: The number of columns, if there are stacks, of *cells* numbered row by row; else 0.
        cells: The number of cells.
    """
    ways: list[list[list[int]]] = []
    for path in paths:
        column = range(path[0] % width, cells, width) if width and len(path) == 1 else []
        ways.append([path, *[[cell] for cell in column if cell != path[0]]] if path else [])
    return ways


def tell_apart(paths: Sequence[list[int]]) -> list[list[int]]:
    """The *paths* without those that equal another one or are its beginning: these become empty."""
    kept: list[list[int]] = []
    for place, path in enumerate(paths):
        alike = [
            other
            for number, other in enumerate(paths)
            if number != place and other[: len(path)] == path
        ]
        kept.append([] if alike else path)
    return kept
