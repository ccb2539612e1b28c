"""How fast checkers is searched, against the same search in plain Python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from benchmarks.line import Line
from evolve_arena.arena.batch import new_results
from evolve_arena.games.checkers.board import MOST_MOVES, repetition_key
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.kernel import draw_openings, play_matches
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.values import (
    DEPTH,
    FEATURES,
    LINEAR,
    PLANE,
    QUIET,
    SEAT_FIELDS,
    TABLE_SIZE,
    UNIT,
    make_checkers_workspace,
)
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.packed import NETWORK, PackedPlayers, combine_players, simple_player
from evolve_arena.players.search import NODES, WIN

__all__ = ["measure"]

GAME = Checkers()
POSITIONS_TARGET, GENERATION_TARGET = 1e6, 10.0
PLAIN_POSITIONS = 8
POSITIONS, ROUNDS, GENERATION_ROUNDS = 200, 7, 3
PLAYERS = 30
SMALL = {"PLAIN_POSITIONS": 1, "POSITIONS": 4, "ROUNDS": 1, "GENERATION_ROUNDS": 1, "PLAYERS": 4}
MLP_32_40_10_1 = MLP(32, (40, 10), 1, "tanh")
FACTORS = (1, 2, -1, -2)


def measure() -> Iterator[Line]:
    """All lines about searching checkers."""
    positions = draw_midgame(POSITIONS)
    plain = _plain_speed(positions[:PLAIN_POSITIONS], 4)
    nodes, moves = _speed(_linear(14, 4), positions)
    yield Line(
        "checkers search with 14 features, depth 4, midgame, one core",
        moves,
        "moves/s",
        f"alpha-beta in plain Python, same features: {plain:,.1f} moves/s",
        moves / plain,
    )
    yield Line("the same, positions searched", nodes / 1e6, "million/s")
    for depth, count in ((6, 100), (8, 30)):
        nodes, moves = _speed(_linear(14, depth), positions[:count])
        name = f"checkers search with 14 features, depth {depth}"
        target = f"{POSITIONS_TARGET / 1e6:g}"
        yield Line(name, nodes / 1e6, "million/s", "", None, target, nodes >= POSITIONS_TARGET)
        yield Line("the same", moves, "moves/s")
    for name, packed in (
        ("checkers search with 4 features, depth 6", _linear(4, 6)),
        ("checkers search with 20 features, depth 6", _linear(20, 6)),
        ("checkers search with 14 features and quiet search, depth 6", _linear(14, 6, quiet=1)),
        ("checkers search with a network 32-40-10-1, depth 4", draw_networks(1, 4)),
        ("checkers search with a network 32-40-10-1, depth 6", draw_networks(1, 6)),
    ):
        nodes, _ = _speed(packed, positions[:100])
        yield Line(name, nodes / 1e6, "million/s")
    one, two = _generation_seconds(1), _generation_seconds(2)
    yield Line(
        f"{PLAYERS} networks 32-40-10-1, five games each at depth 4, two cores",
        two,
        "s",
        f"on one core: {one:.3g} s",
        one / two,
        f"at most {GENERATION_TARGET:g}",
        two <= GENERATION_TARGET,
    )


def _linear(features: int, depth: int, *, quiet: int = 0) -> PackedPlayers:
    """Counts pieces and, a little, other things."""
    packed = simple_player(SEAT_FIELDS, LINEAR)
    packed.seats[0, [DEPTH, FEATURES, QUIET]] = depth, features, quiet
    worth = np.random.default_rng(1).normal(0.0, 0.1, features)
    worth[:4] = 1.0, 1.5, -1.0, -1.5
    tables = np.rint(worth[:, None] * np.arange(TABLE_SIZE) * UNIT)
    return packed._replace(columns=tables.astype(np.int32).ravel())


def draw_networks(count: int, depth: int) -> PackedPlayers:
    """Networks of small random weights, with kings that count twice."""
    packed_players = []
    for genome in draw_genomes(count):
        columns, weights = MLP_32_40_10_1.pack(genome[None], encode_board(PLANE))
        packed = simple_player(SEAT_FIELDS, NETWORK)
        packed.seats[0, DEPTH] = depth
        shapes = MLP_32_40_10_1.shape[None]
        packed_players.append(
            packed._replace(shapes=shapes, columns=columns.ravel(), weights=weights.ravel())
        )
    return combine_players(packed_players)


def draw_genomes(count: int) -> NDArray[np.float32]:
    """Small random weights for networks 32-40-10-1, shape ``(count, genes)``."""
    genomes = np.random.default_rng(1).uniform(-0.2, 0.2, (count, MLP_32_40_10_1.genes))
    return genomes.astype(np.float32)


def encode_board(plane: int) -> Encoding:
    """The squares as inputs of such a network, where a plane of pieces has so many bits."""
    places = [place for place in range(PLANE) if place % 9 != 8]
    index = np.full((4, plane), -1)
    index[:, places] = np.arange(32)
    return Encoding(32, index.ravel(), np.repeat(FACTORS, plane), 24)


def draw_midgame(count: int) -> list[Position]:
    """Positions after 10 to 29 random plies in which there is a choice."""
    positions = []
    for plies in range(10, 30):
        openings = np.zeros((1 + count // 16, plies), dtype=np.int64)
        draw_openings(GAME.rules, np.arange(len(openings), dtype=np.uint64), openings)
        for opening in openings.tolist():
            position = GAME.initial()
            for word in opening:
                position = GAME.play(position, GAME.move_of(word))
            if len(GAME.legal_moves(position)) > 1:
                positions.append(position)
    order = np.random.default_rng(1).permutation(len(positions))
    return [positions[place] for place in order[:count]]


def find_sides(position: Position) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The pieces of who is to move, the other's, and the kings."""
    pieces = np.uint64(position.dark), np.uint64(position.light)
    own, other = pieces if position.side == 0 else pieces[::-1]
    return own, other, np.uint64(position.kings)


def _speed(packed: PackedPlayers, positions: Sequence[Position]) -> tuple[float, float]:
    """Positions searched and moves found a second: the best of some rounds."""
    boards = [(*find_sides(position), position.side, 0) for position in positions]
    find_moves(packed, 0, *boards[0], make_checkers_workspace(packed))
    best = np.inf
    for _ in range(ROUNDS):
        workspace = make_checkers_workspace(packed)
        start = time.perf_counter()
        for board in boards:
            find_moves(packed, 0, *board, workspace)
        best = min(best, time.perf_counter() - start)
    return float(workspace.memory[NODES]) / best, len(boards) / best


def _generation_seconds(cores: int) -> float:
    """Seconds that networks take for five games each against others: the best of some rounds."""
    packed = draw_networks(PLAYERS, 4)
    opponents = np.random.default_rng(2).integers(PLAYERS, size=(PLAYERS, 5))
    pairings = np.stack(np.broadcast_arrays(np.arange(PLAYERS)[:, None], opponents), axis=2)
    pairings = pairings.reshape(-1, 2).astype(np.int32)
    best = np.inf
    with ThreadPoolExecutor(cores) as pool:
        for _ in range(GENERATION_ROUNDS):
            start = time.perf_counter()
            parts = np.array_split(pairings, cores)
            assert sum(pool.map(_play, [packed] * cores, parts)) == len(pairings)
            best = min(best, time.perf_counter() - start)
    return best


def _play(packed: PackedPlayers, pairings: np.ndarray) -> int:
    """Plays matches in compiled code, which lets other threads run meanwhile."""
    count = len(pairings)
    play_matches(
        GAME.rules,
        packed,
        pairings,
        np.arange(count, dtype=np.uint64),
        np.zeros((count, 0), dtype=np.int64),
        make_checkers_workspace(packed),
        *new_results(GAME, count).arrays,
    )
    return count


Board = tuple[int, int, int, int]
"""The pieces of who is to move, the other's, the kings, and the side."""

OVER = (4, 5, -4, -5)


def _plain_speed(positions: Sequence[Position], depth: int) -> float:
    """Moves a second; the values must be those of the compiled search."""
    packed = _linear(14, depth)
    search = PlainSearch(packed)
    boards = [(*map(int, find_sides(position)), position.side) for position in positions]
    search.find_value(boards[0], 1)  # compiles what counts features
    start = time.perf_counter()
    found = [search.find_value(board, depth) for board in boards]
    seconds = time.perf_counter() - start
    workspace = make_checkers_workspace(packed)
    for position, value in zip(positions, found, strict=True):
        workspace.past[0] = repetition_key(*find_sides(position), position.side)
        _, expected = find_moves(packed, 0, *find_sides(position), position.side, 0, workspace)
        assert value == expected
    return len(boards) / seconds


class PlainSearch:
    """Alpha-beta in plain Python, on the same bits; features are counted by compiled code."""

    def __init__(self, packed: PackedPlayers) -> None:
        self.tables = packed.columns.reshape(-1, TABLE_SIZE).tolist()
        self.counts = np.zeros(len(self.tables), dtype=np.int64)
        self.moves = np.zeros(MOST_MOVES, dtype=np.uint64)
        self.searcher = 0

    def find_value(self, board: Board, depth: int) -> int:
        """What the position is worth to who is to move, at the root."""
        self.searcher = board[3]
        return self.value(board, depth, -2 * WIN, 2 * WIN)

    def value(self, board: Board, depth: int, low: int, high: int) -> int:
        """The same anywhere; a bound if not between *low* and *high*."""
        following = list_plainly(*board)
        if not following:
            return -(WIN + depth + 1)
        if depth == 0:
            return self.evaluate(board)
        best = -2 * WIN
        for child in following:
            best = max(best, -self.value(child, depth - 1, -high, -max(low, best)))
            if best >= high:
                break
        return best

    def evaluate(self, board: Board) -> int:
        """What the features are worth to who is to move."""
        own, other, kings, side = board
        if side != self.searcher:
            own, other = other, own
        words = map(np.uint64, (own, other, kings))
        count_features(self.counts, 0, len(self.counts), *words, self.searcher, self.moves, 0)
        counts = self.counts.tolist()
        total = sum(table[min(n, 31)] for table, n in zip(self.tables, counts, strict=True))
        return total if side == self.searcher else -total


BOARD = sum(1 << place for place in range(PLANE) if place % 9 != 8)
FAR_ROWS = 0xF | 0xF << 31


def list_plainly(own: int, other: int, kings: int, side: int) -> list[Board]:
    """The positions that moves lead to."""
    empty = BOARD & ~(own | other)
    men_steps = OVER[:2] if side == 0 else OVER[2:]
    captures: list[Board] = []
    steps: list[Board] = []
    left = own
    while left:
        piece = left & -left
        left ^= piece
        directions = OVER if piece & kings else men_steps
        _jump_plainly(captures, own ^ piece, other, kings, side, piece, empty | piece, directions)
        if not captures:
            for step in directions:
                target = _shift_plainly(piece, step) & empty
                if target:
                    steps.append(_place_plainly(own ^ piece, other, kings, side, piece, target))
    return captures or steps


def _jump_plainly(
    found: list[Board],
    rest: int,
    other: int,
    kings: int,
    side: int,
    piece: int,
    empty: int,
    directions: tuple[int, ...],
    start: int = 0,
) -> None:
    """Adds the positions after all complete captures of the *piece* that began at *start*."""
    ends_here = start != 0
    for step in directions:
        over = _shift_plainly(piece, step) & other
        target = _shift_plainly(over, step) & empty
        if target:
            ends_here = False
            left = other ^ over
            _jump_plainly(found, rest, left, kings, side, target, empty, directions, start or piece)
    if ends_here:
        found.append(_place_plainly(rest, other, kings, side, start, piece))


def _place_plainly(rest: int, other: int, kings: int, side: int, start: int, end: int) -> Board:
    crowned = end if start & kings or end & FAR_ROWS else 0
    return other, rest | end, (kings & (rest | other)) | crowned, 1 - side


def _shift_plainly(bits: int, step: int) -> int:
    return bits << step if step > 0 else bits >> -step
