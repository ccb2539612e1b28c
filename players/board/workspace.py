"""What players of compiled board games keep: fields of their records, and room to compute in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined  # noqa: F401  (so that the cache heeds changes)
from evolve_arena.core.errors import BadValueError
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
"""Fields of a player's record, beside the usual ones: for what is bred its head, and whether it
plays a move that wins at once, whatever the values (1); for a graph how many inputs, slots and
terms it has; for a search how many plies it looks ahead; for Monte Carlo tree search how many
rollouts and nodes there may be, and how much it explores, in units of 2**-32. What is bred may
have the latter, too: then it searches, and is asked for the values of leaves."""
ENCODING = OWN_FIELDS + 9
"""Another one: FEATURES if a graph, or a network over numbers, gets what the game's file counts, 0
if it sees bits."""
FEATURES = 1
BINS = OWN_FIELDS + 10
"""Another one: how many values of a feature have an input each; 0 if its value is the input."""
SCRIPT, SETTING = OWN_FIELDS + 11, OWN_FIELDS + 12
"""Others: the number of the scripted player that chooses among the moves of a kind; and what that,
or a scripted player itself, was told, as the file's ``read_setting`` has it."""
UNMASKED = OWN_FIELDS + 13
"""Another one: 1 if a player may choose a kind of moves of which none is legal, and so forfeit."""
RECORD_FIELDS = OWN_FIELDS + 14
FORFEIT = -2
"""What stands for a move of somebody who forfeits."""
POLICY, VALUE, ACTION, KINDS_HEAD = 0, 1, 2, 3
"""Heads: one output per move; one value per state that a move leads to; one value per move that is
described; or one output per kind of move."""
DENSE = 4
"""The kind of networks over numbers, beside those of `evolve_arena.players.packed`; see
`evolve_arena.genomes.dense`."""
SEARCH, MCTS, SCRIPTED = 8, 9, 10
"""Kinds of players, beside the usual ones: by alpha-beta, and by Monte Carlo tree search; and from
SCRIPTED on the scripted players of the game's file, one after the other."""
LEVELS = 4
"""How many states a search may need for each ply: chance may decide between two moves."""
TABLE_BITS, LEAST_WITH_TABLE, TABLE_DEPTH = 14, 4, 2
"""Searches of so many plies have a table, of ``2**TABLE_BITS`` positions (1 MiB), for nodes with at
least TABLE_DEPTH plies left: a look into it must be cheaper than a search."""
MOST_EXTRA = 8
"""Plies that a search may look farther where it is not quiet."""
MOVE, VISITS, FIRST, COUNT, PARENT, SEAT, WINNER = map(np.int64, range(7))
"""Fields of a node of Monte Carlo tree search: the move, or outcome of chance, that leads to it;
how many rollouts went through it; its first child, and how many there are, side by side; its
parent; who made the move; and the seat, plus 1, that wins alone from here on, if that is proven.
They have a type, so that what takes one is compiled once for all of them."""
TABLES = 4
"""The number of matches in hand at the same time, where these are played in turns of one move."""
MATCH, PLY, GAME, STATE = range(4)
"""Notes of a match in hand: its number, or -1 if there is none; how many moves were made, and the
hash of these; and from STATE on the state."""
WHO, STRAYS, HEAD_NOTE, UNITS, WIDTH, ACTIVATION_NOTE, SUMS, COLUMNS, ROW = range(9)
"""Notes of who sits at a seat there: the row of the player; 1 if it plays at random, now and then
or always, else 0; and of a network its head, how many units its hidden layer has, also padded (0
if it is none), the activation, where the sums stand, where the columns of the first layer begin,
and the other weights."""
SITTING = 16
"""Room for these notes, a power of two."""
AVAILABLE = COUNT
"""Where something is hidden: how often the move of a node could have been made; its children are
found in the hash table of outcomes."""
NODE_FIELDS = 7
MOST_NODES = 2**28 // (4 * NODE_FIELDS + 8)
"""So many take 256 MiB."""

MAX_DEPTH = 12
MAX_ROLLOUTS = 1_000_000
MAX_EXPLORATION = 1000.0
EXPLORES = 0.7
"""The usual constant of the upper confidence bound; measured in docs/choices.md."""

OCCURRED, SINCE, TIMES = range(3)
PAST_FIELDS = 3
"""Words for each position of a game whose end depends on earlier ones: one that stands for it; the
ply after the last move that made progress; and how often the position has occurred since."""
PAST_SPARE = 80
"""Plies behind LONGEST that searches may reach."""

BAD_COUNT, BAD_MOVE, BAD_SEAT, BAD_CELL, BAD_SIGHT, BAD_OUTCOMES, BAD_WRITE = range(1, 8)
BAD_WINS, BAD_CHANGE, BAD_FEATURE, BAD_DESCRIPTION, BAD_GUESSES, BAD_KIND = range(8, 14)
BAD_PRUNING, BAD_CHOICE = 14, 15
"""What a game's file does that it may not: by the number that compiled rules note. That of the
first scripted player is BAD_CHOICE, and so on.

They go on with another number then, so that nothing is read or written out of bounds; who called
them looks afterwards, as compiled code that could fail everywhere would be slower."""
SPARE_WORDS = 8
"""The number of words behind planes and counted numbers that may be read, but not written."""
MOST_OUTCOMES = 1 << 16
"""How many things may happen next by chance, at most."""


class Workspace(NamedTuple):
    """Arrays for matches of some players, used again and again."""

    streams: NDArray[np.uint64]
    """The random stream of the players in a match, for each of those in hand."""
    chance: NDArray[np.uint64]
    """That of what the game leaves to chance."""
    states: NDArray[Any]
    """The state of the match, and those to which moves lead that are tried, in rows; where states
    are tuples only their number counts."""
    players: NDArray[np.int64]
    """Who sits in each slot, by row; see `evolve_arena.players.board.values`."""
    moves: NDArray[np.int64]
    """Legal moves, of the state on the board and, in searches, of those behind it."""
    room: NDArray[np.int64]
    """Notes of alpha-beta; see `evolve_arena.players.board.alpha_beta`."""
    memory: NDArray[np.int64]
    """Its table of positions; see `evolve_arena.players.search`."""
    ratings: NDArray[np.int64]
    """The values of the moves on the board."""
    wins: NDArray[np.int64]
    """Moves that win at once."""
    planes: NDArray[np.uint64]
    """What the player in each slot has seen of the board last, and what it sees now."""
    changes: NDArray[np.int64]
    """The bits that came and went since."""
    sums: NDArray[np.int32]
    """For each slot, and a move that is tried, a network's sums, or the entries tuples read; shape
    ``(slots, size)``."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    outputs: NDArray[np.float32]
    """Those of policies; then the inputs of a network over numbers, and sums of its first layer."""
    picked: NDArray[np.int32]
    """What tuples pick from their tables."""
    values: NDArray[np.float64]
    """The plane of a graph's values, and then its terms; at the end what the game's file counts:
    features, spare numbers, those of a move, spare numbers."""
    plies: NDArray[np.int64]
    """How many moves were made in the match; Monte Carlo tree search asks for it."""
    tables: NDArray[np.int64]
    """Notes of the matches in hand, and of who plays them; see `matches.play_in_turns`."""
    tree: NDArray[np.int32]
    """Nodes of Monte Carlo tree search, field by field."""
    totals: NDArray[np.float64]
    """For each of them the shares of the win that who made the move had, added up."""
    shares: NDArray[np.float64]
    """The share of each seat after a rollout."""
    outcomes: NDArray[np.int32]
    """A hash table of the nodes to which chance leads; or of all, where something is hidden."""
    priors: NDArray[np.float32]
    """For each node how likely a policy makes the move that leads to it."""
    notes: NDArray[np.int64]
    """What the game's file notes down for itself; see `rules.turn_page`."""


def search_fields(
    rules: Any,
    *,
    depth: int | None = None,
    rollouts: int | None = None,
    exploration: float = EXPLORES,
) -> dict[int, int]:
    """What the record of a player says who searches by the *rules* of a compiled module.

    Args:
        rules: See above.
        depth: Plies of alpha-beta, 1 to 12; None for none.
        rollouts: Those of Monte Carlo tree search for each move, 1 to 1,000,000; None for none.
        exploration: The constant of its upper confidence bound; shares of the win go from 0 to 1.

    Raises:
        BadValueError: Something is out of range, or both are given.
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
    return {
        ROLLOUTS: rollouts,
        NODES: min((rollouts + 1) * (1 if rules.HAS_GUESS else int(rules.MOVES) + 1), MOST_NODES),
        EXPLORATION: round(exploration * 2**32),
    }


def table_fields(start: Any) -> int:
    """The number of notes of a match in hand that begins with a state: a power of two."""
    return 1 << (STATE + len(start) - 1).bit_length()


def make_workspace(rules: Any, players: PackedPlayers) -> Workspace:
    """Arrays for matches of packed *players* by the *rules* of a compiled module.

    It is asked for each part of a batch, so it looks at records only where there may be some.
    """
    widest = max(16, room_for(players.shapes))
    seats, kinds = players.seats, players.seats[:, KIND]
    present = set(kinds.tolist())
    deepest, rollouts, nodes = seats[:, DEPTH : NODES + 1].max(axis=0, initial=0).tolist()
    readings, inputs, slots_of_graphs, guided = list[int](), 0, 0, False
    if TUPLES in present:
        structures = set(seats[kinds == TUPLES, COLUMNS_AT].tolist())
        readings = [int(players.columns[at + READINGS]) for at in structures]
    if DENSE in present:
        inputs = widest + int(seats[kinds == DENSE, INPUTS].max())
    if GRAPH in present:
        slots_of_graphs = int(seats[kinds == GRAPH, SLOTS : TERMS + 1].sum(axis=1).max())
    if rollouts:  # a policy may guide a search
        policies = seats[(seats[:, ROLLOUTS] > 0) & (seats[:, HEAD] == POLICY), KIND]
        guided = bool(np.isin(policies, (NETWORK, GRAPH, DENSE)).any())
    searched = deepest + MOST_EXTRA * (rules.HAS_QUIET and deepest > 0)
    levels = 2 + LEVELS * searched if rules.HAS_CHANCE else 3 + searched
    levels = max(levels, 4 if rules.HAS_GUESS else 0)
    branches = rules.HAS_CHANCE or rules.HAS_GUESS
    slots = 2 * rules.SEATS + 1
    if deepest and not rules.HAS_CHANCE:
        slots += rules.SEATS * levels
    return Workspace(
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
    )


def make_notes(rules: Any) -> NDArray[np.int64]:
    """Room for what a file notes down, and a number behind it that shows if it writes too far."""
    return np.zeros(int(rules.NOTES) + 1, dtype=np.int64)


def _make_moves(count: int) -> NDArray[np.int64]:
    """Room for so many moves from the beginning of a cache line on.

    Moves are read back as soon as they are written, many at once, which is slow across lines. Room
    for eight more follows, as lists are moved by so many; see `rules.remove_move`.
    """
    room = np.zeros(count + 16, dtype=np.int64)
    begin = -room.ctypes.data // 8 % 8
    return room[begin : begin + count]


def make_states(rules: Any, levels: int) -> NDArray[Any]:
    """Room for so many states, in rows of whole words; from each 64 bytes may be read at once.

    Rows for the positions of a game follow, if its end depends on them.
    """
    kind = rules.START.dtype if rules.IS_ARRAY else np.int64
    size = len(rules.START) if rules.IS_ARRAY else 1
    width = (size + 15) // 8 * 8
    levels += count_past_rows(rules, width * np.dtype(kind).itemsize // 8)
    return np.zeros(levels * width + 64, dtype=kind)[: levels * width].reshape(levels, width)


def count_past_rows(rules: Any, words: int) -> int:
    """The number of rows of so many words that the positions of a game take."""
    return -(-PAST_FIELDS * (int(rules.LONGEST) + PAST_SPARE) // words) if rules.HAS_PAST else 0


def find_past(rules: Any, states: NDArray[Any]) -> NDArray[np.uint64]:
    """The part of *states* that holds the positions of a game, shape ``(plies, PAST_FIELDS)``."""
    words: NDArray[np.uint64] = states.reshape(-1).view(np.uint64)
    size = PAST_FIELDS * (int(rules.LONGEST) + PAST_SPARE)
    return words[len(words) - size :].reshape(-1, PAST_FIELDS)


def take_fault(
    rules: Any,
    states: NDArray[Any],
    planes: NDArray[np.uint64] | None = None,
    values: NDArray[np.float64] | None = None,
) -> tuple[int, int]:
    """What compiled *rules* noted that they may not do, and the number that was wrong; or 0, 0.

    It is forgotten then. It stands behind the state in the first row, where there is room: so what
    else is there, or behind *planes*, or behind what is counted at the end of *values*, was written
    out of bounds.
    """
    row = states[0].view(np.int64)
    at = len(row) - 1 if rules.IS_ARRAY else 0
    word, row[at] = int(row[at]), 0
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


def counted_size(rules: Any) -> int:
    """The room for counted numbers, spare ones included; 0 if the file counts nothing."""
    count = int(rules.FEATURE_COUNT + rules.MOVE_FEATURE_COUNT)
    return count + 2 * SPARE_WORDS if count else 0


def plane_words(rules: Any) -> int:
    """How many words a plane has."""
    return -(-int(rules.CELLS) // 64)


def seen_words(rules: Any) -> int:
    """How many words what a player sees takes: bits of planes, or cells, eight to a word."""
    return -(-int(rules.CELLS) // 8) if rules.SEES_CELLS else rules.PLANES * plane_words(rules)


def count_changes(rules: Any) -> int:
    """How many bits of what is seen may change at most."""
    return int(2 * rules.CELLS if rules.SEES_CELLS else 64 * seen_words(rules))
