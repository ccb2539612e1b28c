"""Example of a game in one file, with all optional parts; see docs/guides/your-own-game.md.

The game is Nim: some tokens lie on the table, the player to move takes one or two, and the player
who takes the last one wins. The modules that import this file are copied for each game, and the
copies import the game's own file instead; this one lets tools check them.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import hash_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import peek, poke

TOKENS = 7
OPTIONS = {"TOKENS": range(1, 64)}
"""Names of constants that are options of the game, and their possible values."""
MOVES = 2
"""Number of moves: they are numbered from 0 to MOVES - 1."""
LONGEST = 64
"""Maximum number of moves; then the game is a draw, unless points decide."""
SEATS = 2
"""Number of players."""
CELLS = 64
"""Number of cells of the board, or of bits used in each plane, from the lowest on."""
WIDTH = 8
"""Number of cells in a row of the board; cells are numbered row by row."""
ONLY_WINS = False
"""With :func:`wins`: True if a game ends only when the player who moved has won, or after LONGEST
moves. The result of other moves is then never computed."""
MOVES_STAY = False
"""True if legal moves stay legal, whoever is to move, until played, and none are added; so a random
rollout lists them once. An accelerator."""
REPETITION = 0
"""Number of occurrences of a position that end the game in a draw, unless points decide; 0 for
never. Positions are equal if their :func:`key` is or, without one, all numbers of the state. For
games of perfect information without chance."""
NO_PROGRESS = 0
"""Number of moves in a row without :func:`progress` that end the game likewise; 0 for never."""
STACKS = False
"""With ``SYMMETRY``: True if pieces of one kind are stacked, so that each column of the board, as
it is drawn, fills up from below. Tuple networks then distinguish cells that can be filled next from
other empty ones, and SYMMETRY is that of the board as it is drawn."""
SHAPE = "square"
"""Shape of cells on pages: ``square``, ``round``, or ``hex``, where each row begins half a cell to
the right of the one above. ``none`` draws the text of :func:`show` instead."""
STAKE = 0
"""With :func:`points`: maximum gain or loss, if tree searches shall maximise points; 0 if they need
only have more points than the others."""
PIECES = 1
"""Number of kinds of pieces of each player. Where the state is an array that begins with the cells,
and there is no :func:`see`, a cell holds 0 if it is empty, 1 to PIECES for the pieces of seat 0,
the next PIECES numbers for those of seat 1, and so on; higher numbers are neutral pieces."""
PLANES = 1
"""Number of planes that :func:`see` fills; without it, of contents of a cell other than empty."""
PLANE_NUMBERS = 64
"""For tuple networks, where planes encode numbers instead of a board: the highest number that they
distinguish. A plane's number is the count of bits set among its lowest PLANE_NUMBERS bits.
For planes of numbers beside a board (with SYMMETRY): the highest number of each plane, after zeros
for the planes of cells, such as ``(0, 0, 9, 9)``."""
FEATURES = ("tokens left",)
"""Names of the numbers that :func:`features` writes, or just how many there are."""
MOVE_FEATURES = ("tokens taken",)
"""Names of the numbers that :func:`describe_move` writes, or just how many there are."""
PLAYERS = ("careless",)
"""Names of functions that are scripted players, such as :func:`careless`."""
NOTES = 0
"""Length of *notes*, an array of whole numbers in which the file may cache results:
:func:`features`, :func:`describe_move`, :func:`prune` and scripted players get it if they have a
parameter of that name. ``notes[0]`` is 0 at the first call for a state; other entries keep their
values, on which no result may depend."""
KINDS = ("one token", "two tokens")
"""Kinds of moves. A network with the head ``kinds`` chooses one for which :func:`kinds` sets a bit,
and a scripted player with a parameter *kind* chooses the move."""
FEW = 9
ENDGAMES = ((FEW, 2 * FEW + 2),)
"""Groups of endgames that can be solved in advance, in the order of their numbers; see
:func:`endgame`. Each has a number of pieces, which never falls from group to group, and its size.
Moves lead to the same group or to earlier ones."""
LIMITS = ()
"""With :func:`points`: thresholds; tables show how often a player had more points."""
TALLIES = ()
"""With :func:`points`: names of further counts of each seat at the end, see :func:`tally`."""


def start() -> Position:
    """Return the state before the first move: a tuple of numbers, or an array that moves change."""
    return TOKENS, 0


def to_move(state: Position) -> Integer:
    """Return the seat to move, from 0."""
    return state[1]


def legal(state: Position, moves: Array) -> Integer:
    """Write the legal moves into *moves*, ascending, and return their number.

    The game is not over, and there must be at least one: where nothing else can be done, passing is
    a move.
    """
    moves[0] = 0
    moves[1] = 1
    return min(2, state[0])


def play(state: Position, move: Integer) -> Position:
    """Return the state after a legal *move*; change an array in place and return nothing."""
    return state[0] - move - 1, 1 - state[1]


def result(state: Position) -> Integer:
    """Return 1 if seat 0 has won, -1 if seat 1 has, 0 for a draw, 2 if the game goes on."""
    return 2 if state[0] > 0 else 2 * state[1] - 1


def is_over(state: Position) -> Number:
    """Test whether the game is over; with :func:`points` in place of :func:`result`."""
    return state[0] == 0


def points(state: Position, seat: Integer) -> Integer:
    """Return the points of a seat, a whole number; most points win."""
    return np.int64(state[1] != seat)


def see(state: Position, seat: Integer, planes: Array) -> None:
    """Set bits of *planes*, 64-bit words that are all 0: the observation of *seat* for networks.

    Args:
        state: State to observe, which may be over, or before a chance event.
        seat: Seat that observes, from 0.
        planes: Array of ``uint64``, PLANES planes one after the other. A plane has as many words as
            the cells need: one for each 64, or fewer in the last.
    """
    planes[0] = np.uint64(1) << np.uint64(state[0])


def features(state: Position, seat: Integer, out: Array) -> None:
    """Write the features of a state for *seat* into *out*: FEATURES numbers, all 0 before.

    They are inputs, rounded to ``float32``, of networks with the encoding ``features``.

    Args:
        state: State, which may be over, or before a chance event.
        seat: Seat whose player gets the features, from 0.
        out: Array of ``float64`` with a place for each of FEATURES; shorter for networks that read
            only the first numbers.
    """
    out[0] = state[0] / TOKENS


def describe_move(state: Position, move: Integer, seat: Integer, out: Array) -> None:
    """Write the features of a legal *move*, before it is played, into *out*: MOVE_FEATURES numbers.

    Networks with the head ``action`` get them in addition to the inputs for the state.

    Args:
        state: State before the move.
        move: Legal move.
        seat: Seat to move, from 0.
        out: Array of ``float64``, all 0, with a place for each of MOVE_FEATURES.
    """
    out[0] = move + 1


def prune(state: Position, seat: Integer, moves: Array, count: Integer) -> Integer:
    """Move the moves worth evaluating, of the first *count*, to the front of *moves*.

    Return their number, at least 1. Networks with the head ``action`` evaluate no others.

    Args:
        state: State before the move.
        seat: Seat to move, from 0.
        moves: Array of ``int64``, shape ``(MOVES,)``, that begins with the legal moves.
        count: Number of legal moves, at least 1.
    """
    return count


def kinds(state: Position) -> Integer:
    """Return the kinds of legal moves as bits of a word: bit k for the k-th of KINDS."""
    return np.uint64(3 if state[0] > 1 else 1)


def tally(state: Position, seat: Integer, out: Array) -> None:
    """Write the TALLIES of a *seat* into *out*, whole numbers, in a state that is over.

    Args:
        state: State at the end of the game.
        seat: Seat to count for, from 0.
        out: Array of ``int32``, all 0, with a place for each of TALLIES.
    """


def read_setting(text: str) -> int:
    """Return the *setting*, a whole number from 0, that scripted players and features get.

    They have a parameter of that name. The text follows a player's name, ``careless:TEXT``,
    or the name of a network's ``script``; without one the setting is 0. Raise `ValueError` with a
    sentence to refuse a text; ``name_setting(setting)`` returns the usual text.
    """
    return int(text)


def evaluate(state: Position, seat: Integer) -> Integer:
    """Evaluate a state that is not over for *seat*, for searches: a whole number below 2**30."""
    return 0


def wins(state: Position, moves: Array) -> Integer:
    """Write the immediately winning moves into *moves*, ascending, and return their number.

    An accelerator: faster than :func:`play` and :func:`result`, with the same outcome.
    """
    return 0


def changes(state: Position, move: Integer, seat: Integer, bits: Array) -> Integer:
    """Write the bits of :func:`see` that a *move* changes for *seat*, and return their number.

    An accelerator. Bit b of word w has the number ``64 * w + b``; a bit that the move clears is
    written as ``~number``.

    Args:
        state: State before the move.
        move: Legal move.
        seat: Seat that observes, from 0, whether it is to move or not.
        bits: Array of ``int64`` for the numbers, in any order, with room for all bits.
    """
    return 0


def safe(state: Position, moves: Array) -> Integer:
    """Write the legal moves after which the opponent cannot win at once; return the number.

    An accelerator, with :func:`wins`, called where no move wins at once. After a safe move the game
    may be over, or the same player to move.
    """
    return legal(state, moves)


def gain(state: Position, move: Integer) -> Integer:
    """Return the change of :func:`evaluate` by a *move*, for the player who makes it.

    An accelerator. The evaluations for both seats must then add up to 0.
    """
    return 0


def order(state: Position, move: Integer) -> Integer:
    """Return a heuristic value of a *move*: alpha-beta tries the highest first. An accelerator."""
    return 0


def quiet(state: Position) -> bool:
    """Return True if :func:`evaluate` can be trusted; if not, alpha-beta searches a ply deeper."""
    return True


def key(state: Position) -> Integer:
    """Return a 64-bit word that only equivalent positions share. An accelerator."""
    return np.uint64(state[0] * 2 + state[1])


def legal_bits(state: Position) -> Integer:
    """Return the legal moves as bits of a word, where MOVES is at most 64. An accelerator.

    Bit k stands for move k; :func:`legal` lists the moves ascending.
    """
    return np.uint64(min(3, state[0]))


def endgame(state: Position) -> Integer:
    """Return the number of a position among the ENDGAMES; -1 if it is none of them.

    It is asked where the game goes on and a player is to move, in games whose state is a tuple.
    """
    return 2 * state[0] + state[1] if state[0] <= FEW else -1


def endgame_state(number: Integer) -> Position:
    """Return the position that :func:`endgame` gives this *number*; any other for a free one."""
    return number // 2, number % 2


def progress(state: Position, move: Integer) -> bool:
    """Return True if no position from before a legal *move* can occur again after it.

    NO_PROGRESS counts moves in a row without progress; REPETITION compares positions only with
    those since the last progress. Without this function no move makes progress.
    """
    return True


def chance(state: Position) -> Integer:
    """Return the number of equally likely chance outcomes; 0 if a player is to move."""
    return 0


def resolve(state: Position, outcome: Integer) -> Position:
    """Return the state after a chance *outcome*, from 0; change an array in place, as in play."""
    return state


def view(state: Position, seat: Integer) -> Position:
    """Return the state as *seat* knows it, the rest overwritten; change an array in place.

    It is compiled if the file has a :func:`guess` or scripted players.
    """
    return state


def guesses(state: Position, seat: Integer) -> Integer:
    """Return the number of equally likely guesses at the next hidden item; 0 if none is left.

    It is called for states that :func:`view` or :func:`guess` returned.
    """
    return 0


def guess(state: Position, seat: Integer, number: Integer) -> Position:
    """Return the state with guess *number* filled in; change an array in place, as in play.

    Args:
        state: State that :func:`view` or an earlier guess returned.
        seat: Seat that guesses, from 0.
        number: Number of the guess, from 0 to ``guesses(state, seat) - 1``.
    """
    return state


def careless(state: Position, moves: Array, count: Integer, random: Integer) -> Integer:
    """Take two tokens; of the last nine take one or two at random.

    A scripted player: it returns one of the legal moves. A player that needs no list is faster
    without *moves* and *count*. *random* is optional; further optional parameters are *kind*, the
    number of the kind of move that is wanted, or -1; *notes*, see :data:`NOTES`; and *setting*, see
    :func:`read_setting`.

    Args:
        state: State as the seat to move knows it; see :func:`view`.
        moves: Array of ``int64``, shape ``(MOVES,)``, that begins with the legal moves, ascending.
        count: Number of legal moves, at least 1.
        random: New random whole number from 0 to 2**62 - 1.
    """
    return moves[random % count] if state[0] < 10 else moves[count - 1]


# The framework writes what follows for each game.

START: Position = (np.int64(TOKENS), np.int64(0))
IS_ARRAY = False
SEES_CELLS = False
HAS_POINTS = False
HAS_CHANCE = False
BOARD_PLANES = 0
HAS_WINS = False
HAS_CHANGES = False
HAS_SAFE = False
HAS_GAIN = False
HAS_ORDER = False
HAS_QUIET = False
HAS_KEY = False
HAS_LEGAL_BITS = False
HAS_ENDGAME = False
HAS_FEATURES = False
HAS_DESCRIBE_MOVE = False
HAS_PRUNE = False
HAS_KINDS = False
KIND_COUNT = 0
TALLY_COUNT = 0
FEATURE_COUNT = 0
MOVE_FEATURE_COUNT = 0
HAS_PAST = False
"""True if the end of a game may depend on earlier positions."""
HAS_GUESS = False
SCRIPTS = 0
"""Number of scripted players."""
DRAWING = 0
LISTING = 1
"""Masks of the scripted players that get a random number, and of those that get a list of moves:
bit k is for the k-th of PLAYERS."""


@inlined
def cast_state(state: Position) -> Position:
    """Convert the numbers of a state to the types of those in START."""
    return np.int64(state[0]), np.int64(state[1])


@inlined
def store_state(room: Array, at: Integer, state: Position) -> None:
    """Write the numbers of a state into *room*, of ``int64``, from index *at* on.

    Args:
        room: Array of ``int64``, shape ``(n,)``, with a place for each number from *at* on.
        at: Index of the state's first number.
        state: State, a tuple.
    """
    poke(room, at, np.int64(state[0]))
    poke(room, at + 1, np.int64(state[1]))


@inlined
def load_state(room: Array, at: Integer) -> Position:
    """Read the state that :func:`store_state` wrote."""
    return np.int64(peek(room, at)), np.int64(peek(room, at + 1))


@inlined
def hash_state(state: Position) -> Integer:
    """Hash a state into a word."""
    return hash_word(np.uint64(state[0]), 1) + hash_word(np.uint64(state[1]), 2)


@inlined
def view_state(state: Position, seat: Integer) -> Position:
    """Return the result of :func:`view`, where there is a guess or a script; else the state."""
    return state


# Adapters to functions that may lack parameters: they take all, and pass on those that there are.


@inlined
def choose_scripted(
    state: Position,
    number: Integer,
    moves: Array,
    count: Integer,
    random: Integer,
    notes: Array,
    setting: Integer,
    kind: Integer,
) -> Integer:
    """Return the choice of the scripted player of that *number*.

    Args:
        state: State as the seat to move knows it; see :func:`view`.
        number: Place of the player in PLAYERS, from 0.
        moves: Array of ``int64``, shape ``(MOVES,)``, that begins with the legal moves.
        count: Number of legal moves; 0 if the player takes no list.
        random: Random whole number from 0 to 2**62 - 1; 0 if the player takes none.
        notes: Array of ``int64`` for the file's notes; see :data:`NOTES`.
        setting: Setting, from 0; see :func:`read_setting`.
        kind: Place in KINDS of the kind of move that is wanted, or -1.
    """
    return careless(state, moves, count, random)


@inlined
def ask_features(
    state: Position, seat: Integer, out: Array, notes: Array, setting: Integer
) -> None:
    """Call :func:`features` with those of its optional parameters that it has.

    Args:
        state: State, which may be over, or before a chance event.
        seat: Seat whose player gets the features, from 0.
        out: Array of ``float64`` with a place for each of FEATURES, or the first ones.
        notes: Array of ``int64`` for the file's notes; see :data:`NOTES`.
        setting: Setting, from 0; see :func:`read_setting`.
    """
    features(state, seat, out)


@inlined
def ask_describe_move(
    state: Position, move: Integer, seat: Integer, out: Array, notes: Array, setting: Integer
) -> None:
    """Call :func:`describe_move` with those of its optional parameters that it has.

    Args:
        state: State before the move.
        move: Legal move.
        seat: Seat to move, from 0.
        out: Array of ``float64`` with a place for each of MOVE_FEATURES.
        notes: Array of ``int64`` for the file's notes; see :data:`NOTES`.
        setting: Setting, from 0; see :func:`read_setting`.
    """
    describe_move(state, move, seat, out)


@inlined
def ask_prune(
    state: Position, seat: Integer, moves: Array, count: Integer, notes: Array, setting: Integer
) -> Integer:
    """Call :func:`prune` with those of its optional parameters that it has.

    Args:
        state: State before the move.
        seat: Seat to move, from 0.
        moves: Array of ``int64``, shape ``(MOVES,)``, that begins with the legal moves.
        count: Number of legal moves, at least 1.
        notes: Array of ``int64`` for the file's notes; see :data:`NOTES`.
        setting: Setting, from 0; see :func:`read_setting`.
    """
    return prune(state, seat, moves, count)
