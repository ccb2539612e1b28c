"""Tuple networks by their definition, in plain Python: every cell is looked at each time."""

from __future__ import annotations

import math

import numpy as np

from evolve_arena.core.types import Array
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.networks import BoardTupleDecoder


def find_views(grid: Array, symmetry: str) -> list[Array]:
    """Return a board's views under its symmetry."""
    if symmetry == "all":
        return [np.rot90(each, k) for each in (grid, grid.T) for k in range(4)]
    turned = {"mirror": [grid[:, ::-1]], "turn": [grid[::-1, ::-1]]}
    return [grid, *turned.get(symmetry, [])]


def look(decoder: BoardTupleDecoder, position: Board, seat: int) -> Array:
    """Return the contents of the tuples' cells after a move of a *seat*."""
    game = decoder.game
    if game.name == "connect-four":
        rows, columns, height = game.rules.rows, game.rules.columns, game.code.HEIGHT
        words = [int(word) for word in position.state[:2]]
        own, other = words if seat == game.to_move(position) else words[::-1]
        bits = [height * column + row for row in range(rows)[::-1] for column in range(columns)]
        cells = np.array([(own >> bit & 1) + 2 * (other >> bit & 1) for bit in bits])
        for column in cells.reshape(rows, columns).T:
            height = np.count_nonzero(column)
            column[rows - 1 - height : rows - height] = 3
        return cells
    bits = game.observe(position, seat).astype(np.int64)
    if game.symmetry:
        numbers = game.plain.get("PLANE_NUMBERS", ())
        bits = bits[: len(bits) - np.count_nonzero(numbers)]
        return np.asarray(np.arange(1, len(bits) + 1) @ bits)
    if not game.highest_number:
        return bits.ravel()
    numbers = bits[:, : game.highest_number].sum(axis=1)
    if not decoder.contents:
        return numbers
    firsts = [0]
    for number in np.geomspace(1, game.highest_number, decoder.contents)[:-1]:
        firsts.append(max(firsts[-1] + 1, round(float(number))))
    return np.array([sum(number >= first for first in firsts) - 1 for number in numbers])


class PlainTuples:
    """A tuple network whose tables have room for what can't occur, too.

    Args:
        decoder: Its decoder.
        cells: Its tuples.
        numbers: What was learned, in the order of its entries.
    """

    def __init__(self, decoder: BoardTupleDecoder, cells: Array, numbers: Array) -> None:
        self.decoder, self.game = decoder, decoder.game
        tuples, length = cells.shape
        kinds = len(decoder.states)
        self.powers, self.offsets = kinds ** np.arange(length), np.arange(tuples) * kinds**length
        shape = (-1, self.game.rules.columns if self.game.name == "connect-four" else 1)
        if self.game.symmetry and shape[1] == 1:
            shape = -1, self.game.code.WIDTH
        views = find_views(np.arange(decoder.cells).reshape(shape), self.game.symmetry)
        self.cells = np.array([view.ravel()[cells] for view in views])
        entries = [decoder.list_entries(each) @ self.powers for each in cells]
        planes, size = self.game.observe(self.game.initial(), 0).shape
        self.counts = np.arange(planes * int(decoder.counts)) * (size + 1) + tuples * kinds**length
        ends = np.arange(planes * (size + 1) * int(decoder.counts)) + tuples * kinds**length
        self.places = np.concatenate(
            [offset + each for offset, each in zip(self.offsets, entries, strict=True)] + [ends]
        )
        sides = len(decoder.sides)
        self.tables = np.zeros((sides, tuples * kinds**length + len(ends)), dtype=numbers.dtype)
        self.tables[:, self.places] = numbers.reshape(sides, -1)

    @property
    def numbers(self) -> Array:
        """Return the learned numbers, in the order of its entries."""
        return self.tables[:, self.places].ravel()

    def read(self, position: Board, seat: int) -> tuple[int, Array]:
        """Return the table that counts after a move of a *seat*, and all tuples' places in it."""
        places = look(self.decoder, position, seat)[self.cells] @ self.powers + self.offsets
        again = self.decoder.turns and self.game.to_move(position) == seat
        side = seat if self.decoder.by_seat else int(again)
        counts = self.game.observe(position, seat).astype(np.int64).sum(axis=1)
        counts = counts[: len(self.counts)] + self.counts
        found = np.concatenate([places.ravel(), counts])
        return side * self.decoder.stages + self.find_stage(position), found

    def find_stage(self, position: Board) -> int:
        """Return the stage of a position: equal ranges of numbers of pieces, each a stage."""
        bits, numbers = self.game.observe(position, 0), self.game.plain.get("PLANE_NUMBERS")
        if isinstance(numbers, tuple):
            beside = bits[numbers.count(0) :].sum()
            return min(int(beside), self.decoder.stages - 1)
        pieces = int(bits.sum())
        has_board = self.game.stacks or self.game.symmetry
        most = self.decoder.cells if has_board else self.game.observe(position, 0).size
        ends = [math.ceil((most + 1) / self.decoder.stages) * (k + 1) for k in range(1000)]
        return min(sum(pieces >= end for end in ends), self.decoder.stages - 1)

    def value(self, position: Board, seat: int) -> np.floating:
        """Return the sum of all entries after a move of a *seat*."""
        side, places = self.read(position, seat)
        return self.tables[side][places].sum()

    def choose(self, position: Board, moves: list[int]) -> int:
        """Return the first move that wins, else the first that leads to the largest value."""
        seat = self.game.to_move(position)
        after = {move: self.game.play(position, move) for move in moves}
        for move, then in after.items():
            if (end := self.game.outcome(then)) and end.winner == seat:
                return move
        return max(moves, key=lambda move: (self.value(after[move], seat), -move))
