"""The players of a batch of matches, packed into arrays for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.games.connect_four.tuple_entries import READINGS
from evolve_arena.genomes.network import LAYERS, SHAPE_FIELDS, SIZES, padded
from evolve_arena.players.search import make_room

__all__ = [
    "ACTION",
    "BOARD_FIELDS",
    "CARD_ACTIONS_AT",
    "CARD_ACTIVATION",
    "CARD_DEPTH",
    "CARD_DISCS_AT",
    "CARD_FIELDS",
    "CARD_HEAD",
    "CARD_INPUTS",
    "CARD_KIND",
    "CARD_LAYERS",
    "CARD_LINES_AT",
    "CARD_MEMORY",
    "CARD_NOISE",
    "CARD_NUMBERS_AT",
    "CARD_PLANES",
    "CARD_SHAPE",
    "CARD_SIDE",
    "CARD_SLOTS",
    "CARD_STRUCTURE_AT",
    "CARD_SUMS_AT",
    "CARD_TABLES_AT",
    "CARD_TAKES_WINS",
    "CARD_TRIAL",
    "CARD_UNITS",
    "CARD_VALUES_AT",
    "CARD_WEIGHTS_AT",
    "CARD_WIDTH",
    "COLUMNS_AT",
    "DECISION",
    "DEPTH",
    "DISCS_AT",
    "FEATURES",
    "FORBIDS",
    "GRAPH",
    "HEAD",
    "INPUTS",
    "KIND",
    "LINEAR",
    "MINIMAX",
    "NETWORK",
    "NOISE",
    "NUMBERS_AT",
    "PLANES",
    "POLICY",
    "QUIET",
    "RANDOM",
    "RELATIVE",
    "RULE",
    "SEAT_FIELDS",
    "SHAPE",
    "SLOTS",
    "TABLES",
    "TABLES_AT",
    "TAKES_WINS",
    "TERMS",
    "TEST_BOT",
    "TUPLES",
    "VALUE",
    "VARIANT",
    "WEIGHTS_AT",
    "WIDTH_OF_TUPLES",
    "Lineup",
    "Scratch",
    "combine_lineups",
    "count_tables",
    "make_scratch",
    "simple_lineup",
    "with_noise",
]

KIND, NOISE, SHAPE, COLUMNS_AT, WEIGHTS_AT, HEAD, RELATIVE = 0, 1, 2, 3, 4, 5, 6
"""Fields of a seat: what decides its moves; how often a random move is played instead, in
units of 2**-32; and for a network its row in ``shapes``, where its numbers begin in
``columns`` and ``weights``, its head, and whether it sees the board from its own side (1) or
as the colours are (0)."""
NUMBERS_AT, DISCS_AT, INPUTS, SLOTS, TERMS, PLANES = 7, 8, 9, 10, 11, 12
"""More fields of a graph, whose structure stands in ``columns``: where its numbers begin in
``numbers``; where in ``columns`` a row of an input and a number for each kind of disc on each
cell begins; how many inputs, slots and terms it has (see :mod:`evolve_arena.genomes.neat.graph`);
and how many planes of values it needs: one, or three if it is recurrent: what it remembers, what it
would remember after the best move so far, and one to try others."""
DEPTH = 13
"""One more field, of a search: how many plies it looks ahead. In ``columns`` stands then how many
lines run through each cell."""
TAKES_WINS = 14
"""And one of a network whose head is a value: whether it plays a move that wins at once (1),
whatever the values, or goes by these alone (0)."""
TABLES_AT = 15
"""One of a tuple network: where in ``columns`` its numbers begin. Its structure begins
at ``COLUMNS_AT`` (see :mod:`evolve_arena.games.connect_four.tuple_table`)."""
QUIET, FEATURES = 16, 17
"""The last ones, of a search in checkers, whose :data:`DEPTH` is at least 1: whether it follows
captures beyond its last ply until none is left (1); and, if its positions are valued by features,
how many of these there are (see :mod:`evolve_arena.games.checkers.seat`)."""
VARIANT, FORBIDS = 18, 19
"""And of players of Ticket to Ride: the bits that say how its rule player decides (see
:mod:`evolve_arena.games.ticket_to_ride.rule`), and whether a network is kept from choosing what
it may not do (1), or may make a forbidden move (0)."""
SEAT_FIELDS = 20

RANDOM, TEST_BOT, NETWORK, GRAPH, MINIMAX, TUPLES, LINEAR, RULE = 0, 1, 2, 3, 4, 5, 6, 7
"""Kinds of seats."""

POLICY, VALUE, ACTION, DECISION = 0, 1, 2, 3
"""Heads: one output per move; one value per position reached; one value per move, of which
inputs tell (in Connect Four its column); or one output per class of moves."""


(
    CARD_KIND,
    CARD_NOISE,
    CARD_HEAD,
    CARD_SIDE,
    CARD_SHAPE,
    CARD_LAYERS,
    CARD_ACTIVATION,
    CARD_UNITS,
    CARD_WIDTH,
    CARD_SUMS_AT,
    CARD_WEIGHTS_AT,
    CARD_DISCS_AT,
    _,
    CARD_STRUCTURE_AT,
    CARD_NUMBERS_AT,
    CARD_VALUES_AT,
    CARD_INPUTS,
    CARD_SLOTS,
    CARD_PLANES,
    CARD_MEMORY,
    CARD_TRIAL,
    CARD_DEPTH,
    CARD_LINES_AT,
    CARD_TAKES_WINS,
    CARD_ACTIONS_AT,
    CARD_TABLES_AT,
) = range(26)
"""Fields of a card, which says all about a player at a table, so that no ply has to look it
up: kind, noise and head as above, 0 or 1 for who began; the network's row in ``shapes``, its
layers, activation, units in the first layer and their padded number; where its running sums,
its later layers, and the columns for the discs of who began and (one field on) of the other
begin. The padded number is 0 for who looks at no disc, and less than 0 for who has no layers. For a
graph: where its structure, its
numbers and its planes begin, its inputs, slots and planes, and which of the planes is what it
remembers and which is free. For a search: its depth, and where the numbers of lines begin. For
a network again: whether it takes wins, and where the columns for its moves begin. For a tuple
network: where the numbers begin that count after its moves."""
CARD_FIELDS = 32
WIDTH_OF_GRAPHS, WIDTH_OF_TUPLES = -1, -2
"""What stands instead of the padded number of units."""

TABLES = 4
"""Matches in hand at once. A ply is a long chain of steps of which each waits for the one
before; while one match waits, the processor works on others."""
BOARD_FIELDS = 8

TABLE_BITS, LEAST_WITH_TABLE = 14, 6
"""Searches of so many plies have a table, of ``2**TABLE_BITS`` positions (256 KiB); see docs."""


class Lineup(NamedTuple):
    """Players as arrays. A pairing names them by their row in ``seats``."""

    seats: NDArray[np.int64]
    """Shape ``(players, SEAT_FIELDS)``."""
    shapes: NDArray[np.int64]
    """The structures of all networks, shape ``(structures, SHAPE_FIELDS)``, at least one."""
    columns: NDArray[np.int32]
    """First layers (and the structures of graphs, the lines of searches), one after the other."""
    weights: NDArray[np.float32]
    """Later layers, one after the other."""
    numbers: NDArray[np.float64]
    """The numbers of graphs, one after the other."""


class Scratch(NamedTuple):
    """Room for matches of a lineup's players, at :data:`TABLES` tables, used again and again.

    Chairs are numbered ``2 * table`` for who begins and ``2 * table + 1`` for the other.
    """

    sums: NDArray[np.int32]
    """The running sums, or the entries of a tuple network, chair by chair."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    picked: NDArray[np.int32]
    """What each reading of a tuple network picks."""
    values: NDArray[np.float64]
    """The planes of graphs, chair by chair."""
    terms: NDArray[np.float64]
    streams: NDArray[np.uint64]
    """The random stream of each table."""
    cards: NDArray[np.int64]
    """A card for each chair, flat."""
    boards: NDArray[np.uint64]
    """What the kernel knows of the match at each table, flat."""
    matches: NDArray[np.int64]
    """Which match is played at each table, and how many plies are; flat."""
    search: NDArray[np.int64]
    """What searches need, for all chairs; see :mod:`evolve_arena.players.search`."""


def simple_lineup(kind: int) -> Lineup:
    """One player of a *kind* that needs no numbers."""
    seats = np.zeros((1, SEAT_FIELDS), dtype=np.int64)
    seats[0, KIND] = kind
    return Lineup(
        seats,
        np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
        np.zeros(0, dtype=np.float64),
    )


def combine_lineups(lineups: Sequence[Lineup]) -> Lineup:
    """All players of *lineups* in one, in the order given."""
    if len(lineups) == 1:
        return lineups[0]
    seats = []
    shapes = columns = weights = numbers = 0
    for lineup in lineups:
        moved = lineup.seats.copy()
        moved[:, SHAPE] += shapes
        moved[:, COLUMNS_AT] += columns
        moved[:, DISCS_AT] += columns
        moved[:, TABLES_AT] += columns
        moved[:, WEIGHTS_AT] += weights
        moved[:, NUMBERS_AT] += numbers
        seats.append(moved)
        shapes += len(lineup.shapes)
        columns += len(lineup.columns)
        weights += len(lineup.weights)
        numbers += len(lineup.numbers)
    return Lineup(
        np.concatenate(seats),
        *(np.concatenate(parts) for parts in list(zip(*lineups, strict=True))[1:]),
    )


def with_noise(lineup: Lineup, noise: float) -> Lineup:
    """The same players, who play a random move instead of their own with probability *noise*.

    Who does so already does it more often: the choice that is left now may be replaced as well.
    """
    seats = lineup.seats.copy()
    seats[:, NOISE] += np.rint(noise * (2**32 - seats[:, NOISE])).astype(np.int64)
    return lineup._replace(seats=seats)


def make_scratch(lineup: Lineup) -> Scratch:
    """Room for any match among the players of *lineup*."""
    widest = 0
    for shape in lineup.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    readings = _most_readings(lineup)
    widest = max(widest, readings)
    graphs = lineup.seats[lineup.seats[:, KIND] == GRAPH]
    searches = lineup.seats[lineup.seats[:, KIND] == MINIMAX]
    deepest = int(searches[:, DEPTH].max(initial=0))
    planes = int((graphs[:, SLOTS] * graphs[:, PLANES]).max(initial=0))
    return Scratch(
        np.zeros(2 * TABLES * widest, dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(readings, dtype=np.int32),
        np.zeros(2 * TABLES * planes, dtype=np.float64),
        np.zeros(int(graphs[:, TERMS].max(initial=0)), dtype=np.float64),
        np.zeros(TABLES, dtype=np.uint64),
        np.zeros(2 * TABLES * CARD_FIELDS, dtype=np.int64),
        np.zeros(TABLES * BOARD_FIELDS, dtype=np.uint64),
        np.zeros(TABLES * BOARD_FIELDS, dtype=np.int64),
        make_room(TABLE_BITS if deepest >= LEAST_WITH_TABLE else 0),
    )


def _most_readings(lineup: Lineup) -> int:
    """Readings of the largest tuple network."""
    bases = lineup.seats[lineup.seats[:, KIND] == TUPLES, COLUMNS_AT]
    return int(lineup.columns[bases + READINGS].max(initial=0))


@inlined
def count_tables(lineup: Any) -> Any:
    """How many matches to have in hand.

    Several, where policies play. Value networks compare positions that do not depend on one
    another and so keep the processor busy; players without numbers hardly compute at all.
    """
    for player in range(lineup.seats.shape[0]):
        if lineup.seats[player, KIND] == NETWORK and lineup.seats[player, HEAD] == POLICY:
            return TABLES
    return 1
