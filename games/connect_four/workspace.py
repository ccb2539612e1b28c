"""What the match kernel of Connect Four keeps: of players, of matches, and room to compute in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.games.connect_four.bitboard import Rules, TightRules
from evolve_arena.genomes.network import LAYERS, SIZES, padded
from evolve_arena.genomes.tuple_entries import READINGS
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NETWORK,
    OWN_FIELDS,
    TUPLES,
    PackedPlayers,
)
from evolve_arena.players.search import make_memory

HEAD, RELATIVE, TAKES_WINS, INPUTS, SLOTS, TERMS, PLANES, DEPTH = range(OWN_FIELDS, OWN_FIELDS + 8)
"""Fields of a player's record, beside the usual ones. For a network its head, whether it sees the
board from its own side (1) or as the colours are (0), and whether it plays a move that wins at
once, whatever the values (1), or goes by these alone (0). For a graph also how many inputs, slots
and terms it has (see :mod:`evolve_arena.genomes.neat.graph`), and how many planes of values it
needs: one, or three if it is recurrent: what it remembers, what it would remember after the best
move so far, and one to try others. For a search how many plies it looks ahead; in ``columns``
stands then how many lines run through each cell.

At ``INPUTS_AT`` begins for a graph a row of an input and a number for each kind of disc on each
cell, and for a tuple network its entries; its structure begins at ``COLUMNS_AT`` (see
:mod:`evolve_arena.games.connect_four.tuple_table`)."""
SEAT_FIELDS = OWN_FIELDS + 8

TEST_BOT, MINIMAX = 8, 9
"""Kinds of players, beside the usual ones."""

POLICY, VALUE, ACTION = 0, 1, 2
"""Heads: one output per column; one value per position reached; one value per move, of whose column
inputs tell."""

(
    CACHE_KIND,
    CACHE_NOISE,
    CACHE_HEAD,
    CACHE_SIDE,
    CACHE_SHAPE,
    CACHE_LAYERS,
    CACHE_ACTIVATION,
    CACHE_UNITS,
    CACHE_WIDTH,
    CACHE_SUMS_AT,
    CACHE_WEIGHTS_AT,
    CACHE_DISCS_AT,
    _,
    CACHE_STRUCTURE_AT,
    CACHE_NUMBERS_AT,
    CACHE_VALUES_AT,
    CACHE_INPUTS,
    CACHE_SLOTS,
    CACHE_PLANES,
    CACHE_MEMORY,
    CACHE_TRIAL,
    CACHE_DEPTH,
    CACHE_LINES_AT,
    CACHE_TAKES_WINS,
    CACHE_ACTIONS_AT,
    CACHE_TABLES_AT,
    CACHE_PLAYER,
) = range(27)
"""Fields of a card, which says all about a player at a table, so that no ply has to look it
up: kind, noise and head as above, 0 or 1 for who began; the network's row in ``shapes``, its
layers, activation, units in the first layer and their padded number; where its running sums,
its later layers, and the columns for the discs of who began and (one field on) of the other
begin. The padded number is 0 for who looks at no disc, and less than 0 for who has no layers. For a
graph: where its structure, its
numbers and its planes begin, its inputs, slots and planes, and which of the planes is what it
remembers and which is free. For a search: its depth, and where the numbers of lines begin. For
a network again: whether it takes wins, and where the columns for its moves begin. For a tuple
network: where the numbers begin that count after its moves. On tight boards the player's row."""
CACHE_FIELDS = 32
WIDTH_OF_GRAPHS, WIDTH_OF_TUPLES = -1, -2
"""What stands instead of the padded number of units."""

TABLES = 4
"""Matches in hand at once. A ply is a long chain of steps of which each waits for the one
before; while one match waits, the processor works on others."""
BOARD_FIELDS = 8

TABLE_BITS, LEAST_WITH_TABLE = 14, 6
"""Searches of so many plies have a table, of ``2**TABLE_BITS`` positions (256 KiB); see docs."""


class Workspace(NamedTuple):
    """Room for matches of packed players, at :data:`TABLES` tables, used again and again.

    Slots are numbered ``2 * table`` for who begins and ``2 * table + 1`` for the other.
    """

    sums: NDArray[np.int32]
    """The running sums, or the entries of a tuple network, node by slot."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    picked: NDArray[np.int32]
    """What each reading of a tuple network picks."""
    values: NDArray[np.float64]
    """The planes of graphs, node by slot."""
    terms: NDArray[np.float64]
    streams: NDArray[np.uint64]
    """The random stream of each table."""
    caches: NDArray[np.int64]
    """A card for each slot, flat."""
    boards: NDArray[np.uint64]
    """What the kernel knows of the match at each table, flat."""
    matches: NDArray[np.int64]
    """Which match is played at each table, and how many plies are; flat."""
    search: NDArray[np.int64]
    """What searches need, for all slots; see :mod:`players.search`."""


def make_workspace(packed: PackedPlayers, rules: Rules | None = None) -> Workspace:
    """Room for any match among the players of *packed*, by *rules* (the usual ones if None)."""
    widest = 0
    for shape in packed.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    readings = _most_readings(packed)
    widest = max(widest, readings)
    graphs = packed.seats[packed.seats[:, KIND] == GRAPH]
    searches = packed.seats[packed.seats[:, KIND] == MINIMAX]
    deepest = int(searches[:, DEPTH].max(initial=0))
    planes = int((graphs[:, SLOTS] * graphs[:, PLANES]).max(initial=0))
    return Workspace(
        np.zeros(2 * TABLES * widest, dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(readings, dtype=np.int32),
        np.zeros(2 * TABLES * planes, dtype=np.float64),
        np.zeros(int(graphs[:, TERMS].max(initial=0)), dtype=np.float64),
        np.zeros(TABLES, dtype=np.uint64),
        np.zeros(2 * TABLES * CACHE_FIELDS, dtype=np.int64),
        np.zeros(TABLES * BOARD_FIELDS, dtype=np.uint64),
        np.zeros(TABLES * BOARD_FIELDS, dtype=np.int64),
        make_memory(
            TABLE_BITS if deepest >= LEAST_WITH_TABLE else 0,
            words=3 if isinstance(rules, TightRules) else 2,
        ),
    )


def _most_readings(packed: PackedPlayers) -> int:
    """Readings of the largest tuple network."""
    bases = packed.seats[packed.seats[:, KIND] == TUPLES, COLUMNS_AT]
    return int(packed.columns[bases + READINGS].max(initial=0))


@inlined
def count_tables(packed: Any) -> Any:
    """How many matches to have in hand.

    Several, where policies play. Value networks compare positions that do not depend on one
    another and so keep the processor busy; players without numbers hardly compute at all.
    """
    for player in range(packed.seats.shape[0]):
        if packed.seats[player, KIND] == NETWORK and packed.seats[player, HEAD] == POLICY:
            return TABLES
    return 1
