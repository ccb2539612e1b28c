"""The baseline: tuple networks as a good user of NumPy would write them, for play and learning.

It plays the games of the compiled method, from the same seeds, and learns the same from each, but
for how sums round. Cells stand in one array with their four states as digits, so an entry is a
product of digits and powers of four, and all moves of a position are valued in one go. A table
has room for every combination, also for those that can't occur.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.stream import Stream, below, chance, new_stream
from evolve_arena.evolve.learning.tuple_learning import LearningSettings
from evolve_arena.games.connect_four.bitboard import Rules, winning_cells
from evolve_arena.genomes.tuples import Cells

__all__ = ["NumpyTuples", "find_places"]

OUT_OF_REACH, NEXT = 0, 3
"""States of empty cells; 1 and 2 are discs."""


class NumpyTuples:
    """A tuple network that plays itself and learns.

    Args:
        rules: The board.
        cells: Its tuples, shape ``(tuples, length)``, as `evolve_arena.genomes.tuples` numbers
            cells.
        tables: Shape ``(2, tuples, 4 ** length)``, changed in place: what counts after a move of
            who began, and of the other; the first cell is the lowest digit.
        learning: How it plays and learns.
        seed: Of its games.
    """

    def __init__(
        self,
        rules: Rules,
        cells: Cells,
        tables: NDArray[Any],
        learning: LearningSettings,
        seed: int,
    ) -> None:
        self.rules = rules
        column, row = np.divmod(cells.astype(np.int64), rules.rows)
        mirrored = (rules.columns - 1 - column) * rules.rows + row
        self.cells = np.concatenate([cells, mirrored]).astype(np.int64)
        tuples, length = cells.shape
        self.powers = 4 ** np.arange(length)
        self.offsets = np.tile(np.arange(tuples), 2) * 4**length
        self.tables = tables.reshape(2, -1)
        self.learning = learning
        self.stream: Stream = new_stream(seed)
        self.plies = 0
        self.error = 0.0

    def play_games(self, games: int) -> None:
        """Plays *games* games and learns from each."""
        for _ in range(games):
            self.begin()
            outcome = self.play()
            self.plies += self.ply
            self.learn(outcome)

    def begin(self) -> None:
        """Clears the board."""
        rules = self.rules
        self.board = np.zeros(rules.columns * rules.rows, dtype=np.int64)
        self.board[:: rules.rows] = NEXT
        self.heights = [0] * rules.columns
        self.discs = [0, 0]
        self.ply = 0
        self.past: list[NDArray[np.int64]] = []
        self.values: list[float] = []
        self.explored: list[bool] = []

    def play(self) -> int:
        """Plays a game: 1, 0 or -1 for who began."""
        rules = self.rules
        while self.ply < rules.columns * rules.rows:
            side = self.ply & 1
            if self.find_wins(side):
                self.ply += 1
                return 1 - 2 * side
            self.explored.append(bool(chance(self.stream) < self.learning.exploration))
            columns = [c for c in range(rules.columns) if self.heights[c] < rules.rows]
            if self.explored[-1]:
                columns = [self.draw()]
            numbers = self.read(self.positions_after(columns, side))
            totals = self.tables[side][numbers].sum(axis=1)
            best = int(np.argmax(totals if side == 0 else -totals))
            self.past.append(numbers[best])
            self.values.append(math.tanh(totals[best]))
            self.drop(columns[best], side)
        return 0

    def find_wins(self, side: int) -> bool:
        """Whether a disc of *side* into some column wins."""
        height = self.rules.rows + 1
        free = sum(
            1 << column * height + discs
            for column, discs in enumerate(self.heights)
            if discs < self.rules.rows
        )
        return bool(int(winning_cells(np.uint64(self.discs[side]), self.rules)) & free)

    def draw(self) -> int:
        """A random column that has room."""
        while True:
            column = int(below(self.stream, self.rules.columns))
            if self.heights[column] < self.rules.rows:
                return column

    def positions_after(self, columns: list[int], side: int) -> NDArray[np.int64]:
        """The board after a disc into each of *columns*, shape ``(columns, cells)``."""
        boards = np.repeat(self.board[None], len(columns), axis=0)
        for board, column in zip(boards, columns, strict=True):
            self.put(board, column, side)
        return boards

    def put(self, board: NDArray[np.int64], column: int, side: int) -> None:
        """Lays a disc on a *board*."""
        cell = column * self.rules.rows + self.heights[column]
        board[cell] = 1 + side
        if self.heights[column] + 1 < self.rules.rows:
            board[cell + 1] = NEXT

    def read(self, boards: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each reading of each board finds its entry, shape ``(boards, readings)``."""
        return boards[:, self.cells] @ self.powers + self.offsets

    def drop(self, column: int, side: int) -> None:
        """Plays a move."""
        self.put(self.board, column, side)
        self.discs[side] |= 1 << column * (self.rules.rows + 1) + self.heights[column]
        self.heights[column] += 1
        self.ply += 1

    def learn(self, outcome: int) -> None:
        """Draws values towards their λ-returns, as `tuple_learning` does."""
        learning = self.learning
        following = result = float(outcome)
        chosen = outcome != 0 or not self.explored[-1]
        for ply in range(self.ply - 2, -1, -1):
            value = self.values[ply]
            if chosen:
                mixed = (1.0 - learning.decay) * following + learning.decay * result
                result = learning.discount * mixed
                change = learning.step * (result - value) * (1.0 - learning.damped * value * value)
                np.add.at(self.tables[ply & 1], self.past[ply], self.tables.dtype.type(change))
                self.error += abs(result - value)
            else:
                result = value
            following = value
            chosen = not self.explored[ply]


def find_places(rules: Rules, cells: Cells) -> NDArray[np.int64]:
    """For each entry of the compiled tables its place in the tables here, shape ``(entries,)``.

    Entries are numbered tuple by tuple, of a tuple those of its leftmost column first, and of a
    column by the first of its states that shows the same on the tuple's cells: from few discs
    to many, discs as bits, the lowest one the lowest.
    """
    parts = []
    for number, tuple_ in enumerate(cells.tolist()):
        places = np.full(1, number * 4 ** len(tuple_))
        for column in sorted({cell // rules.rows for cell in tuple_}):
            shown: dict[int, None] = {}
            for discs in range(rules.rows + 1):
                for bits in range(2**discs):
                    states = [1 + (bits >> row & 1) for row in range(discs)]
                    states += [NEXT] + [OUT_OF_REACH] * rules.rows
                    seen = [
                        4**digit * states[cell % rules.rows]
                        for digit, cell in enumerate(tuple_)
                        if cell // rules.rows == column
                    ]
                    shown.setdefault(sum(seen))
            places = (np.array(list(shown))[:, None] + places).ravel()
        parts.append(places)
    return np.concatenate(parts)
