"""Q-learning written with NumPy, a game at a time: the baseline of the compiled learner.

It follows the definition, not the compiled code: boards are arrays, lines are looked for cell by
cell, and all is ``float64``. From the same weights and the same random numbers it plays the same
games, as long as no choice is so close that rounding decides it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Settings

__all__ = ["PlainLearner"]

Board = NDArray[np.int64]
"""Cells from the top row down: 0 empty, 1 a disc of the first player, 2 one of the second."""

OTHER = {1: 2, 2: 1}


class PlainLearner:
    """One network that plays itself.

    Args:
        genome: The network's weights, in the order of :mod:`evolve_arena.genomes.mlp`.
        hidden: Number of hidden units.
        options: The keys of ``[method]``, and ``columns``, ``rows`` and ``connect``.
    """

    def __init__(self, genome: NDArray[np.float32], hidden: int, options: Settings) -> None:
        self.options = options
        self.columns, self.rows = options["columns"], options["rows"]
        inputs = self.columns * self.rows + 1
        weights = genome.astype(np.float64)
        self.first = weights[: inputs * hidden].reshape(inputs, hidden)
        self.biases = weights[inputs * hidden : (inputs + 1) * hidden]
        self.last = weights[(inputs + 1) * hidden : -1]
        self.bias = weights[-1]
        self.future: Callable[[Board, int], float] = {
            "best-known": self._future_by_best,
            "mean": self._future_by_mean,
        }[options["future"]]

    def genome(self) -> NDArray[np.float64]:
        """Return the current weights."""
        return np.concatenate([self.first.ravel(), self.biases, self.last, [self.bias]])

    def play_game(self, rng: Stream) -> list[int]:
        """Play one game, learn from each move, and return the columns."""
        board = np.zeros((self.rows, self.columns), dtype=np.int64)
        moves: list[int] = []
        player = 1
        while True:
            column = self._choose(board, player, rng)
            moves.append(column)
            after = self._drop(board, column, player)
            self.learn(board, column, player, self.target(after, player))
            if self._result(after, player) is not None:
                return moves
            board, player = after, OTHER[player]

    def values(self, board: Board, player: int) -> NDArray[np.float64]:
        """Return the value of each column, minus infinity for full ones."""
        read = np.tile(self._read(board, player, 0), (self.columns, 1))
        read[:, -1] = np.arange(self.columns)
        values = self._hidden(read) @ self.last + self.bias
        return np.where(board[0] == 0, values, -np.inf)

    def target(self, after: Board, player: int) -> float:
        """Return the learning target of *player*'s move that led to *after*."""
        result = self._result(after, player)
        if result is not None:
            return float(self.options["rewards"][result])
        return float(
            self.options["rewards"]["move"] + self.options["discount"] * self.future(after, player)
        )

    def learn(self, board: Board, column: int, player: int, target: float) -> None:
        """Learn a move's value, and that of its mirror image."""
        self._descend(self._read(board, player, column), target)
        image = board[:, ::-1]
        if self.options["mirror"] and (image != board).any():
            self._descend(self._read(image, player, self.columns - 1 - column), target)

    def _descend(self, read: NDArray[np.float64], target: float) -> None:
        hidden = self._hidden(read)
        step = self.options["learning_rate"] * (target - (hidden @ self.last + self.bias))
        change = step * self.last * hidden * (1.0 - hidden)
        self.last = self.last + step * hidden
        if not self.options["faithful"]:
            self.bias += step
        self.first = self.first + np.outer(read, change)
        self.biases = self.biases + change

    def _choose(self, board: Board, player: int, rng: Stream) -> int:
        values = self.values(board, player)
        policy = self.options["policy"]
        if policy["exploration"] == "epsilon":
            if chance(rng) < policy["epsilon"]:
                while True:
                    column = int(below(rng, self.columns))
                    if board[0, column] == 0:
                        return column
            return int(np.argmax(values))
        weights = np.exp((values - values.max()) / policy["temperature"])
        return int(np.searchsorted(np.cumsum(weights), chance(rng) * weights.sum(), "right"))

    def _future_by_best(self, after: Board, player: int) -> float:
        reply = int(np.argmax(self.values(after, OTHER[player])))
        return self._future_after(after, reply, player)

    def _future_by_mean(self, after: Board, player: int) -> float:
        replies = np.flatnonzero(after[0] == 0)
        return float(np.mean([self._future_after(after, reply, player) for reply in replies]))

    def _future_after(self, after: Board, reply: int, player: int) -> float:
        replied = self._drop(after, reply, OTHER[player])
        result = self._result(replied, OTHER[player])
        if result is None:
            return float(self.values(replied, player).max())
        if self.options["faithful"]:
            return 0.0
        return float(self.options["rewards"][{"win": "loss", "draw": "draw"}[result]])

    def _hidden(self, read: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1.0 / (1.0 + np.exp(-(read @ self.first + self.biases)))

    def _read(self, board: Board, player: int, column: int) -> NDArray[np.float64]:
        cells = board if player == 1 else np.array([0, 2, 1])[board]
        return np.append(cells.ravel(), column).astype(np.float64)

    def _drop(self, board: Board, column: int, player: int) -> Board:
        after = board.copy()
        after[np.flatnonzero(board[:, column] == 0)[-1], column] = player
        return after

    def _result(self, board: Board, player: int) -> str | None:
        """Return ``win`` or ``draw`` if *player*'s move ended the game, else None."""
        full = bool((board[0] != 0).all())
        if full and self.options["faithful"]:
            return "draw"
        if self._has_line(board == player):
            return "win"
        return "draw" if full else None

    def _has_line(self, own: NDArray[np.bool_]) -> bool:
        length = self.options["connect"]
        for row_step, column_step in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            high = self.rows - (length - 1) * abs(row_step)
            wide = self.columns - (length - 1) * column_step
            if high < 1 or wide < 1:
                continue
            lines = np.ones((high, wide), dtype=bool)
            for place in range(length):
                top = place * row_step if row_step >= 0 else (length - 1 - place)
                left = place * column_step
                lines &= own[top : top + high, left : left + wide]
            if lines.any():
                return True
        return False
