"""English checkers (draughts), for people: moves by their squares, outcomes, texts.

The rules themselves are in :mod:`evolve_arena.games.checkers.board`. Source: the rules of the World
Checkers Draughts Federation; dark moves first, captures must be made and completed but may be
chosen freely, and a man that is crowned stops there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Game, Outcome
from evolve_arena.games.checkers.board import (
    DRAW_PLIES,
    MOST_MOVES,
    CheckersRules,
    count_sequences,
    is_reversible,
    list_moves,
    move_piece,
    repetition_key,
)
from evolve_arena.games.checkers.position import (
    COLOURS,
    Move,
    Position,
    bit_of,
    parse_drawing,
    parse_fen,
    square_of,
)

DARK_START = sum(bit_of(square) for square in range(1, 13))
LIGHT_START = sum(bit_of(square) for square in range(21, 33))


class Checkers(Game[Position, Move]):
    """The rules of English checkers.

    Args:
        turned: Light moves first and the board is drawn turned round, as some programs have it.

    Raises:
        BadValueError: *turned* is not 0 or 1.

    >>> game = Checkers()
    >>> position = game.initial()
    >>> for text in ("11-15", "22-18", "15x22", "25x18"):
    ...     position = game.play(position, game.parse_move(text))
    >>> print(position)
      b   b   b   b   4
    b   b   b   b     8
      b   b   .   b  12
    .   .   .   .    16
      .   w   .   .  20
    w   .   w   w    24
      .   w   w   w  28
    w   w   w   w    32
    dark to move
    >>> position.fen()
    'B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12'
    >>> [str(move) for move in game.legal_moves(position)][:3]
    ['7-11', '8-11', '9-13']
    """

    name = "checkers"
    rules_type = CheckersRules
    rules: CheckersRules

    @property
    def turned(self) -> bool:
        """Whether light moves first."""
        return bool(self.rules.turned)

    def describe(self) -> str:
        """How the board lies."""
        return "a board turned round" if self.turned else "a board that is not turned"

    def initial(self, seed: int = 0) -> Position:
        """Twelve men each; *seed* changes nothing."""
        return Position(DARK_START, LIGHT_START, 0, int(self.turned), self.turned)

    def to_move(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return 1 - state.side if self.turned else state.side

    def legal_moves(self, state: Position) -> list[Move]:
        """The moves that may be played, in order of their paths; none once the game is over."""
        return [] if _is_draw(state) else sorted(_list(state))

    def play(self, state: Position, move: Move) -> Position:
        """The position after *move*, which may leave out squares between its first and last.

        Raises:
            IllegalMoveError: The rules do not allow it, or it could be one of several.
            GameOverError: The game has ended.
        """
        moves = _list(state)
        if not moves or _is_draw(state):
            raise GameOverError(f"{move} is played after the end of the game")
        return _follow(state, move, moves)

    def play_on(self, state: Position, move: Move) -> Position:
        """Like :meth:`play`, but goes on after a draw: players of old did not always notice.

        Raises:
            IllegalMoveError: The rules do not allow it, or it could be one of several.
        """
        return _follow(state, move, _list(state))

    def resolve(self, state: Position, move: Move) -> Move:
        """The legal move with its whole path that *move* stands for.

        Raises:
            IllegalMoveError: The rules do not allow it, or it could be one of several.
        """
        return _resolve(state, move, list(_list(state)))

    def outcome(self, state: Position) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if not _count(state, np.empty(MOST_MOVES, dtype=np.uint64)):
            places = (2, 1) if self.to_move(state) == 0 else (1, 2)
            return Outcome(places, f"{COLOURS[state.side]} has no move")
        if len(state.past) >= DRAW_PLIES:
            return Outcome((1, 1), "40 moves each without a capture or a man's move")
        if _is_draw(state):
            return Outcome((1, 1), "the same position for the third time")
        return None

    def perft(self, state: Position, depth: int) -> int:
        """The number of move sequences of *depth* plies from here.

        Games may be lost on the way; draws are not looked for. Captures of the same pieces
        along different paths count as different moves.

        >>> Checkers().perft(Checkers().initial(), 5)
        7361
        """
        workspace = np.zeros(max(depth, 1) * MOST_MOVES, dtype=np.uint64)
        return int(count_sequences(*_sides(state), state.side, depth, workspace, 0))

    def view(self, state: Position, seat: int) -> Position:
        """The state itself: nothing is hidden."""
        return state

    def observe(self, state: Position, seat: int) -> NDArray[np.int8]:
        """Own men, own kings, the other's men and kings, as four planes of 0 and 1.

        The shape is ``(4, 8, 8)``. The board lies as *seat* sees it: its own men move up, to
        lower rows.
        """
        side = 1 - seat if self.turned else seat
        cells = state.cells() if side == 1 else state.cells()[::-1, ::-1]
        return np.stack([cells == piece for piece in ((1, 2, 3, 4), (3, 4, 1, 2))[side]]).astype(
            np.int8
        )

    def parse_move(self, text: str) -> Move:
        """The move that *text* names: ``11-15``, ``18x11``, ``1x10x19``.

        Raises:
            IllegalMoveError: It names none on any board.
        """
        return Move.parse(text)

    def format_move(self, move: Move, state: Position | None = None) -> str:
        """The text that :meth:`parse_move` reads.

        With the *state* in which it is played, squares between the first and the last are left
        out if no other move has the same two.
        """
        ends = (move.path[0], move.path[-1])
        if state is not None and len(move.path) > 2:
            alike = [m for m in _list(state) if (m.path[0], m.path[-1]) == ends]
            if len(alike) == 1:
                return str(Move(ends))
        return str(move)

    def number_of(self, move: Move) -> int:
        """The word by which compiled code knows a *move*, whose path must be whole."""
        return _write_word(move)

    def move_of(self, number: int) -> Move:
        """The move behind a word of compiled code."""
        return _read_word(number)

    def parse_position(self, text: str) -> Position:
        """The position of a PDN-FEN, of a drawing, or after moves from the start.

        ``B:W21,K30:B1-4`` is the first; a drawing is what printing a position shows; moves are
        divided by blanks, ``11-15 23-19``, and no text at all is the start.

        Raises:
            PositionError: It is none of these, or describes what cannot be.

        >>> game = Checkers()
        >>> game.parse_position(str(game.initial())) == game.initial()
        True
        """
        if ":" in text and not text.lstrip()[:1].isdigit():
            return parse_fen(text, turned=self.turned)
        if any(mark in text for mark in ".bBwW"):
            return parse_drawing(text, turned=self.turned)
        position = self.initial()
        for number, word in enumerate(text.split(), start=1):
            try:
                position = self.play(position, self.parse_move(word))
            except IllegalMoveError as error:
                raise PositionError(f"move {number} of {text[:40]!r}: {error}") from None
        return position


def _follow(state: Position, move: Move, moves: dict[Move, np.uint64]) -> Position:
    """The position after *move*, which stands for one of *moves*."""
    word = moves[_resolve(state, move, list(moves))]
    dark, light, kings = _boards(state)
    own, other = (dark, light) if state.side == 0 else (light, dark)
    past: tuple[int, ...] = ()
    if is_reversible(kings, word):
        past = (*state.past, _key(state))[-DRAW_PLIES:]  # so many are a draw: more say no more
    own, other, kings = move_piece(own, other, kings, word)
    dark, light = (own, other) if state.side == 0 else (other, own)
    return Position(int(dark), int(light), int(kings), 1 - state.side, state.turned, past)


@lru_cache(maxsize=16)  # a position is asked for its moves, then one of them is played
def _list(state: Position) -> dict[Move, np.uint64]:
    """The moves of the board, draw or not, with the words that compiled code knows them by."""
    words = np.empty(MOST_MOVES, dtype=np.uint64)
    return {_read_word(int(word)): word for word in words[: _count(state, words)]}


def _count(state: Position, words: NDArray[np.uint64]) -> int:
    """How many moves there are; they are written to *words*."""
    return int(list_moves(words, 0, *_sides(state), state.side))


def _is_draw(state: Position) -> bool:
    """Whether the position is a draw, unless its player can't move."""
    if len(state.past) >= DRAW_PLIES:
        return True
    return len(state.past) >= 4 and state.past[-2::-2].count(_key(state)) >= 2


def _boards(state: Position) -> tuple[np.uint64, np.uint64, np.uint64]:
    return np.uint64(state.dark), np.uint64(state.light), np.uint64(state.kings)


def _sides(state: Position) -> tuple[np.uint64, np.uint64, np.uint64]:
    """What compiled code calls *own*, *other* and *kings*."""
    dark, light, kings = _boards(state)
    return (dark, light, kings) if state.side == 0 else (light, dark, kings)


def _key(state: Position) -> int:
    return int(repetition_key(*_sides(state), state.side))


def _read_word(word: int) -> Move:
    """The move behind a word of compiled code."""
    place = word & 63
    path = [place]
    captured = (word >> 12 & 0x7FFFFFF).bit_count()
    for jump in range(captured):
        place += (8, 10, -8, -10)[word >> (39 + 2 * jump) & 3]
        path.append(place)
    if not captured:
        path.append(word >> 6 & 63)
    return Move(tuple(square_of(place) for place in path))


def _write_word(move: Move) -> int:
    """The word of compiled code for a move with its whole path."""
    places = [bit_of(square).bit_length() - 1 for square in move.path]
    word = places[0] | places[-1] << 6
    if move.is_capture:
        for jump, (here, there) in enumerate(pairwise(places)):
            word |= 1 << ((here + there) // 2 + 8)
            word |= (8, 10, -8, -10).index(there - here) << (39 + 2 * jump)
    return word


def _resolve(state: Position, move: Move, legal: list[Move]) -> Move:
    """The one of the *legal* moves that *move* stands for."""
    if move in legal:
        return move
    alike = [other for other in legal if _stands_for(move, other)]
    results = {_jumped(other) for other in alike}
    if len(results) == 1:
        return min(alike)
    raise IllegalMoveError(f"{move}: {_find_fault(state, move, legal, alike)}")


def _stands_for(short: Move, whole: Move) -> bool:
    """Whether *short* has the ends of *whole*, and between them squares of it in order."""
    if (short.path[0], short.path[-1]) != (whole.path[0], whole.path[-1]):
        return False
    between = iter(whole.path[1:-1])
    return all(square in between for square in short.path[1:-1])


def _jumped(move: Move) -> frozenset[tuple[int, int]]:
    """The jumps of a move, each the same whichever way it is made."""
    return frozenset((min(pair), max(pair)) for pair in pairwise(move.path))


def _find_fault(state: Position, move: Move, legal: list[Move], alike: list[Move]) -> str:
    """What is wrong with a *move* that is not legal."""
    colour = COLOURS[state.side]
    start = move.path[0]
    longer = [m for m in legal if m.path[: len(move.path)] == move.path]
    if alike:
        return f"this could be {_or(alike)}"
    if longer:
        return f"the jump goes on: {_or(longer)}"
    if not (state.light if state.side else state.dark) & bit_of(start):
        return f"no piece of {colour} stands on {start}"
    if any(m.is_capture for m in legal):
        return f"{colour} must capture: {_or(legal)}"
    if from_here := [m for m in legal if m.path[0] == start]:
        return f"from {start} {colour} can play {_or(from_here)}"
    return f"the piece on {start} can't move"


def _or(moves: list[Move]) -> str:
    texts = [str(move) for move in sorted(moves)]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]
