"""The baseline: tuple networks as a good user of NumPy would write them, for play and learning.

It plays Connect Four's games of the compiled method, from the same seeds, and learns the same from
each, but for how sums round. Cells stand in one array with their four states as digits, so an entry
is a product of digits and powers of four, and all moves of a position are valued in one go. A table
has room for every combination, also for those that can't occur.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.stream import Stream, below, chance, new_stream
from evolve_arena.core.types import Array, Position
from evolve_arena.evolve.learning.tuple_learning import TDSettings
from evolve_arena.genomes.tuples import Cells

__all__ = ["NumpyTuples", "find_places"]

OUT_OF_REACH, NEXT = 0, 3
"""States of empty cells; 1 is a disc of the last player to move, and 2 one of the other."""
OTHER_VIEW = np.array([OUT_OF_REACH, 2, 1, NEXT])


class NumpyTuples:
    """A tuple network, with separate tables for each seat, that plays itself and learns.

    Args:
        rules: The board: ``columns``, ``rows`` and ``connect``.
        cells: Its tuples, shape ``(tuples, length)``; cells are numbered row by row from the top.
        tables: Entries of each tuple, for positions after a move of the first player and of the
            second, shape ``(2, tuples, 4 ** length)``, changed in place; the first cell is the
            lowest digit of an index.
        learning: Settings of play and learning.
        seed: Seed of its games.
    """

    def __init__(
        self,
        rules: Position,
        cells: Cells,
        tables: Array,
        learning: TDSettings,
        seed: int,
    ) -> None:
        self.rules = rules
        row, column = np.divmod(cells.astype(np.int64), rules.columns)
        mirrored = row * rules.columns + rules.columns - 1 - column
        self.cells = np.concatenate([cells, mirrored]).astype(np.int64)
        tuples, length = cells.shape
        self.powers = 4 ** np.arange(length)
        self.offsets = np.tile(np.arange(tuples), 2) * 4**length
        self.tables = tables.reshape(2, -1)
        self.learning = learning
        self.rng: Stream = new_stream(seed)
        self.plies = 0
        self.error = 0.0

    def play_games(self, games: int) -> None:
        """Play *games* games and learn from each."""
        for _ in range(games):
            self.begin()
            outcome = self.play()
            self.plies += self.ply
            self.learn(outcome)

    def begin(self) -> None:
        """Clear the board."""
        columns, rows, _ = self.rules
        self.board = np.zeros(columns * rows, dtype=np.int64)
        self.board[-columns:] = NEXT
        self.heights = [0] * columns
        self.discs = [0, 0]
        self.ply = 0
        self.past: list[NDArray[np.int64]] = []
        self.values: list[float] = []
        self.explored: list[bool] = []

    def play(self) -> int:
        """Play a game and return 1, 0 or -1 for the first player."""
        while self.ply < len(self.board):
            side = self.ply & 1
            sign = 1 - 2 * side
            columns = [c for c, height in enumerate(self.heights) if height < self.rules.rows]
            wins = [c for c in columns if self.has_line(self.discs[side] | self.find_bit(c))]
            explores = bool(chance(self.rng) < self.learning.exploration)
            explores &= self.learning.explore_wins or not wins
            self.explored.append(explores and len(columns) > 1)
            if self.explored[-1]:
                columns = [columns[int(below(self.rng, len(columns)))]]
            elif wins:
                columns = wins[:1]
            numbers = self.read(self.positions_after(columns, side))
            totals = self.tables[side][numbers].sum(axis=1)
            best = int(np.argmax(totals))
            self.past.append(numbers[best])
            self.values.append(sign * math.tanh(totals[best]))
            self.drop(columns[best], side)
            if columns[best] in wins:
                return sign
        return 0

    def find_bit(self, column: int) -> int:
        """Return the bit of the cell on which a disc into a *column* comes to lie."""
        return 1 << column * (self.rules.rows + 1) + self.heights[column]

    def has_line(self, discs: int) -> bool:
        """Test whether *discs*, as bits, hold a line."""
        height = self.rules.rows + 1
        for step in (1, height - 1, height, height + 1):
            run = discs
            for _ in range(self.rules.connect - 1):
                run &= run >> step
            if run:
                return True
        return False

    def positions_after(self, columns: list[int], side: int) -> NDArray[np.int64]:
        """Return the board after a disc into each of *columns*, as *side* sees it.

        Returns:
            Shape ``(columns, cells)``.
        """
        boards = np.repeat(self.board[None], len(columns), axis=0)
        for board, column in zip(boards, columns, strict=True):
            self.put(board, column, side)
        return OTHER_VIEW[boards] if side else boards

    def put(self, board: NDArray[np.int64], column: int, side: int) -> None:
        """Put a disc of *side* into a *column* of a *board*, in place."""
        cell = (self.rules.rows - 1 - self.heights[column]) * self.rules.columns + column
        board[cell] = 1 + side
        if cell >= self.rules.columns:
            board[cell - self.rules.columns] = NEXT

    def read(self, boards: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the table indices of all tuples and their mirror images, ``(boards, indices)``."""
        return boards[:, self.cells] @ self.powers + self.offsets

    def drop(self, column: int, side: int) -> None:
        """Drop a disc of *side* into a *column*."""
        self.put(self.board, column, side)
        self.discs[side] |= self.find_bit(column)
        self.heights[column] += 1
        self.ply += 1

    def learn(self, outcome: int) -> None:
        """Move values towards their λ-returns, as `evolve_arena.evolve.learning.returns` does."""
        learning = self.learning
        following = result = float(outcome)
        chosen = not self.explored[-1]
        for ply in range(self.ply - 2, -1, -1):
            value = self.values[ply]
            if chosen:
                mixed = (1.0 - learning.decay) * following + learning.decay * result
                result = learning.discount * mixed
                change = learning.step * (result - value) * (1.0 - learning.damped * value * value)
                signed = self.tables.dtype.type(change * (1 - 2 * (ply & 1)))
                np.add.at(self.tables[ply & 1], self.past[ply], signed)
                self.error += abs(result - value)
            else:
                result = value
            following = value
            chosen = not self.explored[ply]


def find_places(rules: Position, cells: Cells) -> NDArray[np.int64]:
    """Return the index in these tables of each entry of the compiled tables, shape ``(entries,)``.

    Entries are numbered tuple by tuple, of a tuple those of its leftmost column first, and of a
    column by the first of its states that shows the same on the tuple's cells: from few discs
    to many, discs as bits, the lowest one the lowest.
    """
    parts = []
    for number, tuple_ in enumerate(cells.tolist()):
        places = np.full(1, number * 4 ** len(tuple_))
        for column in sorted({cell % rules.columns for cell in tuple_}):
            shown: dict[int, None] = {}
            for discs in range(rules.rows + 1):
                for bits in range(2**discs):
                    states = [1 + (bits >> row & 1) for row in range(discs)]
                    states += [NEXT] + [OUT_OF_REACH] * rules.rows
                    seen = [
                        4**digit * states[rules.rows - 1 - cell // rules.columns]
                        for digit, cell in enumerate(tuple_)
                        if cell % rules.columns == column
                    ]
                    shown.setdefault(sum(seen))
            places = (np.array(list(shown))[:, None] + places).ravel()
        parts.append(places)
    return np.concatenate(parts)
