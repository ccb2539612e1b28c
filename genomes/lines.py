"""Straight tuples of a board as genomes of weights, and the tables by which they are read quickly.

A *window* is a few neighbouring cells in a row, in a column or on a diagonal; or a square of two by
two. All windows of a length are read; those that are images of one another under the board's
symmetries share their weights, and these are the genes: one for each class of windows and content.
On 8 by 8 cells with three contents, windows of 2, 3 and 4 cells have 288, 648 and 1,701 genes.

To value a position, windows are not looked up one by one. A *block* is a line of the board, or a
part of one, with all windows in it; its table has the sum of their weights for each content of the
line. On 8 by 8 cells a position then costs 42 look-ups in 36,081 numbers, whatever the windows.

Source: all straight tuples with weights shared by symmetry, Jaśkowski, ICGA Journal 37 (2014),
pages 85 to 96.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array

LONGEST = 8
"""Most cells of a window."""
MAX_ENTRIES = 20_000
"""Most entries of a block's table."""
MAX_NUMBERS = 2**22
"""Most entries of all tables of a player."""

Window = tuple[int, ...]
"""Cells, in an order."""


@dataclass(frozen=True, eq=False)
class LineTuples:
    """The windows of a board, their classes, and the tables that contain them."""

    kinds: int
    """Number of contents of a cell."""
    length: int
    """Number of cells of a window of a line."""
    classes: tuple[Window, ...]
    """A window of each class; squares come last."""
    windows: Mapping[frozenset[int], tuple[int, Window]]
    """The class of each window, by its cells, and an order of them in which it has that class's
    contents."""
    shares: NDArray[np.int64]
    """Number of symmetries that map the window of a class to the same cells, shape
    ``(classes,)``."""
    firsts: NDArray[np.int64]
    """The first gene of each class, and their number, shape ``(classes + 1,)``."""
    same: NDArray[np.int32]
    """Genes that belong to one content in several orders, shape ``(genes, orders)``, each row
    padded with its first: a gene is the mean of its row."""
    blocks: tuple[Window, ...]
    """The cells of each line that is read, in the order of the digits of its table's entries."""
    tables: NDArray[np.int64]
    """The first entry of the table of each of :attr:`blocks`, shape ``(blocks,)``."""
    gather: NDArray[np.int32]
    """The genes whose sum is an entry of a table, shape ``(entries, windows)``; -1 for none."""

    @property
    def genes(self) -> int:
        """Number of genes."""
        return int(self.firsts[-1])

    def fill(self, genomes: NDArray[np.float32], scale: float, limit: int) -> NDArray[np.int32]:
        """Return the tables of *genomes* in fixed point.

        Args:
            genomes: Shape ``(individuals, genes)``.
            scale: Units of a weight of 1.
            limit: Largest magnitude of an entry, in units; larger ones are clipped.

        Returns:
            Sums of whole multiples of :attr:`shares`, shape ``(individuals, entries)``.
        """
        whole = self.quantise(genomes, scale, limit)
        filled = np.empty((len(genomes), len(self.gather)), dtype=np.int32)
        _fill(whole, self.gather, limit, filled)
        return filled

    def quantise(self, genomes: NDArray[np.float32], scale: float, limit: int) -> NDArray[np.int64]:
        """Return the weights of *genomes* in fixed point, as :meth:`fill` sums them.

        A weight is a multiple of the number of times that a tuple network with all symmetries reads
        it, so that such a network has the very same values.

        Args:
            genomes: Shape ``(individuals, genes)``.
            scale: Units of a weight of 1.
            limit: Largest magnitude of a weight, in units.
        """
        weights = np.nan_to_num(genomes.astype(np.float64), posinf=limit, neginf=-limit)
        mean = weights[:, self.same].mean(axis=2)
        shares = np.repeat(self.shares, np.diff(self.firsts))
        whole = np.rint(np.clip(mean * scale, -limit, limit) / shares) * shares
        return np.asarray(whole.astype(np.int64))

    def embed(self, genomes: NDArray[np.float64], smaller: LineTuples) -> NDArray[np.float64]:
        """Return genomes of these windows that value each position as shorter ones do.

        The weight of a shorter window is shared out equally among the windows that contain it.

        Args:
            genomes: Genomes of the shorter windows, shape ``(individuals, smaller.genes)``.
            smaller: The shorter windows, of the same board.

        Returns:
            Genomes of shape ``(individuals, genes)``.

        Raises:
            BadValueError: One of the shorter windows is in none of these.
        """
        parts, shares = _list_parts(self, smaller)
        genomes = genomes[:, smaller.same].mean(axis=2)
        embedded = np.zeros((len(genomes), self.genes))
        for column in range(parts.shape[1]):
            embedded += genomes[:, parts[:, column]] * shares[:, column]
        return embedded


@compiled
def _fill(whole: Array, gather: Array, limit: int, filled: Array) -> None:
    for individual in range(filled.shape[0]):
        for entry in range(gather.shape[0]):
            total = np.int64(0)
            for window in range(gather.shape[1]):
                gene = gather[entry, window]
                if gene < 0:
                    break
                total += whole[individual, gene]
            filled[individual, entry] = min(max(total, -limit), limit)


@lru_cache(maxsize=16)
def _list_parts(
    larger: LineTuples, smaller: LineTuples
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the genes of *smaller* that are parts of each of *larger*, and their shares in it.

    Both have the shape ``(larger.genes, parts)``; a part that is none has the share 0.
    """
    found: list[list[tuple[NDArray[np.int64], float]]] = [[] for _ in larger.classes]
    inside = {frozenset(window): number for number, window in enumerate(larger.classes)}
    for cells, (kind, order) in smaller.windows.items():
        around = [window for window in larger.windows if cells <= window]
        if not around:
            hint = ": write short_lines = true" if larger.length > smaller.length else ""
            raise BadValueError(
                f"straight is {larger.length}: these tuples do not contain all those of"
                f" {smaller.length} cells{hint}"
            )
        for window in around:
            if window not in inside:
                continue  # another one of its class has the same parts
            number = inside[window]
            whole = larger.classes[number]
            digits = _list_digits(len(whole), larger.kinds)
            seen = digits[:, [whole.index(cell) for cell in order]]
            genes = smaller.firsts[kind] + _number(seen, larger.kinds)
            found[number].append((genes, 1.0 / len(around)))
    widest = max(map(len, found))
    parts = np.zeros((larger.genes, widest), dtype=np.int64)
    shares = np.zeros((larger.genes, widest))
    for number, members in enumerate(found):
        rows = slice(*larger.firsts[number : number + 2])
        for column, (genes, share) in enumerate(members):
            parts[rows, column], shares[rows, column] = genes, share
    return parts, shares


@lru_cache(maxsize=16)
def find_lines(
    rows: int,
    columns: int,
    kinds: int,
    length: int,
    views: bytes,
    *,
    squares: bool = False,
    short_lines: bool = False,
) -> LineTuples:
    """Return the windows of a board.

    Args:
        rows: Number of rows of the board.
        columns: Number of columns.
        kinds: Number of contents of a cell.
        length: Number of cells of a window of a line.
        views: Images of the cells under the board's symmetries, an array of ``int64`` of shape
            ``(views, cells)`` as bytes, the identity first.
        squares: True to add all squares of two by two cells.
        short_lines: True to add all lines of two or more cells that are shorter than a window, as
            windows of their own.

    Raises:
        BadValueError: *length* is out of range, or the tables would be too large.
    """
    images = np.frombuffer(views, dtype=np.int64).reshape(-1, rows * columns)
    most = min(LONGEST, max(rows, columns))
    if not 1 <= length <= most:
        raise BadValueError(f"straight is {length}: it must be from 1 to {most}")
    if kinds ** max(length, 4 * squares) > MAX_ENTRIES:
        raise BadValueError(
            f"straight is {length}: that is too long for {kinds} contents of a cell"
        )
    lines = [_cut(line, length, kinds) for line in _list_lines(rows, columns, length, short_lines)]
    blocks = [(block, _list_windows(block, length)) for parts in lines for block in parts]
    if squares:
        blocks += _list_squares(rows, columns, kinds)
    classes = _classify(blocks, images, kinds)
    found, gather = _find_tables(blocks, images, classes)
    if len(gather) > MAX_NUMBERS:
        raise BadValueError(f"straight is {length}: the tables would have {len(gather):,} numbers")
    shares = [len(images) // _count_images(window, images) for window in classes.windows]
    return LineTuples(
        kinds,
        length,
        tuple(classes.windows),
        {cells: (number, min(images)) for cells, (number, images) in classes.orders.items()},
        np.array(shares),
        classes.firsts,
        _find_same(classes),
        tuple(block for block, _ in found),
        np.array([table for _, table in found]),
        gather,
    )


class _Classes(NamedTuple):
    """Windows that share their weights."""

    windows: list[Window]
    """One of each class."""
    orders: dict[frozenset[int], tuple[int, set[Window]]]
    """For the cells of each window its class, and the orders in which images of that class's window
    have them."""
    firsts: NDArray[np.int64]
    """The first gene of each class, and their number."""
    kinds: int


def _classify(
    blocks: list[tuple[Window, list[Window]]], images: NDArray[np.int64], kinds: int
) -> _Classes:
    """Return the classes of the windows of all *blocks*: the images of one share its weights."""
    windows: list[Window] = []
    orders: dict[frozenset[int], tuple[int, set[Window]]] = {}
    for _, inside in blocks:
        for window in inside:
            if frozenset(window) in orders:
                continue
            for view in images:
                image = tuple(int(view[cell]) for cell in window)
                orders.setdefault(frozenset(image), (len(windows), set()))[1].add(image)
            windows.append(window)
    firsts = np.cumsum([0, *(kinds ** len(window) for window in windows)])
    return _Classes(windows, orders, firsts, kinds)


def _find_tables(
    blocks: list[tuple[Window, list[Window]]], images: NDArray[np.int64], classes: _Classes
) -> tuple[list[tuple[Window, int]], NDArray[np.int32]]:
    """Return each block with the first entry of its table, and the genes of all entries.

    The images of one block share its table, if they are blocks themselves.
    """
    wanted = {frozenset(block) for block, _ in blocks}
    found: dict[frozenset[int], tuple[Window, int]] = {}
    parts: list[NDArray[np.int32]] = []
    for block, windows in blocks:
        if frozenset(block) in found:
            continue
        first = sum(map(len, parts))
        for view in images:
            image = tuple(int(view[cell]) for cell in block)
            if frozenset(image) in wanted:
                found.setdefault(frozenset(image), (image, first))
        parts.append(_gather(block, windows, classes))
    widest = max(part.shape[1] for part in parts)
    padded = [
        np.pad(part, ((0, 0), (0, widest - part.shape[1])), constant_values=-1) for part in parts
    ]
    return list(found.values()), np.concatenate(padded)


def _list_lines(rows: int, columns: int, length: int, short: bool) -> list[Window]:
    """Return the cells of all lines that are long enough: rows, columns, diagonals.

    Lines shorter than *length* are long enough if *short* and if they have two cells or more.
    """
    board = np.arange(rows * columns).reshape(rows, columns)
    lines = [*board, *board.T]
    for turned in (board, board[:, ::-1]):
        lines += [turned.diagonal(shift) for shift in range(1 - rows, columns)]
    if length == 1:
        lines = [*board]
    shortest = min(2, length) if short else length
    return [tuple(map(int, line)) for line in lines if len(line) >= shortest]


def _cut(line: Window, length: int, kinds: int) -> list[Window]:
    """Return parts of a *line* whose tables are small enough; each window is in one of them."""
    most = length
    while kinds ** (most + 1) <= MAX_ENTRIES and most < LONGEST:
        most += 1
    step = most - length + 1
    return [line[at : at + most] for at in range(0, max(1, len(line) - length + 1), step)]


def _list_windows(block: Window, length: int) -> list[Window]:
    """Return the windows in a *block*; if it is shorter than a window, it is one itself."""
    return [block[at : at + length] for at in range(max(1, len(block) - length + 1))]


def _list_squares(rows: int, columns: int, kinds: int) -> list[tuple[Window, list[Window]]]:
    """Return blocks of two by four cells, or two by three at the edge, with the squares in them."""
    board = np.arange(rows * columns).reshape(rows, columns)
    wide = 4 if kinds**8 <= MAX_ENTRIES else 2
    blocks = []
    for row, column in product(range(rows - 1), range(0, columns - 1, wide - 1)):
        part = board[row : row + 2, column : column + wide]
        squares = [tuple(map(int, part[:, at : at + 2].ravel())) for at in range(part.shape[1] - 1)]
        blocks.append((tuple(map(int, part.ravel())), squares))
    return blocks


def _count_images(window: Window, images: NDArray[np.int64]) -> int:
    """Return the number of different sets of cells among the images of a *window*."""
    return len({frozenset(view[list(window)].tolist()) for view in images})


def _number(digits: NDArray[np.int64], kinds: int) -> NDArray[np.int64]:
    """Return the number of each row of *digits*, the first one the lowest."""
    numbers: NDArray[np.int64] = digits @ kinds ** np.arange(digits.shape[1], dtype=np.int64)
    return numbers


def _list_digits(cells: int, kinds: int) -> NDArray[np.int64]:
    """Return all contents of so many *cells*, shape ``(kinds ** cells, cells)``."""
    return np.arange(kinds**cells)[:, None] // kinds ** np.arange(cells, dtype=np.int64) % kinds


def _find_same(classes: _Classes) -> NDArray[np.int32]:
    """Return for each gene those of the same content in another order; see `LineTuples.same`."""
    parts = []
    for window, first in zip(classes.windows, classes.firsts[:-1], strict=True):
        digits = _list_digits(len(window), classes.kinds)
        places = {cell: place for place, cell in enumerate(window)}
        # Orders in which symmetries map the window to itself
        rows = [
            first + _number(digits[:, [places[cell] for cell in order]], classes.kinds)
            for order in sorted(classes.orders[frozenset(window)][1])
        ]
        parts.append(np.stack(rows, axis=1))
    # All rows get as many columns as the longest; each number of orders divides the greatest.
    widest = max(part.shape[1] for part in parts)
    wide = [np.tile(part, (1, widest // part.shape[1])) for part in parts]
    return np.concatenate(wide).astype(np.int32)


def _gather(block: Window, windows: list[Window], classes: _Classes) -> NDArray[np.int32]:
    """Return the gene of each window for each content of a *block*."""
    digits = _list_digits(len(block), classes.kinds)
    places = {cell: place for place, cell in enumerate(block)}
    columns = []
    for window in windows:
        number, images = classes.orders[frozenset(window)]
        order = min(images)  # any one: genes of other orders are the same
        seen = digits[:, [places[cell] for cell in order]]
        columns.append(classes.firsts[number] + _number(seen, classes.kinds))
    return np.stack(columns, axis=1).astype(np.int32)
