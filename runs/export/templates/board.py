"""Exported bots of any compiled board game: whole numbers, how moves are chosen, how hosts ask.

The rules of the game stand in the exported file as they are compiled here, and count with the
numbers of this file. The game and the network that stand here only make it a module that tools can
check. It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
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


for operator in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for prefix in ("__", "__r"):
        setattr(Word, f"{prefix}{operator}__", make_word_of(f"{prefix}{operator}__"))
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
    return bin(word).count("1")


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (word & -int(word)).bit_length() - 1 if word else 64


# --- The game -----------------------------------------------------------------------------
MOVES, PLANES, GOES_ON = 1, 1, 2
STATE = (int,)


def to_move(state: Any) -> Any:
    """Stands for that of a game."""
    return state[0]


def legal(state: Any, moves: Any, at: int) -> Any:
    """Stands for that of a game."""
    return 1


def play(state: Any, move: Any) -> Any:
    """Stands for that of a game."""
    return state


def result(state: Any) -> Any:
    """Stands for that of a game."""
    return GOES_ON


def see(state: Any, seat: int, planes: Any, at: int) -> None:
    """Stands for that of a game."""


# --- The network --------------------------------------------------------------------------
HEAD = "value"
TAKES_WINS = True
# --- How it plays -------------------------------------------------------------------------


def choose(numbers: Sequence[int]) -> int:
    """Returns the number of the move for a state, which is given as its numbers."""
    if len(numbers) != len(STATE):
        raise ValueError(f"expected a state of {len(STATE)} numbers, got {len(numbers)}")
    state = tuple(STATE[place](number) for place, number in enumerate(numbers))
    if result(state) != GOES_ON:
        raise ValueError("the game is over")
    seat, moves = to_move(state), [0] * MOVES
    moves = [int(move) for move in moves[: legal(state, moves, 0)]]
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
        after = play(state, move)
        if TAKES_WINS and result(after) == 1 - 2 * seat:
            return move
        value = evaluate_planes(look(after, seat))[0]
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


def look(state: Any, seat: int) -> list[int]:
    """What the network sees of a state: words of bits."""
    planes = [0] * PLANES
    see(state, seat, planes, 0)
    return [int(word) for word in planes]


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
