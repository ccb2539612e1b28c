"""Fields of players' records in compiled board games, and the arrays in which they compute."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined  # noqa: F401  (so that the cache heeds changes)
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Position
from evolve_arena.genomes.dense import room_for
from evolve_arena.genomes.network import padded
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

HEAD, TAKES_WINS, INPUTS, SLOTS, TERMS = range(OWN_FIELDS, OWN_FIELDS + 5)
DEPTH, ROLLOUTS, NODES, EXPLORATION = range(OWN_FIELDS + 5, OWN_FIELDS + 9)
"""Fields of a player's record, after those of all games. For networks: the head, and 1 if a move
that wins at once is played whatever the values; for graphs the numbers of inputs, slots and terms.
For searches: the depth of alpha-beta in plies; for Monte Carlo tree search the numbers of rollouts
and nodes, and the exploration constant in units of 2**-32. A network with fields of a search gives
the values of its leaves."""
ENCODING = OWN_FIELDS + 9
"""Field: FEATURES if the inputs of a graph or dense network are the file's features, 0 if they are
bits."""
FEATURES = 1
BINS = OWN_FIELDS + 10
"""Field: number of one-hot inputs of each feature; 0 if its value is the input."""
SCRIPT, SETTING = OWN_FIELDS + 11, OWN_FIELDS + 12
"""Fields: number of the scripted player that chooses among the moves of a kind; and its setting, or
that of a scripted player itself, see the file's ``read_setting``."""
UNMASKED = OWN_FIELDS + 13
"""Field: 1 if a player may choose a kind of moves of which none is legal, and so forfeit."""
ENDGAMES = OWN_FIELDS + 14
"""Field: number of solved endgames that a search knows, the first ones; see `solving`."""
RECORD_FIELDS = OWN_FIELDS + 15
FORFEIT = -2
"""Number that stands for the move of a player who forfeits."""
POLICY, VALUE, ACTION, KINDS_HEAD = 0, 1, 2, 3
"""Heads: one output per move; one value per state that a move leads to; one value per move that is
described; or one output per kind of move."""
DENSE = 4
"""Kind of dense networks, whose inputs are any numbers; see `evolve_arena.genomes.dense`."""
SEARCH, MCTS, SCRIPTED = 8, 9, 10
"""Further kinds of players: alpha-beta, Monte Carlo tree search, and from SCRIPTED on the scripted
players of the game's file."""
LEVELS = 4
"""Number of states that a search may need for each ply, as chance events may follow a move."""
TABLE_BITS, LEAST_WITH_TABLE, TABLE_DEPTH = 14, 4, 2
"""A search to LEAST_WITH_TABLE plies or more has a table of ``2**TABLE_BITS`` positions (1 MiB),
for nodes with at least TABLE_DEPTH plies left: below, a search is cheaper than a look-up."""
MAX_EXTRA = 8
"""Maximum plies of the search for a quiet state."""
MOVE, VISITS, FIRST, COUNT, PARENT, SEAT, WINNER = map(np.int64, range(7))
"""Fields of a node of Monte Carlo tree search: the move, or chance outcome, that leads to it; the
number of visits; its first child, and the number of children, which are contiguous; its parent; the
seat that made the move; and the seat, plus 1, that is proven to win alone, or 0. They have one
type, so that functions of a field are compiled once."""
TABLES = 4
"""Number of interleaved matches."""
MATCH, PLY, GAME, STATE = range(4)
"""Notes of an interleaved match: its number, or -1 for none; the number of moves made, and their
hash; and from STATE on the state."""
WHO, STRAYS, HEAD_NOTE, UNITS, WIDTH, ACTIVATION_NOTE, SUMS, COLUMNS, ROW = range(9)
"""Notes of the player at a seat of an interleaved match: its row; 1 if it plays random moves,
at times or always, else 0; and for a network its head, the units of its hidden layer, its padded
width (0 for other players), its activation, and the indices of its sums, first layer's columns and
later weights."""
SITTING = 16
"""Length of the notes of one such player, a power of two."""
AVAILABLE = COUNT
"""Field, with hidden information: number of times that the node's move was available; the hash
table of outcomes replaces the list of children."""
NODE_FIELDS = 7
MAX_NODES = 2**28 // (4 * NODE_FIELDS + 8)
"""Maximum number of nodes, which take 256 MiB."""

MAX_DEPTH = 12
MAX_ROLLOUTS = 1_000_000
MAX_EXPLORATION = 1000.0
EXPLORES = 0.7
"""Default constant of the upper confidence bound; measured in docs/choices.md."""

OCCURRED, SINCE, TIMES = range(3)
PAST_FIELDS = 3
"""Words for each position of a game whose end depends on earlier ones: one that identifies it; the
ply after the last move that made progress; and the number of occurrences since."""
PAST_SPARE = 80
"""Plies beyond LONGEST that searches may reach."""

BAD_COUNT, BAD_MOVE, BAD_SEAT, BAD_CELL, BAD_SIGHT, BAD_OUTCOMES, BAD_WRITE = range(1, 8)
BAD_WINS, BAD_CHANGE, BAD_FEATURE, BAD_DESCRIPTION, BAD_GUESSES, BAD_KIND = range(8, 14)
BAD_PRUNING, BAD_CHOICE = 14, 15
"""Faults of a game's file, as compiled rules record them. Invalid choices of scripted players are
numbered from BAD_CHOICE.

The rules continue with a valid number, so that no access is out of bounds; callers check for faults
afterwards, since compiled code that could raise anywhere would be slower."""
SPARE_WORDS = 8
"""Number of words after planes and features that may be read, but not written."""
MAX_OUTCOMES = 1 << 16
"""Maximum number of outcomes of a chance event."""


NONE = np.zeros(0, dtype=np.int16)
"""Values of no endgames."""


class BoardWorkspace(NamedTuple):
    """Arrays for matches of some players, reused from match to match; see :func:`make_workspace`.

    Most arrays are empty if these players do not need them.
    """

    streams: NDArray[np.uint64]
    """State of the players' random numbers for each interleaved match, shape ``(TABLES,)``."""
    chance: NDArray[np.uint64]
    """State of the random numbers of chance events, shape ``(1,)``."""
    states: Array
    """State of the match and tentative states, then earlier positions, shape ``(rows, width)``; for
    states that are tuples only the number of rows matters."""
    players: NDArray[np.int64]
    """Row of the player in each slot of `evolve_arena.players.board.values`, shape ``(slots,)``."""
    moves: NDArray[np.int64]
    """Legal moves of the match's state, then those of deeper states: MOVES places for each."""
    room: NDArray[np.int64]
    """Lists of alpha-beta search; `evolve_arena.players.board.alpha_beta` has the layout."""
    memory: NDArray[np.int64]
    """Transposition table; see `evolve_arena.players.search`."""
    ratings: NDArray[np.int64]
    """Values of the legal moves by alpha-beta, shape ``(MOVES,)``."""
    wins: NDArray[np.int64]
    """Moves that win at once, shape ``(MOVES,)``."""
    planes: NDArray[np.uint64]
    """Last observation of each slot, and a new one; then SPARE_WORDS words."""
    changes: NDArray[np.int64]
    """Bits that differ between two observations; see `rules.find_changes`."""
    sums: NDArray[np.int32]
    """A network's sums of the first layer, or a tuple network's indices, for each slot and a
    tentative move; shape ``(slots, size)``."""
    ping: NDArray[np.float32]
    """Activations of a layer, as wide as the widest layer."""
    pong: NDArray[np.float32]
    """Activations of the next layer, of the same width."""
    outputs: NDArray[np.float32]
    """Outputs of a policy, by move; then inputs of a dense network, and sums of its first layer."""
    picked: NDArray[np.int32]
    """Table entries that a tuple network selects, shape ``(readings,)``."""
    values: NDArray[np.float64]
    """Values of a graph's nodes, then its terms; at the end the file's numbers: features, spare
    numbers, features of a move, spare numbers."""
    plies: NDArray[np.int64]
    """Number of moves made in the match, for searches, shape ``(1,)``."""
    tables: NDArray[np.int64]
    """Notes of interleaved matches and their players; see `matches.play_in_turns`."""
    tree: NDArray[np.int32]
    """Nodes of Monte Carlo tree search, NODE_FIELDS numbers for each, one node after the other."""
    totals: NDArray[np.float64]
    """Sum of the shares of the win of the seat that moved to each node, shape ``(nodes,)``."""
    shares: NDArray[np.float64]
    """Share of the win of each seat after a rollout, shape ``(SEATS,)``."""
    outcomes: NDArray[np.int32]
    """Hash table of the nodes after chance events; of all nodes with hidden information."""
    priors: NDArray[np.float32]
    """Prior of each node by a policy, shape ``(nodes,)``."""
    notes: NDArray[np.int64]
    """Notes of the game's file, shape ``(NOTES + 1,)``; see `rules.turn_page`."""
    endgames: NDArray[np.int16]
    """Values of endgames by number, as `solving.find_endgames` returns them."""


def search_fields(
    rules: ModuleType,
    *,
    depth: int | None = None,
    rollouts: int | None = None,
    exploration: float = EXPLORES,
) -> dict[int, int]:
    """Return the fields of a record for a search.

    Args:
        rules: Module of compiled rules.
        depth: Plies of alpha-beta, 1 to 12; None for none.
        rollouts: Rollouts of Monte Carlo tree search for each move, 1 to 1,000,000; None for none.
        exploration: Constant of the upper confidence bound; shares of the win go from 0 to 1.

    Raises:
        BadValueError: A value is out of range, or both searches are given.
    """
    if depth is not None and not 1 <= depth <= MAX_DEPTH:
        raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
    if rollouts is not None and not 1 <= rollouts <= MAX_ROLLOUTS:
        raise BadValueError(f"rollouts is {rollouts}: it must be from 1 to {MAX_ROLLOUTS:,}")
    if not 0.0 <= exploration <= MAX_EXPLORATION:
        raise BadValueError(
            f"exploration is {exploration}: it must be from 0 to {MAX_EXPLORATION:g}"
        )
    if depth is not None and rollouts is not None:
        raise BadValueError("give a depth or rollouts: a player searches in one way")
    if rollouts is None:
        return {} if depth is None else {DEPTH: depth}
    # A rollout may add a child for each move and a chance event; with hidden information one node.
    return {
        ROLLOUTS: rollouts,
        NODES: min((rollouts + 1) * (1 if rules.HAS_GUESS else int(rules.MOVES) + 1), MAX_NODES),
        EXPLORATION: round(exploration * 2**32),
    }


def table_fields(start: Position) -> int:
    """Return the number of notes for an interleaved match, a power of two; *start* is a state."""
    return 1 << (STATE + len(start) - 1).bit_length()


def make_workspace(
    rules: ModuleType, players: PackedPlayers, endgames: NDArray[np.int16] = NONE
) -> BoardWorkspace:
    """Return arrays for matches of packed *players* by the *rules* of a compiled module.

    This is called for each part of a batch, so it reads as few records as possible.

    Args:
        rules: Module of compiled rules.
        players: Players, packed.
        endgames: Values of endgames, if a player knows any.
    """
    # The largest network, search, graph and tuple network among the players
    widest = max(16, room_for(players.shapes))
    seats, kinds = players.seats, players.seats[:, KIND]
    present = set(kinds.tolist())
    deepest, rollouts, nodes = seats[:, DEPTH : NODES + 1].max(axis=0, initial=0).tolist()
    readings, inputs, slots_of_graphs, guided = list[int](), 0, 0, False
    if TUPLES in present:
        structures = set(seats[kinds == TUPLES, COLUMNS_AT].tolist())
        readings = [int(players.columns[at + READINGS]) + 1 for at in structures]
    if DENSE in present:
        inputs = widest + int(seats[kinds == DENSE, INPUTS].max())
    if GRAPH in present:
        slots_of_graphs = int(seats[kinds == GRAPH, SLOTS : TERMS + 1].sum(axis=1).max())
    if rollouts:  # a policy may guide a search
        policies = seats[(seats[:, ROLLOUTS] > 0) & (seats[:, HEAD] == POLICY), KIND]
        guided = bool(np.isin(policies, (NETWORK, GRAPH, DENSE)).any())
    # Levels of states, and slots of observations: one for each level of a search
    searched = deepest + MAX_EXTRA * (rules.HAS_QUIET and deepest > 0)
    levels = 2 + LEVELS * searched if rules.HAS_CHANCE else 3 + searched
    levels = max(levels, 4 if rules.HAS_GUESS else 0)
    branches = rules.HAS_CHANCE or rules.HAS_GUESS
    slots = 2 * rules.SEATS + 1
    if deepest and not rules.HAS_CHANCE:
        slots += rules.SEATS * levels
    # In the order of the fields
    return BoardWorkspace(
        np.zeros(TABLES, dtype=np.uint64),
        np.zeros(1, dtype=np.uint64),
        make_states(rules, levels),
        np.zeros(slots, dtype=np.int64),
        _make_moves(rules.MOVES * (levels + 1)),
        np.zeros(
            4 + (rules.SEATS + 2 * levels + 3) * rules.MOVES if deepest else 0, dtype=np.int64
        ),
        make_memory(TABLE_BITS if deepest >= LEAST_WITH_TABLE and not rules.HAS_CHANCE else 0),
        np.zeros(rules.MOVES if deepest else 0, dtype=np.int64),
        np.zeros(rules.MOVES, dtype=np.int64),
        np.zeros(slots * seen_words(rules) + SPARE_WORDS, dtype=np.uint64),
        np.zeros(max(count_changes(rules), int(rules.MOVE_FEATURE_COUNT)), dtype=np.int64),
        np.zeros((slots + TABLES * rules.SEATS, max(widest, *readings, 0)), dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(int(padded(rules.MOVES)) + inputs, dtype=np.float32),
        np.zeros(max(readings, default=0), dtype=np.int32),
        np.zeros(slots_of_graphs + counted_size(rules), dtype=np.float64),
        np.zeros(1, dtype=np.int64),
        np.zeros(TABLES * (table_fields(rules.START) + SITTING * rules.SEATS), dtype=np.int64),
        np.zeros(NODE_FIELDS * nodes, dtype=np.int32),
        np.zeros(nodes, dtype=np.float64),
        np.zeros(rules.SEATS, dtype=np.float64),
        np.zeros(1 << rollouts.bit_length() + 1 if branches else 0, dtype=np.int32),
        np.zeros(nodes if guided else 0, dtype=np.float32),
        make_notes(rules),
        endgames,
    )


def make_notes(rules: ModuleType) -> NDArray[np.int64]:
    """Return an array for a file's notes, with one more number that detects overruns."""
    return np.zeros(int(rules.NOTES) + 1, dtype=np.int64)


def _make_moves(count: int) -> NDArray[np.int64]:
    """Return an array for *count* moves, aligned to a cache line.

    Moves are read as soon as they are written, many at once, which is slow across lines. Eight
    spare numbers follow, as lists are moved by so many; see `rules.remove_move`.
    """
    room = np.zeros(count + 16, dtype=np.int64)
    begin = -room.ctypes.data // 8 % 8
    return room[begin : begin + count]


def make_states(rules: ModuleType, levels: int) -> Array:
    """Return an array for *levels* states, in rows of whole words, each readable by 64 bytes.

    Rows for earlier positions follow, if the end of the game depends on them.
    """
    # Rows are padded to whole words, and the array by 64 bytes or more.
    kind = rules.START.dtype if rules.IS_ARRAY else np.int64
    size = len(rules.START) if rules.IS_ARRAY else 1
    width = (size + 15) // 8 * 8
    levels += count_past_rows(rules, width * np.dtype(kind).itemsize // 8)
    return np.zeros(levels * width + 64, dtype=kind)[: levels * width].reshape(levels, width)


def count_past_rows(rules: ModuleType, words: int) -> int:
    """Return the number of rows, of *words* words each, for the earlier positions of a game."""
    return -(-PAST_FIELDS * (int(rules.LONGEST) + PAST_SPARE) // words) if rules.HAS_PAST else 0


def find_past(rules: ModuleType, states: Array) -> NDArray[np.uint64]:
    """Return the part of *states* for earlier positions, shape ``(plies, PAST_FIELDS)``."""
    words: NDArray[np.uint64] = states.reshape(-1).view(np.uint64)
    size = PAST_FIELDS * (int(rules.LONGEST) + PAST_SPARE)
    return words[len(words) - size :].reshape(-1, PAST_FIELDS)


def take_fault(
    rules: ModuleType,
    states: Array,
    planes: NDArray[np.uint64] | None = None,
    values: NDArray[np.float64] | None = None,
) -> tuple[int, int]:
    """Return and clear the fault that compiled *rules* recorded, and the invalid number; or 0, 0.

    The record follows the state in the first row. Any other number there, or in the spare words of
    the other arrays, was written out of bounds.

    Args:
        rules: Module of compiled rules.
        states: Array of states, one in each row; see :func:`make_states`.
        planes: Observations, then SPARE_WORDS spare words; None if they were not used.
        values: Array that ends with the features and their spare numbers; None if it was not used.
    """
    # The record
    row = states[0].view(np.int64)
    at = len(row) - 1 if rules.IS_ARRAY else 0
    word, row[at] = int(row[at]), 0
    # Spare numbers, which must be 0
    rows = len(states) - count_past_rows(rules, len(row))
    spare = states[:rows, len(rules.START) if rules.IS_ARRAY else 0 :]
    strayed = spare.any() or (planes is not None and planes[-SPARE_WORDS:].any())
    if values is not None and counted_size(rules):
        counted = values[-counted_size(rules) :]
        for behind in (rules.FEATURE_COUNT, len(counted) - SPARE_WORDS):
            strayed |= counted[behind : behind + SPARE_WORDS].any()
    if strayed:
        spare[:] = 0
    return (word & 255, word >> 8) if word or not strayed else (BAD_WRITE, 0)


def counted_size(rules: ModuleType) -> int:
    """Return the number of features, with spare ones; 0 if the file has none."""
    count = int(rules.FEATURE_COUNT + rules.MOVE_FEATURE_COUNT)
    return count + 2 * SPARE_WORDS if count else 0


def plane_words(rules: ModuleType) -> int:
    """Return the number of words of a plane."""
    return -(-int(rules.CELLS) // 64)


def seen_words(rules: ModuleType) -> int:
    """Return the number of words of an observation: bits of planes, or cells, eight to a word."""
    return -(-int(rules.CELLS) // 8) if rules.SEES_CELLS else rules.PLANES * plane_words(rules)


def count_changes(rules: ModuleType) -> int:
    """Return the maximum number of bits of an observation that may change at once."""
    return int(2 * rules.CELLS if rules.SEES_CELLS else 64 * seen_words(rules))
