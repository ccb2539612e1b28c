"""A game in one file, with all that such a file may say; docs/guides/your-own-game.md explains it.

The game: some tokens lie on the table, who is to move takes one or two, who takes the last one
wins. It only makes what imports it modules that tools can check. For each game these are copied,
and the copies import the game's own file in place of this one; see `one_file`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import hash_word
from evolve_arena.genomes.simd import peek, poke

TOKENS = 7
OPTIONS = {"TOKENS": range(1, 64)}
"""Which of the numbers here may have other values, and which."""
MOVES = 2
"""Moves are numbered below this."""
LONGEST = 64
"""After so many moves a game is over: nobody has won, unless points say who did."""
SEATS = 2
"""How many play."""
CELLS = 64
"""How many cells the board has; or of each plane how many bits are used, from the lowest on."""
WIDTH = 8
"""How many cells stand in a row of the board; rows follow one another."""
ONLY_WINS = False
"""With :func:`wins`: a game ends when the player who moved has won, or after LONGEST moves, and in
no other way. Then nobody asks for the result of other moves."""
MOVES_STAY = False
"""Each legal move stays legal, whoever is to move, until somebody plays it, and none is added; so
whoever plays a game to its end at random lists them once. An accelerator."""
REPETITION = 0
"""At so many occurrences of a position the game is over: a draw, unless points say who has won.
Positions are the same if their :func:`key` is, or without it all numbers of the state. 0 for any
number; in games without chance in which nothing is hidden."""
NO_PROGRESS = 0
"""After so many moves in a row without :func:`progress` the game is over in the same way; 0 for any
number."""
STACKS = False
"""With ``SYMMETRY``: pieces of one kind lie on one another, so that each column of the board, as it
is drawn, fills up from below. Tuple networks then tell cells that are next to be filled from those
out of reach, and SYMMETRY is that of the board as it is drawn."""
SHAPE = "square"
"""What pages draw the cells as: ``square``, ``round``, or ``hex``; each row of hexagons begins half
a cell farther to the right than the one above. ``none``: as the text that :func:`show` gives."""
STAKE = 0
"""With :func:`points`: the most that anybody can win or lose, and searches by rollouts go for many
points. If 0, they go for more points than the others have, however many."""
PIECES = 1
"""How many kinds of pieces a player has. Where the state is an array that begins with the
cells, and there is no :func:`see`, a cell holds 0 if it is empty, 1 to PIECES are the pieces of
seat 0, the next as many those of seat 1, and so on; what is above belongs to nobody."""
PLANES = 1
"""How many planes :func:`see` fills; or how many kinds of contents a cell has, but for empty."""
PLANE_NUMBERS = 64
"""For tuple networks, where planes are no board but numbers: the highest one that they tell from
lower ones. A plane's number is how many of so many lowest bits are set."""
FEATURES = ("tokens left",)
"""The number of numbers that :func:`features` writes, or the name of each."""
MOVE_FEATURES = ("tokens taken",)
"""The same of :func:`describe_move`."""
PLAYERS = ("careless",)
"""The names of functions that are scripted players, such as :func:`careless`."""
NOTES = 0
"""The number of whole numbers that the file may note down for itself, in *notes*: :func:`features`,
:func:`describe_move`, :func:`prune` and scripted players get them if they have a parameter of that
name. At the first question about a state ``notes[0]`` is 0; the rest is as the file left it, and
no answer may depend on it."""
KINDS = ("one token", "two tokens")
"""The kinds of moves. A network with the head ``kinds`` chooses one of those for which
:func:`kinds` sets a bit, and a scripted player, who has a parameter *kind*, the move."""
LIMITS = ()
"""With :func:`points`: numbers of points of which tables tell how often somebody had more."""
TALLIES = ()
"""With :func:`points`: what else is counted of each seat when a game is over, by :func:`tally`."""


def start() -> Any:
    """The state before the first move: a tuple of numbers, or an array that moves change."""
    return TOKENS, 0


def to_move(state: Any) -> Any:
    """The seat whose turn it is, from 0."""
    return state[1]


def legal(state: Any, moves: Any) -> Any:
    """Writes the legal moves into *moves*, ascending, and gives how many there are.

    The game is not over; there is at least one. Where nothing can be done, to pass is a move.
    """
    moves[0] = 0
    moves[1] = 1
    return min(2, state[0])


def play(state: Any, move: Any) -> Any:
    """The state after a legal *move*; an array is changed, and nothing given."""
    return state[0] - move - 1, 1 - state[1]


def result(state: Any) -> Any:
    """1 if seat 0 has won, -1 if seat 1 has, 0 for a draw, 2 if the game goes on."""
    return 2 if state[0] > 0 else 2 * state[1] - 1


def is_over(state: Any) -> Any:
    """Whether the game is over; with :func:`points` in place of :func:`result`."""
    return state[0] == 0


def points(state: Any, seat: int) -> Any:
    """A whole number for each seat; who has most wins."""
    return np.int64(state[1] != seat)


def see(state: Any, seat: int, planes: Any) -> None:
    """Sets bits of *planes*, of 64-bit words that are all 0: what networks see at *seat*.

    Where there are more than 64 cells, a plane is as many words as they need.
    """
    planes[0] = np.uint64(1) << np.uint64(state[0])


def features(state: Any, seat: int, out: Any) -> None:
    """Write what a *seat* counts in a state into *out*: FEATURES numbers, all 0 before.

    Networks with the encoding ``features`` get them, rounded to ``float32``. If some of them may
    read the first numbers alone, it writes ``len(out)`` numbers.
    """
    out[0] = state[0] / TOKENS


def describe_move(state: Any, move: Any, seat: int, out: Any) -> None:
    """Write what counts of a legal *move*, before it is played, into *out*: MOVE_FEATURES numbers.

    Networks with the head ``action`` get them beside what is seen or counted of the state.
    """
    out[0] = move + 1


def prune(state: Any, seat: int, moves: Any, count: Any) -> Any:
    """Keep those of the first *count* of *moves* that are worth describing, and give their number.

    One is left at least. Networks with the head ``action`` weigh no others.
    """
    return count


def kinds(state: Any) -> Any:
    """The kinds of moves that are legal, as bits of a word: bit k stands for the k-th of KINDS."""
    return np.uint64(3 if state[0] > 1 else 1)


def tally(state: Any, seat: int, out: Any) -> None:
    """Write what TALLIES names of a *seat* into *out*, whole numbers, in a state that is over."""


def read_setting(text: str) -> int:
    """The *setting*, a whole number from 0, that scripted players and features get for a text.

    They have a parameter of that name. The text stands behind a player's name, ``careless:TEXT``,
    or behind that of a network's ``script``; without one the setting is 0. `ValueError` refuses a
    text by its sentence; ``name_setting(setting)`` gives the usual text back.
    """
    return int(text)


def evaluate(state: Any, seat: int) -> Any:
    """What a search thinks of a state that is not over, for *seat*: a whole number below 2**30."""
    return 0


def wins(state: Any, moves: Any) -> Any:
    """Write the moves that win at once into *moves*, ascending, and give their number.

    An accelerator: it says faster what :func:`play` and :func:`result` say.
    """
    return 0


def changes(state: Any, move: Any, seat: int, bits: Any) -> Any:
    """Write the bits of :func:`see` that a *move* sets at a *seat*, and give their number.

    An accelerator. Bit b of word w has the number ``64 * w + b``; a bit that the move clears is
    written as ``~number``.
    """
    return 0


def safe(state: Any, moves: Any) -> Any:
    """Write the legal moves after which the opponent does not win at once, and give their number.

    An accelerator, with :func:`wins`, asked where no move wins at once. After a safe move the game
    may be over, or the same player moves again.
    """
    return legal(state, moves)


def gain(state: Any, move: Any) -> Any:
    """By how much :func:`evaluate` grows with a *move*, for the player who makes it.

    An accelerator. The evaluations for both seats add up to 0 then.
    """
    return 0


def order(state: Any, move: Any) -> Any:
    """A guess at the worth of a *move*: alpha-beta tries the highest first. An accelerator."""
    return 0


def quiet(state: Any) -> Any:
    """True if :func:`evaluate` can be trusted: if not, alpha-beta looks a ply farther."""
    return True


def key(state: Any) -> Any:
    """A word that is the same for positions alone that play alike. An accelerator."""
    return np.uint64(state[0] * 2 + state[1])


def legal_bits(state: Any) -> Any:
    """The legal moves, where MOVES is at most 64, as bits of a word. An accelerator.

    Bit k stands for move k; :func:`legal` lists the moves ascending.
    """
    return np.uint64(min(3, state[0]))


def progress(state: Any, move: Any) -> Any:
    """True if no position from before a legal *move* can occur again after it.

    Moves in a row without progress are counted for NO_PROGRESS; for REPETITION positions are
    compared with those since the last such move alone. Without it no move makes progress.
    """
    return True


def chance(state: Any) -> Any:
    """How many things may happen next by chance, each as likely; 0 if a player is to move."""
    return 0


def resolve(state: Any, outcome: Any) -> Any:
    """The state after the *outcome*, from 0, of what :func:`chance` announced; like play."""
    return state


def view(state: Any, seat: int) -> Any:
    """The state as a *seat* knows it; an array is changed. It is compiled if there is a guess."""
    return state


def guesses(state: Any, seat: int) -> Any:
    """The number of guesses, each as likely, at the next thing that view hid from a *seat*; or 0.

    Only what :func:`view` gives is asked for, and what :func:`guess` made of that.
    """
    return 0


def guess(state: Any, seat: int, number: Any) -> Any:
    """The state with guess *number*, from 0, filled in; like play."""
    return state


def careless(state: Any, moves: Any, count: Any, random: Any) -> Any:
    """Take two tokens, but any number of the last nine.

    A scripted player: it gives one of the first *count* of *moves*, the legal ones. Who finds a
    legal move without that list is faster without these two parameters. Who has a parameter
    *random* gets a whole number from 0 to 2**62 - 1, each as likely, and another one each time;
    *kind* is the number of the kind of move that is wanted, or -1; *notes* and *setting* are as
    above.
    """
    return moves[random % count] if state[0] < 10 else moves[count - 1]


# The framework writes what follows for each game.

START: Any = (np.int64(TOKENS), np.int64(0))
IS_ARRAY = False
SEES_CELLS = False
HAS_POINTS = False
HAS_CHANCE = False
HAS_BOARD = False
HAS_WINS = False
HAS_CHANGES = False
HAS_SAFE = False
HAS_GAIN = False
HAS_ORDER = False
HAS_QUIET = False
HAS_KEY = False
HAS_LEGAL_BITS = False
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
"""The number of scripted players."""
DRAWING = 0
LISTING = 1
"""A bit for each of them that gets a random number, and that gets a list of moves."""


@inlined
def cast_state(state: Any) -> Any:
    """The numbers of a state with their types."""
    return np.int64(state[0]), np.int64(state[1])


@inlined
def store_state(room: Any, at: Any, state: Any) -> None:
    """Put the numbers of a state into *room*, of ``int64``, from place *at* on."""
    poke(room, at, np.int64(state[0]))
    poke(room, at + 1, np.int64(state[1]))


@inlined
def load_state(room: Any, at: Any) -> Any:
    """The state that :func:`store_state` put there."""
    return np.int64(peek(room, at)), np.int64(peek(room, at + 1))


@inlined
def hash_state(state: Any) -> Any:
    """A word that hardly any two states share."""
    return hash_word(np.uint64(state[0]), 1) + hash_word(np.uint64(state[1]), 2)


@inlined
def view_state(state: Any, seat: Any) -> Any:
    """Give what :func:`view` gives, where there is a guess or a script; else the state."""
    return state


# What the functions do that have more or fewer parameters, by their names.


@inlined
def choose_scripted(
    state: Any,
    number: Any,
    moves: Any,
    count: Any,
    random: Any,
    notes: Any,
    setting: Any,
    kind: Any,
) -> Any:
    """Give the move that a scripted player chooses, by its *number*."""
    return careless(state, moves, count, random)


@inlined
def ask_features(state: Any, seat: Any, out: Any, notes: Any, setting: Any) -> None:
    """Call :func:`features`."""
    features(state, seat, out)


@inlined
def ask_describe_move(state: Any, move: Any, seat: Any, out: Any, notes: Any, setting: Any) -> None:
    """Call :func:`describe_move`."""
    describe_move(state, move, seat, out)


@inlined
def ask_prune(state: Any, seat: Any, moves: Any, count: Any, notes: Any, setting: Any) -> Any:
    """Call :func:`prune`."""
    return prune(state, seat, moves, count)
