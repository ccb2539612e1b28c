"""How players of checkers sit at a board, and what they think of positions, compiled.

Who searches values all positions for itself, also those in which the opponent is to move. It
sees its own men going to higher squares: light's board is turned round, bit b becoming bit 34 - b.
Values are whole numbers in units of 2**-20.

There are three ways to value. *Features* (:mod:`evolve_arena.games.checkers.features`) are looked
up: for each there is a table of 32 numbers, what its value adds. A *graph* has them as inputs, each
times :data:`INPUT_SCALE`. A *network* has four planes of inputs: own men, own kings, the other's
men, the other's kings. Its first layer is kept as running sums through the search: a move changes a
few squares and so adds and takes away a few columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.checkers.board import (
    DRAW_PLIES,
    FAR_ROWS,
    MOST_MOVES,
    captured_pieces,
    end_bit,
    start_bit,
)
from evolve_arena.games.checkers.features import count_features
from evolve_arena.genomes.neat.graph import run_graph
from evolve_arena.genomes.network import (
    LAYERS,
    SHAPE_FIELDS,
    SIZES,
    activate_sums,
    evaluate_hidden,
    padded,
    single_output,
)
from evolve_arena.genomes.simd import LANES, add_int, load_int, peek, poke, scale_int, store_int
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NETWORK,
    NUMBERS_AT,
    OWN_FIELDS,
    SHAPE,
    WEIGHTS_AT,
    PackedPlayers,
)
from evolve_arena.players.search import make_memory

DEPTH, QUIET, FEATURES, SLOTS, TERMS = range(OWN_FIELDS, OWN_FIELDS + 5)
"""Fields of a player's record, beside the usual ones: how many plies it looks ahead, at least 1;
whether it follows captures beyond its last ply until none is left (1); how many features it counts,
0 for a network; and how many slots and terms a graph has (see `genomes.neat.graph`).
"""
SEAT_FIELDS = OWN_FIELDS + 5
LINEAR = 8
"""A kind of players, beside the usual ones: those that look features up."""

HAS_NETWORKS = True
HAS_GRAPHS = True
HAS_FEATURES = True
"""What players there are; copies of this file are compiled for fewer (see `GameSpec.kernel`)."""

UNIT = 1 << 20
"""What 1.0 is as a value of a position."""
LARGEST = float(1 << 39)
"""Outputs of networks beyond it, on either side, count as this much: less than a win."""

INPUT_SCALE = 1.0 / 8.0
"""What a graph's inputs are of the features' values: 0 to 1.5 for men, and seldom above 2. A power
of two, so that nothing is rounded."""

TABLE_SIZE = 32
"""Numbers in the table of a feature."""
PLANE = 35
"""Bits of the board, and so columns in each of a network's planes."""

SIDE, NUMBER, COUNT, FOLLOWS, VALUES_AT, WIDTH, WEIGHTS, SHAPE_AT = 1, 2, 3, 4, 5, 6, 7, 8
"""Fields of a room, about who searches now: its side; by which number the table knows its values;
how many features it counts, 0 for a network; whether it follows captures; where its numbers begin
in ``columns``, or a graph's structure; for a network the padded width of its first layer, where its
later ones begin in ``weights``, and its shape. Field 0 counts positions."""
NODES_AT = SHAPE_AT + SHAPE_FIELDS
GRAPH_SLOTS = NODES_AT + 1
"""More fields, of a graph: where its numbers begin in ``numbers``; and how many slots its plane of
values has, 0 for everybody else."""
COUNTS_AT = GRAPH_SLOTS + 1
"""Where features are counted."""
HISTORY_AT = COUNTS_AT + 32
ENDS = 4096
"""What moves cut off, from ``HISTORY_AT`` on: for each side, a number for each start and end."""
MEMORY_TABLE_AT = HISTORY_AT + 2 * ENDS

TABLE_BITS, LEAST_WITH_TABLE = 14, 4
"""Searches of so many plies have a table, of ``2**TABLE_BITS`` positions (384 KiB)."""
MOST_CAPTURES = 24
"""No sequence of captures is longer: there are not more pieces."""

ONE = np.uint64(1)
TURN = np.uint64(PLANE - 1)


class CheckersWorkspace(NamedTuple):
    """Room for matches of packed players, used again and again."""

    memory: NDArray[np.int64]
    """What a search needs; see :data:`SIDE` and :mod:`evolve_arena.players.search`."""
    moves: NDArray[np.uint64]
    """The moves of all positions between the board and the one being searched."""
    sums: NDArray[np.int32]
    """The running sums of these positions."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    values: NDArray[np.float64]
    """The plane of a graph's values, and then its terms (see
    :mod:`evolve_arena.genomes.neat.graph`)."""
    past: NDArray[np.uint64]
    """The positions since the last move that can't be taken back; see
    :func:`evolve_arena.games.checkers.board.note_position`. One place more than a game needs, to
    try moves."""
    slots: NDArray[np.int64]
    """The rows of the players who sit there: first who began."""
    streams: NDArray[np.uint64]
    """The random stream of the match."""


def make_checkers_workspace(packed: PackedPlayers) -> CheckersWorkspace:
    """Room for any match among the players of *packed*."""
    seats = packed.seats
    searches = seats[np.isin(seats[:, KIND], (LINEAR, NETWORK, GRAPH))]
    graphs = seats[seats[:, KIND] == GRAPH]
    deepest = int(searches[:, DEPTH].max(initial=0))
    plies = deepest + 1
    if searches[:, QUIET].any():
        plies += MOST_CAPTURES
    widest = 0
    for shape in packed.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    return CheckersWorkspace(
        make_memory(TABLE_BITS if deepest >= LEAST_WITH_TABLE else 0, MEMORY_TABLE_AT, 3),
        np.zeros((plies + 1) * MOST_MOVES, dtype=np.uint64),
        np.zeros((plies + 1) * widest, dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(int((graphs[:, SLOTS] + graphs[:, TERMS]).max(initial=0)), dtype=np.float64),
        np.zeros(DRAW_PLIES + 2, dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.uint64),
    )


@inlined
def init_player(packed: Any, player: int, workspace: Any, slot: int) -> None:
    """Seats the *player*, a row of the packed players; *slot* is 0 for who begins, else 1."""
    poke(workspace.slots, slot, player)


@compiled
def forget_positions(workspace: Any) -> None:
    """Empties the table. Whoever changes a player's numbers must do that before it searches."""
    for place in range(MEMORY_TABLE_AT, workspace.memory.shape[0]):
        poke(workspace.memory, place, 0)


@inlined
def get_ready(packed: Any, player: int, side: int, memory: Any) -> None:
    """Notes in the *memory* who searches: the *player*, a row of the seats, of colour *side*."""
    kind = packed.seats[player, KIND]
    poke(memory, SIDE, side)
    poke(memory, NUMBER, 2 * player + side)
    poke(memory, FOLLOWS, packed.seats[player, QUIET])
    poke(memory, VALUES_AT, packed.seats[player, COLUMNS_AT])
    poke(memory, COUNT, packed.seats[player, FEATURES])
    poke(memory, WIDTH, 0)
    poke(memory, GRAPH_SLOTS, 0)
    if HAS_GRAPHS and kind == GRAPH:
        poke(memory, NODES_AT, packed.seats[player, NUMBERS_AT])
        poke(memory, GRAPH_SLOTS, packed.seats[player, SLOTS])
    if HAS_NETWORKS and kind == NETWORK:
        row = packed.seats[player, SHAPE]
        poke(memory, COUNT, 0)
        poke(memory, WIDTH, padded(packed.shapes[row, SIZES + 1]))
        poke(memory, WEIGHTS, packed.seats[player, WEIGHTS_AT])
        for field in range(SHAPE_FIELDS):
            poke(memory, SHAPE_AT + field, packed.shapes[row, field])


@inlined
def start_position(
    memory: Any, columns: Any, sums: Any, own: Any, other: Any, kings: Any, side: int
) -> None:
    """Puts a network's sums of a position in front of *sums*; *side* is that of *own*."""
    width = peek(memory, WIDTH)
    if not HAS_NETWORKS or width == 0:
        return
    base = peek(memory, VALUES_AT)
    for block in range(0, width, LANES):
        store_int(sums, block, load_int(columns, base + block))
    left = own | other
    while left:
        place = np.uint64(lowest_bit(left))
        mover = side if (own >> place) & ONE else 1 - side
        column = _find_column(memory, mover, (kings >> place) & ONE, place)
        for block in range(0, width, LANES):
            total = add_int(load_int(sums, block), load_int(columns, column + block))
            store_int(sums, block, total)
        left &= left - ONE


@inlined
def move_sums(
    memory: Any, columns: Any, sums: Any, at: int, kings: Any, side: int, move: Any
) -> Any:
    """Puts a network's sums after the *move* of *side* behind those at place *at*.

    *kings* are those before the move.

    Returns:
        Where they begin; *at* itself if no sums are kept.
    """
    width = peek(memory, WIDTH)
    if not HAS_NETWORKS or width == 0:
        return at
    start, end = start_bit(move), end_bit(move)
    king = (kings >> start) & ONE
    crowned = king | ((FAR_ROWS >> end) & ONE)
    source = _find_column(memory, side, king, start)
    target = _find_column(memory, side, crowned, end)
    to = at + width
    for block in range(0, width, LANES):
        gone = scale_int(load_int(columns, source + block), np.int32(-1))
        total = add_int(load_int(sums, at + block), load_int(columns, target + block))
        store_int(sums, to + block, add_int(total, gone))
    captured = captured_pieces(move)
    while captured:
        place = np.uint64(lowest_bit(captured))
        column = _find_column(memory, 1 - side, (kings >> place) & ONE, place)
        for block in range(0, width, LANES):
            gone = scale_int(load_int(columns, column + block), np.int32(-1))
            store_int(sums, to + block, add_int(load_int(sums, to + block), gone))
        captured &= captured - ONE
    return to


@inlined
def value_board(
    memory: Any,
    moves: Any,
    columns: Any,
    weights: Any,
    numbers: Any,
    sums: Any,
    ping: Any,
    pong: Any,
    values: Any,
    own: Any,
    other: Any,
    kings: Any,
    side: int,
    moves_at: int,
    sums_at: int,
) -> Any:
    """What the position is worth to the player to move, of colour *side*, without a search."""
    if side == peek(memory, SIDE):
        active, passive, sign = own, other, 1
    else:
        active, passive, sign = other, own, -1
    count = peek(memory, COUNT)
    if HAS_NETWORKS and count == 0:
        return sign * _value_by_network(memory, columns, weights, sums, ping, pong, sums_at)
    if not HAS_GRAPHS and not HAS_FEATURES:
        return np.int64(0)
    searcher = peek(memory, SIDE)
    count_features(memory, COUNTS_AT, count, active, passive, kings, searcher, moves, moves_at)
    if HAS_GRAPHS and peek(memory, GRAPH_SLOTS):
        return sign * _value_by_graph(memory, columns, numbers, values)
    base = peek(memory, VALUES_AT)
    total = 0
    for feature in range(count):
        number = min(peek(memory, COUNTS_AT + feature), TABLE_SIZE - 1)
        total += peek(columns, base + TABLE_SIZE * feature + number)
    return sign * total


@inlined
def _value_by_network(
    memory: Any, columns: Any, weights: Any, sums: Any, ping: Any, pong: Any, at: int
) -> Any:
    """Its output, as a whole number, by the sums from place *at* on."""
    base = peek(memory, WEIGHTS)
    shape = memory[SHAPE_AT : SHAPE_AT + SHAPE_FIELDS]
    inputs = ping
    activate_sums(shape, sums, at, columns, 0, False, inputs)
    if peek(memory, SHAPE_AT + LAYERS) > 2:
        base, inputs = evaluate_hidden(shape, weights, base, ping, pong)
    return _to_units(np.float64(single_output(shape, weights, base, inputs)))


@compiled
def _value_by_graph(memory: Any, columns: Any, numbers: Any, values: Any) -> Any:
    """Its output, as a whole number, by the features that are counted.

    What other positions and players left in the plane does not matter: inputs are all written, and
    every step fills its slot before another reads it.
    """
    inputs, slots = peek(memory, COUNT), peek(memory, GRAPH_SLOTS)
    for feature in range(inputs):
        poke(values, feature, np.float64(peek(memory, COUNTS_AT + feature)) * INPUT_SCALE)
    at, numbers_at = peek(memory, VALUES_AT), peek(memory, NODES_AT)
    run_graph(columns, at, numbers, numbers_at, values, 0, 0, values[slots:])
    return _to_units(peek(values, inputs))


@inlined
def _to_units(output: Any) -> Any:
    """An *output* (``float64``) as a whole number: 0 if it is no number, and never a win."""
    output = output * UNIT
    if not abs(output) <= LARGEST:
        output = LARGEST if output > 0 else -LARGEST if output < 0 else 0.0
    return np.int64(np.rint(output))


@inlined
def _find_column(memory: Any, mover: int, king: Any, place: Any) -> Any:
    """Where the column of a piece of *mover*, on bit *place*, begins."""
    searcher = peek(memory, SIDE)
    seen = place if searcher == 0 else TURN - place
    plane = 2 * (mover ^ searcher) + np.int64(king)
    return peek(memory, VALUES_AT) + (1 + plane * PLANE + np.int64(seen)) * peek(memory, WIDTH)
