"""Exported bots of any compiled board game: whole numbers, how moves are chosen, how hosts ask.

The rules of the game stand in the exported file as they are compiled here, and count with the
numbers of this file. The game and the network that stand here only make it a module that tools can
check. It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from random import randrange
from typing import Any

from evolve_arena.runs.export.templates.board_mlp import evaluate_planes

# --- Whole numbers ------------------------------------------------------------------------


class Word(int):
    """A whole number of 64 bits without sign."""

    def __new__(cls, value: int = 0) -> Word:
        """The lowest 64 bits of value."""
        return super().__new__(cls, int(value) & 0xFFFFFFFFFFFFFFFF)


def make_word_of(name: str) -> Any:
    """What an operator of whole numbers does, cut to 64 bits."""
    operate = getattr(int, name)
    return lambda *numbers: Word(operate(*numbers))


def shift_left(number: int, count: int) -> Word:
    """The number times a power of two, cut to 64 bits, of which a far shift leaves none."""
    return Word(int(number) << min(int(count), 64))


for operator in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "rshift"):
    for prefix in ("__", "__r"):
        setattr(Word, f"{prefix}{operator}__", make_word_of(f"{prefix}{operator}__"))
Word.__lshift__ = shift_left  # type: ignore[method-assign]
Word.__rlshift__ = lambda word, number: shift_left(number, word)  # type: ignore[method-assign]
Word.__invert__ = make_word_of("__invert__")  # type: ignore[method-assign]


class np:  # noqa: N801  (the rules know these by their names in NumPy)
    """The numbers with which the rules count."""

    uint64 = Word
    int64 = int32 = int16 = int8 = int

    @staticmethod
    def sign(number: int) -> int:
        """1, 0 or -1."""
        return (number > 0) - (number < 0)


def count_bits(word: int) -> int:
    """How many bits are set."""
    return bin(int(word)).count("1")


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def make_words(count: int) -> Any:
    """So many whole numbers, all 0."""
    return [Word(0)] * count


def make_array(kind: str, numbers: Sequence[int]) -> Any:
    """The numbers in an array, which takes none that are too large for it."""
    codes = {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}
    codes.update({f"u{name}": code.upper() for name, code in codes.items()})
    return array(codes[kind], numbers)


# --- The game -----------------------------------------------------------------------------


def define_rules() -> Any:
    """What the file of a game defines, by name."""
    return {}


# --- The network --------------------------------------------------------------------------
HEAD = "value"
TAKES_WINS = True
# How many moves, planes, cells, seats and kinds of pieces of a player the game has.
MOVES, PLANES, CELLS, SEATS, PIECES = 1, 1, 64, 2, 1
# How a state is kept: how many numbers, and the type of each, or of all of them in an array.
SIZE = 1
KINDS = (int,)
ARRAY = ""
SEES_CELLS = False
TURNS = False
HAS_POINTS = False
HAS_CHANCE = False
# The state before the first move and before chance; and after how many moves the arena ends a game.
FIRST_STATE: list[int] = []
LONGEST = 1
# --- How it plays -------------------------------------------------------------------------
WORDS = (CELLS + 63) // 64
LEAST, MOST = -(2**63), 2**64 - 1
RULES = define_rules()


def choose(numbers: Sequence[int]) -> int:
    """Returns the number of the move for a state, which is given as its numbers."""
    if len(numbers) != SIZE:
        raise ValueError(f"expected a state of {SIZE} numbers, got {len(numbers)}")
    if any(not LEAST <= number <= MOST for number in numbers):
        raise ValueError("a number of the state has more than 64 bits")
    state = thaw(numbers)
    if is_finished(state):
        raise ValueError("the game is over")
    seat, found = int(RULES["to_move"](state)), make_words(MOVES)
    moves = [int(move) for move in found[: RULES["legal"](state, found)]]
    if not 0 <= seat < SEATS or not moves or min(moves) < 0 or max(moves) >= MOVES:
        raise ValueError("the rules have no such state")
    if len(moves) == 1:
        return moves[0]
    if HEAD == "policy":
        outputs = evaluate_planes(look(state, seat))
        best = moves[0]
        for move in moves[1:]:
            if outputs[move] > outputs[best]:
                best = move
        return best
    best, best_value = -1, 0.0
    for move in moves:
        after = thaw(numbers)
        changed = RULES["play"](after, move)
        after = after if ARRAY else thaw(changed)
        if TAKES_WINS and is_finished(after) and has_won(after, seat):
            return move
        value = evaluate_planes(look(after, seat))[0]
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


def thaw(numbers: Sequence[int]) -> Any:
    """Returns the state that consists of these numbers, as the rules take it."""
    if ARRAY:
        return make_array(ARRAY, numbers)
    return tuple(KINDS[place](number) for place, number in enumerate(numbers))


def is_finished(state: Any) -> bool:
    """Whether the game is over."""
    return bool(RULES["is_over"](state)) if HAS_POINTS else int(RULES["result"](state)) != 2


def has_won(state: Any, seat: int) -> bool:
    """Whether a game that is over was won by who sits there."""
    if not HAS_POINTS:
        return int(RULES["result"](state)) == 1 - 2 * seat
    others = [int(RULES["points"](state, other)) for other in range(SEATS) if other != seat]
    return int(RULES["points"](state, seat)) > max(others)


def look(state: Any, seat: int) -> list[int]:
    """What the network sees of a state: for each plane its bits, as one whole number."""
    turn = [int(int(RULES["to_move"](state)) == seat)] if TURNS else []
    if SEES_CELLS:
        seen, owned = [0] * PLANES, SEATS * PIECES
        for cell in range(CELLS):
            kind = int(state[cell]) - 1
            if kind >= 0:
                seen[(kind - seat * PIECES) % owned if kind < owned else kind] |= 1 << cell
        return seen + turn
    words = make_words(PLANES * WORDS)
    RULES["see"](state, seat, words)
    return [
        sum(int(words[WORDS * plane + place]) << 64 * place for place in range(WORDS))
        for plane in range(PLANES)
    ] + turn


# --- How a game is played -----------------------------------------------------------------


def start() -> list[int]:
    """Returns the state before the first move."""
    return settle(thaw(FIRST_STATE))


def legal(numbers: Sequence[int]) -> list[int]:
    """Returns the numbers of the moves in a state; none once the game is over."""
    state, found = thaw(numbers), make_words(MOVES)
    if is_finished(state):
        return []
    return [int(move) for move in found[: RULES["legal"](state, found)]]


def play(numbers: Sequence[int], move: int) -> list[int]:
    """Returns the state after a move, and after all that chance decides then."""
    if move not in legal(numbers):
        raise ValueError(f"there is no move {move!r} here")
    state = thaw(numbers)
    changed = RULES["play"](state, move)
    return settle(state if ARRAY else changed)


def settle(state: Any) -> list[int]:
    """The numbers of the state after all that chance decides there."""
    while HAS_CHANCE:
        outcomes = int(RULES["chance"](state))
        if not outcomes:
            break
        changed = RULES["resolve"](state, randrange(outcomes))
        state = state if ARRAY else changed
    return [int(number) for number in state]


def result(numbers: Sequence[int]) -> Any:
    """Returns None while the game goes on, else a number for each seat.

    That is 1 if it has won, -1 if it has lost, and 0 after a draw; in games of points its points.
    """
    state = thaw(numbers)
    if not is_finished(state):
        return None
    if HAS_POINTS:
        return tuple(int(RULES["points"](state, seat)) for seat in range(SEATS))
    first = int(RULES["result"](state))
    return first, -first


# --- How hosts ask ------------------------------------------------------------------------


def play_on_stdin() -> None:
    """Answers each line "go" with "move NUMBER", for the state that a line "state ..." gave."""
    state: list[int] = []
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["state"]:
            state = [int(word) for word in words[1:]]
        elif words[:1] == ["go"]:
            print("move", choose(state), flush=True)


if __name__ == "__main__":
    play_on_stdin()
