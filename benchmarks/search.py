"""How fast minimax searches Connect Four, against the same search in plain Python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.line import Line
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.game import AnyGame
from evolve_arena.games.connect_four.column_player import count_lines
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.search import find_moves
from evolve_arena.games.connect_four.workspace import LEAST_WITH_TABLE, TABLE_BITS
from evolve_arena.players.search import NODES, WIN, make_memory

__all__ = ["measure"]

GAME = ConnectFour()
LINES = count_lines(GAME.rules)
TARGET = 20_000.0
PLAIN_POSITIONS = 20
POSITIONS, DEEP = 400, ((8, 200), (12, 40))
"""Positions searched four plies deep; other depths, and the positions for each."""
ROUNDS = 9
SMALL = {"PLAIN_POSITIONS": 2, "POSITIONS": 20, "DEEP": ((8, 2),), "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """All lines about searching."""
    positions = draw_midgame(GAME, range(8, 21), POSITIONS)
    plain = _plain_speed(positions[:PLAIN_POSITIONS], 4)
    speed, nodes = _speed(positions, 4)
    yield Line(
        "minimax of depth 4, midgame, one core",
        speed,
        "moves/s",
        f"the same alpha-beta in plain Python: {plain:,.0f} moves/s",
        speed / plain,
        "20,000",
        speed >= TARGET,
    )
    yield Line("the same, positions searched", nodes / 1e6, "million/s")
    for depth, count in DEEP:
        without, _ = _speed(positions[:count], depth, bits=0)
        speed, nodes = _speed(positions[:count], depth)
        text = f"without a table: {without:,.0f} moves/s"
        yield Line(f"minimax of depth {depth}, midgame", speed, "moves/s", text, speed / without)
        yield Line("the same, positions searched", nodes / 1e6, "million/s")


def draw_midgame(game: AnyGame, lengths: range, count: int) -> list[Any]:
    """Positions of a *game* after so many random plies."""
    positions = []
    for plies in lengths:
        for opening in random_openings(game, plies, 1 + count // len(lengths), plies):
            position = game.initial()
            for move in opening:
                position = game.play(position, int(move))
            positions.append(position)
    order = np.random.default_rng(1).permutation(len(positions))
    return [positions[place] for place in order[:count]]


def _speed(
    positions: Sequence[Position], depth: int, bits: int | None = None
) -> tuple[float, float]:
    """Moves and positions searched a second: the best of some rounds."""
    if bits is None:
        bits = TABLE_BITS if depth >= LEAST_WITH_TABLE else 0
    boards = [tuple(np.uint64(discs) for discs in _sides(position)) for position in positions]
    find_moves(GAME.rules, LINES, 0, make_memory(bits), *boards[0], depth)
    best = np.inf
    for _ in range(ROUNDS):
        memory = make_memory(bits)
        start = time.perf_counter()
        for own, other in boards:
            find_moves(GAME.rules, LINES, 0, memory, own, other, depth)
        best = min(best, time.perf_counter() - start)
    return len(positions) / best, float(memory[NODES]) / best


def _plain_speed(positions: Sequence[Position], depth: int) -> float:
    """Moves a second; the best moves must be those of the compiled search."""
    start = time.perf_counter()
    found = [_best_plainly(*_sides(position), depth) for position in positions]
    seconds = time.perf_counter() - start
    memory = make_memory(0)
    for position, best in zip(positions, found, strict=True):
        boards = (np.uint64(discs) for discs in _sides(position))
        assert best == int(find_moves(GAME.rules, LINES, 0, memory, *boards, depth)[0])
    return len(positions) / seconds


def _sides(position: Position) -> tuple[int, int]:
    sides = position.first, position.second
    return sides[::-1] if position.ply % 2 else sides


WEIGHTS = [int(lines) for lines in LINES]
ORDER = sorted(range(48), key=lambda cell: -WEIGHTS[cell])
BOTTOM = sum(1 << 7 * column for column in range(7))
BOARD = BOTTOM * 63


def _best_plainly(own: int, other: int, depth: int) -> int:
    """The cells of the best moves, as bits."""
    score = sum(WEIGHTS[c] * ((own >> c & 1) - (other >> c & 1)) for c in range(49))
    best, found = -2 * WIN, 0
    for cell in _moves_plainly(own | other):
        gained = score + WEIGHTS[cell]
        value = -_value_plainly(other, own | 1 << cell, -gained, depth - 1, -2 * WIN, 1 - best)
        if value > best:
            best, found = value, 0
        if value == best:
            found |= 1 << cell
    return found


def _value_plainly(own: int, other: int, score: int, depth: int, low: int, high: int) -> int:
    if _has_line_plainly(other):
        return -(WIN + depth + 1)
    if own | other == BOARD:
        return 0
    if depth == 0:
        return score
    best = -2 * WIN
    for cell in _moves_plainly(own | other):
        gained = score + WEIGHTS[cell]
        floor = max(low, best)
        value = -_value_plainly(other, own | 1 << cell, -gained, depth - 1, -high, -floor)
        best = max(best, value)
        if best >= high:
            break
    return best


def _moves_plainly(discs: int) -> list[int]:
    free = (discs + BOTTOM) & BOARD
    return [cell for cell in ORDER if free >> cell & 1]


def _has_line_plainly(discs: int) -> bool:
    for step in (1, 6, 7, 8):
        pairs = discs & (discs >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False
